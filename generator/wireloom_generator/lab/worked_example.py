"""A record as a worked example in the text of its spec."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from wireloom_generator import spec_text
from wireloom_generator.problems import Location
from wireloom_generator.reading import source
from wireloom_generator.spec_text import YamlValue
from wireloom_generator.traces import text_of

MOST_BYTES = 4096
"""A worked example that people read has no more bytes."""


class NoExampleError(Exception):
    """A record cannot be a worked example; ``args`` are the sentence that says why."""


def with_example(text: str, example: Mapping[str, YamlValue]) -> tuple[str, int]:
    """The text of a message's file with one more example, and the line where that begins.

    Raises ``NoExampleError`` if the file's examples are not a list with an item to a line.
    """
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    begin = _examples(text)
    if begin is None:
        written = spec_text.written({"examples": [example, _SECOND]}).lines
        new = ["", *written[: _items(written)]]
        return "\n".join([*lines, *new, ""]), len(lines) + 3
    line, indent = begin
    if indent < 0:
        raise NoExampleError(f"the examples in line {line} are on one line; write each on a line of its own, with a -")
    after = next((at for at in range(line, len(lines)) if _is_outer(lines[at])), len(lines))
    while not lines[after - 1].strip() or lines[after - 1].lstrip().startswith("#"):
        after -= 1
    written = spec_text.written({"examples": [example, _SECOND]}).lines
    item = [f"{' ' * indent}{each[2:]}" for each in written[1 : _items(written)]]
    return "\n".join([*lines[:after], *item, *lines[after:], ""]), after + 1


_SECOND = {"name": "x", "hex": "00", "malformed": "x"}
"""With a second item, the first is written over several lines."""


def _items(lines: Sequence[str]) -> int:
    """Where the second item of a list begins."""
    return max(number for number, line in enumerate(lines) if line.startswith("  - "))


def _examples(text: str) -> tuple[int, int] | None:
    """The line of the key ``examples``, from 1, and how far its items are indented, or -1; None if there is no key."""
    document, _ = source.document(text, Path("-"))
    entries = () if document is None else document.entries
    found = next((each for each in entries if each[0].text == "examples"), None)
    if found is None:
        return None
    key, node = found
    line: Location = key.at
    if not isinstance(node, source.YamlList) or not node.items or node.items[0].at.line == line.line:
        return line.line, -1
    first = text.split("\n")[node.items[0].at.line - 1]
    return line.line, len(first) - len(first.lstrip()) if first.lstrip().startswith("- ") else -1


def _is_outer(line: str) -> bool:
    """Whether a line begins another key of the file."""
    return bool(line.strip()) and not line.startswith((" ", "#", "-"))


def example_of(
    name: str,
    data: bytes,
    row: Mapping[str, Any],
    message: str | None,
    error: str | None,
    parameters: Mapping[str, Any],
) -> dict[str, YamlValue]:
    """A worked example of a record: its ``row`` as it was decoded, or the code of its ``error``.

    Raises ``NoExampleError``.
    """
    if message is None:
        raise NoExampleError("its message is unknown, and worked examples are those of a message")
    if len(data) > MOST_BYTES:
        raise NoExampleError(f"it has {len(data)} bytes; worked examples have at most {MOST_BYTES}")
    found: dict[str, YamlValue] = {"name": name, "hex": data.hex(" ")}
    if parameters:
        found["parameters"] = dict(parameters)
    if error is not None:
        return {**found, "malformed": error}
    fields = {**{key: value for key, value in row.items() if key not in (message, "message")}, **row[message]}
    return {**found, "decoded": {key: value for key, value in _values(fields) if not key.startswith("_")}}


def _values(fields: Mapping[str, Any]) -> Iterator[tuple[str, YamlValue]]:
    """The fields with values that a spec can say: no nulls, no numbers that are none."""
    for name, value in fields.items():
        said = _said(value)
        if said is not None:
            yield name, said


def _said(value: Any) -> YamlValue | None:
    match value:
        case None:
            return None
        case bool() | str():
            return value
        case int():
            return int(value)
        case float():
            return value if math.isfinite(value) else None
        case bytes():
            return value.hex()
        case Mapping():
            return dict(_values(value))
        case list():
            items = [_said(each) for each in value]
            whole = [each for each in items if each is not None]
            return whole if len(whole) == len(items) else None
    return text_of(value)
