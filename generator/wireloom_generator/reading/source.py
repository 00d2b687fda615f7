"""YAML text → nodes with file, line and column.

A node is a scalar, a list or a mapping; later problems are reported at a node's ``at``.
"""

import re
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import yaml

from wireloom_generator.problems import Location, Problem
from wireloom_generator.reading import other_tools, yaml_errors

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_MOST = 200_000
"""The most values of a file, far more than anybody writes."""
_DEEPEST = 100
"""The deepest nesting of values."""
_DIGITS = 80
"""Longer numbers are text, since no field could hold them."""
_BEGIN = "begin with protocol:, message: or library:"
_KINDS = ("null", "bool", "int", "float", "str", "seq", "map", "timestamp", "merge", "value")
_TAGS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in _KINDS)
"""The YAML types of plain text."""


@dataclass(frozen=True, slots=True)
class YamlScalar:
    """A single value: its text, and its YAML type (``int``, ``bool``, ``float``, ``null`` or ``str``)."""

    at: Location
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class YamlList:
    at: Location
    items: "tuple[YamlNode, ...]"


@dataclass(frozen=True, slots=True)
class YamlMapping:
    """Keys, each with its place, and their nodes."""

    at: Location
    entries: "tuple[tuple[YamlScalar, YamlNode], ...]"


YamlNode = YamlScalar | YamlList | YamlMapping


def read(path: Path, shown: Path, *, begin: str = _BEGIN) -> tuple[YamlMapping | None, list[Problem]]:
    """The document in the file ``path``, with locations in ``shown``; None with problems if it is not YAML.

    ``begin`` is the hint for a file that is not a spec.
    """
    start = Location(shown, 1, 1)
    if not path.is_file():
        return None, [Problem(start, "yaml", "not a file")]
    try:
        return document(path.read_text(encoding="utf-8"), shown, begin=begin)
    except UnicodeDecodeError as error:
        return None, [Problem(start, "yaml", f"not YAML: {error}".splitlines()[0])]


def document(text: str, shown: Path, *, begin: str = _BEGIN) -> tuple[YamlMapping | None, list[Problem]]:
    """The document that a text is, as ``read`` returns it."""
    start = Location(shown, 1, 1)
    problems: list[Problem] = []
    try:
        unused: dict[str | None, yaml.Event] = {}
        if (found := _too_much(text, unused)) is not None:
            event, what = found
            return None, [Problem(yaml_errors.place(shown, event), "yaml", what)]
        document = yaml.compose(text, Loader=_LOADER)
        if not isinstance(document, yaml.MappingNode):
            return None, [Problem(start, "wrong-type", "a mapping expected", other_tools.file(text) or begin)]
        if _size(document, {}) > _MOST:
            raise yaml.YAMLError(f"more than {_MOST} values, each counted as often as it is repeated")
        problems += (yaml_errors.unused_anchor(name, yaml_errors.place(shown, unused[name])) for name in unused)
        node = _Nodes(shown, problems).node(document)
    except yaml.MarkedYAMLError as error:
        return None, [yaml_errors.problem_of(error, text, shown)]
    except yaml.YAMLError as error:
        return None, [Problem(start, "yaml", f"not YAML: {error}".splitlines()[0])]
    except RecursionError:
        return None, [Problem(start, "yaml", "nested too deeply")]
    assert isinstance(node, YamlMapping)
    return node, problems


def _too_much(text: str, unused: dict[str | None, yaml.Event]) -> tuple[yaml.Event, str] | None:
    """Where values are nested too deeply (the loader would crash) or too many (it would take minutes), with a message;
    else None. Collects in ``unused`` the anchors without an alias.
    """
    depth = count = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.NodeEvent):
            if isinstance(event, yaml.AliasEvent):
                unused.pop(event.anchor, None)
            elif event.anchor is not None:
                unused[event.anchor] = event
            depth += isinstance(event, yaml.CollectionStartEvent)
            count += 1
            if depth > _DEEPEST or count > _MOST:
                many = f"{_DEEPEST} lists and mappings inside each other" if depth > _DEEPEST else f"{_MOST} values"
                return event, f"more than {many}"
    return None


def _kind(tag: str, text: str) -> str:
    """The kind of a plain scalar if YAML 1.1 and 1.2 agree on it: ``yes``, ``010`` and ``1:30`` are text."""
    try:
        match tag:
            case "bool" if text.lower() not in ("true", "false"):
                return "str"
            case "int" if len(text) > _DIGITS:
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


def _verbatim(node: yaml.ScalarNode) -> int | None:
    """How many columns after the node's start its text begins, if it is there unchanged and on one line."""
    start, end, quote = node.start_mark, node.end_mark, 1 if node.style in ("'", '"') else 0
    is_whole = end.column - start.column == len(node.value) + 2 * quote  # no more: nothing in it is escaped
    return quote if end.line == start.line and is_whole else None


def _size(node: yaml.Node, known: dict[int, int], depth: int = 0) -> int:
    """How many values a node has, each counted as often as aliases repeat it. Raises ``RecursionError``."""
    if depth > _DEEPEST:
        raise RecursionError
    if isinstance(node, yaml.ScalarNode):
        return 1
    if id(node) not in known:
        inner = chain.from_iterable(node.value) if isinstance(node, yaml.MappingNode) else node.value
        known[id(node)] = 1 + sum(_size(one, known, depth + 1) for one in inner)
    return known[id(node)]


class _Nodes:
    """Makes nodes from YAML's. Aliased nodes are made again each time; the depth is limited."""

    def __init__(self, path: Path, problems: list[Problem]) -> None:
        self.path = path
        self.problems = problems

    def node(self, node: yaml.Node, depth: int = 0) -> YamlNode:
        """The node. Raises ``RecursionError`` if one is too deep inside."""
        if depth > _DEEPEST:
            raise RecursionError
        line, column = node.start_mark.line + 1, node.start_mark.column + 1
        if node.tag not in _TAGS:
            self.problems.append(yaml_errors.unknown_tag(node, Location(self.path, line, column)))
        if isinstance(node, yaml.ScalarNode):
            at = Location(self.path, line, column, _verbatim(node))
            return YamlScalar(at, node.value, _kind(node.tag.rpartition(":")[2], node.value))
        at = Location(self.path, line, column)
        if isinstance(node, yaml.SequenceNode):
            return YamlList(at, tuple(self.node(item, depth + 1) for item in node.value))
        assert isinstance(node, yaml.MappingNode)
        return YamlMapping(at, tuple(self._entries(node, depth).values()))

    def _entries(self, node: yaml.MappingNode, depth: int) -> dict[str, tuple[YamlScalar, YamlNode]]:
        entries: dict[str, tuple[YamlScalar, YamlNode]] = {}
        for key_node, value_node in node.value:
            key = self.node(key_node, depth + 1)
            if not isinstance(key, YamlScalar):
                self.problems.append(Problem(key.at, "wrong-type", "a key must be a name"))
            elif key.text in entries:
                first = entries[key.text][0].at.line
                what = f"{key.text!r} is already given in line {first}"
                self.problems.append(Problem(key.at, "duplicate-key", what))
            else:
                entries[key.text] = (key, self.node(value_node, depth + 1))
        return entries
