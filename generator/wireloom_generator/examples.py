"""Runs worked examples with the parsers just emitted: they are decoded, compared, and encoded again.

This is the only place where the compiler runs its own output.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from wireloom_generator import emitted_code, model, output
from wireloom_generator.emitters import CODEC, Emission
from wireloom_generator.problems import Problem
from wireloom_generator.traces import Traced, Traces, text_of

if TYPE_CHECKING:
    from wireloom.codec import DecodeError, Protocol

RULE = "example"


@contextmanager
def running(modules: Iterable[Emission]) -> Iterator["Protocol"]:
    """The codec of a protocol's emitted modules, imported from source and removed afterwards.

    Raises ``ForeignCodeError``, and runs nothing, if a module contains code that no emitter writes.
    """
    files = {module.file.path.stem: module.file for module in modules}
    for file in files.values():
        emitted_code.admit(file)
    package = f"_wireloom_emitted_{files['parsers'].path.parent.name}"
    imported = {package: ModuleType(package)}
    imported[package].__path__ = []
    sys.modules[package] = imported[package]
    try:
        for stem in CODEC:
            name = f"{package}.{stem}"
            imported[name] = sys.modules[name] = ModuleType(name)
            imported[name].__package__ = package
            exec(compile(output.tree(files[stem].text), str(files[stem].path), "exec"), imported[name].__dict__)
        yield imported[f"{package}.parsers"].PROTOCOL
    finally:
        for name in imported:
            sys.modules.pop(name, None)


def run(protocol: model.Protocol, codec: "Protocol") -> tuple[Traces, list[Problem]]:
    """A trace of every example of the protocol, and a problem for each that fails."""
    from wireloom.inspection import inspect_record  # needs the codec, which only emitted code imports

    traces: dict[tuple[str, str], Traced] = {}
    problems: list[Problem] = []
    for message in protocol.messages:
        for example in message.examples:
            parameters: Mapping[str, Any] = example.parameters
            found, _ = codec.trace(example.data, **parameters)
            malformed = isinstance(found, Exception)
            inspected = inspect_record(codec, example.data, **parameters)
            traces[message.name, example.name] = Traced(inspected, {} if malformed else found)
            what = _failure(found, example) if malformed else _difference(found, message, example, codec)
            if what:
                problems.append(Problem(example.at, RULE, f"{example.name}: {what}"))
    return traces, problems


def _failure(error: "DecodeError", example: model.Example) -> str | None:
    if example.malformed is None:
        return f"malformed: {error.reason}"
    return None if error.code == example.malformed else f"{example.malformed} expected, found {error.reason}"


def _difference(
    row: Mapping[str, object], message: model.Message, example: model.Example, codec: "Protocol"
) -> str | None:
    if example.malformed is not None:
        return f"must be malformed ({example.malformed}), but is a {row['message']}"
    if row["message"] != message.name:
        return f"is a {row['message']}, not a {message.name}"
    fields = row[message.name]
    assert isinstance(fields, Mapping)
    flat = {**row, **fields}
    for name, expected in example.decoded.items():
        difference = _compare(name, expected, flat[name]) if name in flat else f"{name}: no such column"
        if difference:
            return difference
    try:
        encoded = codec.build(row, **example.parameters)
    except ValueError as error:
        return f"cannot be encoded back: {error}"
    return None if encoded == example.data else f"encodes back as {encoded.hex()}"


def _compare(path: str, expected: object, found: object) -> str | None:
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        missing = [f"{path}.{name}: no such column" for name in expected if name not in found]
        differences = (_compare(f"{path}.{name}", expected[name], found[name]) for name in expected if name in found)
        return next((difference for difference in (*missing, *differences) if difference), None)
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        parts = (
            _compare(f"{path}[{i}]", one, other) for i, (one, other) in enumerate(zip(expected, found, strict=True))
        )
        return next((difference for difference in parts if difference), None)
    if isinstance(found, bytes):
        same = isinstance(expected, str) and "".join(expected.split()).lower() == found.hex()
        return None if same else f"{path}: {expected!r} expected, found {found.hex()!r}"
    if (text := text_of(found)) is not None:
        return None if str(expected) == text else f"{path}: {expected!r} expected, found {text!r}"
    return None if expected == found else f"{path}: {expected!r} expected, found {_shown(found)}"


def _shown(value: object) -> str:
    return str(int(value)) if isinstance(value, int) and not isinstance(value, bool) else repr(value)
