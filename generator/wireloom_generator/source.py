"""YAML text → nodes that know their file, line and column. Knows nothing of what they mean.

A node is a ``Scalar``, a ``Sequence`` or a ``Mapping``; everything later reports its problems at a node's ``at``.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

from wireloom_generator.problems import Location, Problem

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_BEGIN = "begin with protocol:, message: or library:"
_MEANT = {
    "'\\t'": "YAML is indented with blanks, not with tabs",
    "did not find expected key": "see whether the lines above are indented alike, and brackets and quotes closed",
    "mapping values are not allowed": "text with a colon in it stands in quotes",
}
"""What is most often meant by what the parser says."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value: its text, and what YAML takes it for (``int``, ``bool``, ``float``, ``null`` or ``str``)."""

    at: Location
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of nodes."""

    at: Location
    items: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Mapping:
    """Keys, each with the place it stands at, and their nodes."""

    at: Location
    entries: "tuple[tuple[Scalar, Node], ...]"


Node = Scalar | Sequence | Mapping


def read(path: Path, shown: Path, *, begin: str = _BEGIN) -> tuple[Mapping | None, list[Problem]]:
    """The document in the file ``path``, its locations told as in ``shown``; None with problems if it is no YAML.

    ``begin`` is the hint for a file that is none of ours.
    """
    start = Location(shown, 1, 1)
    try:
        document = yaml.compose(path.read_text(encoding="utf-8"), Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = Location(shown, mark.line + 1, mark.column + 1) if mark else start
        what = error.problem or "not YAML"
        return None, [Problem(at, "yaml", what, next((hint for sign, hint in _MEANT.items() if sign in what), ""))]
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        return None, [Problem(start, "yaml", f"not YAML: {error}".splitlines()[0])]
    if not isinstance(document, yaml.MappingNode):
        return None, [Problem(start, "wrong-type", "a mapping expected", begin)]
    problems: list[Problem] = []
    node = _node(document, shown, problems)
    assert isinstance(node, Mapping)
    return node, problems


def _kind(tag: str, text: str) -> str:
    """What a plain scalar is, where YAML 1.1 and 1.2 agree on it: ``yes``, ``010`` and ``1:30`` are text."""
    try:
        match tag:
            case "bool" if text.lower() not in ("true", "false"):
                return "str"
            case "int":
                int(text.replace("_", ""), 0)
            case "float":
                number(text)
    except ValueError:
        return "str"
    return tag


def number(text: str) -> float:
    """A floating-point number as YAML writes it, ``.inf`` and ``.nan`` included. Raises ``ValueError``."""
    return float(re.sub(r"\.(inf|nan)$", r"\1", text.replace("_", "").lower()))


def _node(node: yaml.Node, path: Path, problems: list[Problem]) -> Node:
    at = Location(path, node.start_mark.line + 1, node.start_mark.column + 1)
    if isinstance(node, yaml.ScalarNode):
        return Scalar(at, node.value, _kind(node.tag.rpartition(":")[2], node.value))
    if isinstance(node, yaml.SequenceNode):
        return Sequence(at, tuple(_node(item, path, problems) for item in node.value))
    assert isinstance(node, yaml.MappingNode)
    entries: dict[str, tuple[Scalar, Node]] = {}
    for key_node, value_node in node.value:
        key = _node(key_node, path, problems)
        if not isinstance(key, Scalar):
            problems.append(Problem(key.at, "wrong-type", "a key is a name"))
        elif key.text in entries:
            first = entries[key.text][0].at.line
            problems.append(Problem(key.at, "duplicate-key", f"{key.text!r} is already given in line {first}"))
        else:
            entries[key.text] = (key, _node(value_node, path, problems))
    return Mapping(at, tuple(entries.values()))
