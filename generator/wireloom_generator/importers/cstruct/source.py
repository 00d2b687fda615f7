"""C headers as pycparser reads them: without comments, directives and attributes, which are kept beside the text.

No preprocessor of the system is run. Constants of ``#define`` are put in place, conditions of ``#if`` decided, and
headers in quotes read if they are there; those of the system are known by a table of types.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from wireloom_generator.importers import SourceError, Sources
from wireloom_generator.importers.cstruct.constants import UnknownValueError, value_of
from wireloom_generator.problems import Location

PACKED, ALIGNED, ODD = "__wireloom_packed", "__wireloom_aligned", "__wireloom_odd"
"""Members that stand in the text for attributes of a struct, as pycparser does not know attributes."""
_MOST = 16 << 20
"""The most characters that constants may grow a text to."""
_DEEPEST = 200
"""The most brackets inside each other."""

_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//(?:\\\n|[^\n])*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w*)[ \t]*(.*)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")
_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|[A-Za-z_]\w*|\s+|.', re.DOTALL)
_KEYWORDS = {
    "__packed": "__attribute__((packed))", "__extension__": "", "__inline": "inline", "__inline__": "inline",
    "__const": "const", "__volatile__": "volatile", "__restrict": "", "__signed__": "signed", "_Packed": "",
}  # fmt: skip
"""What compilers have beside standard C."""
_MACHINE = {
    **dict.fromkeys(("__x86_64__", "__LP64__", "__linux__", "__LITTLE_ENDIAN_BITFIELD"), "1"),
    **dict.fromkeys(("__BYTE_ORDER", "__BYTE_ORDER__", "BYTE_ORDER"), "1234"),
    **dict.fromkeys(("__LITTLE_ENDIAN", "__ORDER_LITTLE_ENDIAN__", "LITTLE_ENDIAN"), "1234"),
    **dict.fromkeys(("__BIG_ENDIAN", "__ORDER_BIG_ENDIAN__", "BIG_ENDIAN"), "4321"),
}
"""What compilers and headers of the system define on the machine whose structs these are."""
_HARMLESS = re.compile(r"_*(packed|unused|deprecated|may_alias|designated_init|visibility)_*\b.*", re.DOTALL)
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_ATTRIBUTES = frozenset({"__attribute__", "__attribute", "__declspec"})


@dataclass
class Source:
    """The text for pycparser, and what was beside it, by line."""

    lines: list[str] = field(default_factory=list)
    places: list[Location] = field(default_factory=list)
    packs: list[int] = field(default_factory=list)
    """The ``#pragma pack`` that holds in each line; 0 is none."""
    docs: dict[int, str] = field(default_factory=dict)
    """The comment on each line, or above it."""
    text: str = ""

    def place(self, line: int) -> Location:
        return self.places[min(max(line, 1), len(self.places)) - 1]


def read(path: Path, sources: Sources) -> Source:
    """A header, and those in quotes that it includes. Raises ``SourceError``."""
    reader = _Reader(sources, Source())
    reader.read(path, sources.text(path))
    source = reader.source
    if not source.lines:
        source.lines, source.places, source.packs = [""], [Location(path, 1, 1)], [0]
    source.text = "".join(_without_attributes(source))
    return source


@dataclass
class _Reader:
    sources: Sources
    source: Source
    macros: dict[str, str] = field(default_factory=lambda: _KEYWORDS | _MACHINE)
    functions: set[str] = field(default_factory=set)
    """Macros with arguments."""
    size: int = 0
    pack: int = 0
    packs: list[int] = field(default_factory=list)
    met: set[Path] = field(default_factory=set)

    def read(self, path: Path, text: str) -> None:
        self.met.add(path.resolve())
        comments: dict[int, str] = {}
        lines = iter(enumerate(_without_comments(text, comments).split("\n"), 1))
        active: list[list[bool]] = []
        """For each ``#if``: whether its lines count, and whether some did."""
        above = ""
        for number, line in lines:
            at = Location(path, number, 1)
            directive = _DIRECTIVE.match(line)
            while directive and line.endswith("\\"):
                line = line[:-1] + next(lines, (0, ""))[1]
                directive = _DIRECTIVE.match(line)
            counts = all(each[0] for each in active)
            if directive:
                self._condition(directive[1], directive[2], active, at)
                if counts:
                    self._directive(directive[1], directive[2].strip(), at)
                continue
            if not counts:
                continue
            said = comments.get(number, "")
            code = self._expanded(line, at)
            self.source.lines.append(code)
            self.source.places.append(at)
            self.source.packs.append(self.pack)
            if not code.strip():
                above = said
                continue
            if doc := said or above:
                self.source.docs[len(self.source.lines)] = doc
            above = ""
        if active:
            raise SourceError(Location(path, text.count("\n") + 1, 1), "an #if has no #endif")

    def _condition(self, name: str, rest: str, active: list[list[bool]], at: Location) -> None:
        outer = all(each[0] for each in active)
        if name in ("if", "ifdef", "ifndef"):
            holds = outer and self._holds(name, rest, at)
            active.append([holds, holds])
        elif name in ("elif", "else", "endif"):
            if not active:
                raise SourceError(at, f"#{name} without #if")
            if name == "endif":
                active.pop()
                return
            *others, last = active
            last[0] = (
                all(each[0] for each in others) and not last[1] and (name == "else" or self._holds("if", rest, at))
            )
            last[1] = last[1] or last[0]

    def _holds(self, name: str, rest: str, at: Location) -> bool:
        if name != "if":
            found = _NAME.search(rest)
            return (found is not None and found[0] in self.macros) == (name == "ifdef")
        text = re.sub(r"\bdefined\s*\(?\s*(\w+)\s*\)?", lambda found: str(int(found[1] in self.macros)), rest)
        text = re.sub(r"\b[A-Za-z_]\w*\b", "0", self._expanded(text, at))
        try:
            return value_of(text) != 0
        except UnknownValueError:
            return False

    def _directive(self, name: str, rest: str, at: Location) -> None:
        if name == "define" and (found := re.match(r"(\w+)(\()?", rest)):
            if found[2]:
                self.functions.add(found[1])
            else:
                self.macros[found[1]] = rest[found.end() :].strip()
        elif name == "undef":
            self.macros.pop(rest, None)
        elif name == "include" and (found := re.match(r'"([^"]+)"', rest)):
            path = at.path.parent / found[1]
            if path.is_file() and path.resolve() not in self.met:
                with self.sources.including(path, at) as text:
                    self.read(path, text)
        elif name == "pragma" and (found := re.match(r"pack\s*\(([^)]*)\)", rest)):
            words = [word.strip() for word in self._expanded(found[1], at).split(",") if word.strip()]
            if "push" in words:
                self.packs.append(self.pack)
            if "pop" in words:
                self.pack = self.packs.pop() if self.packs else 0
            numbers = [int(word) for word in words if word.isdigit() and len(word) < 4]
            self.pack = numbers[-1] if numbers else self.pack if words else 0
        elif name == "error":
            raise SourceError(at, f"#error {rest[:100]}")

    def _expanded(self, line: str, at: Location, depth: int = 0) -> str:
        """The line with constants in place."""

        def put(found: re.Match[str]) -> str:
            name = found[0]
            if name in self.functions and line[found.end() :].lstrip().startswith("("):
                raise SourceError(at, f"{name} is a macro with arguments", "write what it stands for")
            inner = self.macros.get(name)
            return name if inner is None or depth > 20 else self._expanded(inner, at, depth + 1)

        done = _NAME.sub(put, line)
        self.size += len(done)
        if self.size > _MOST:
            raise SourceError(at, "constants make it too long")
        return done


def _without_comments(text: str, comments: dict[int, str]) -> str:
    """The text with blanks for comments, which are put in ``comments`` by the line on which they end."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def blank(found: re.Match[str]) -> str:
        if not found[0].startswith("/"):
            return found[0]
        last = bisect_right(starts, found.end() - 1)
        words = " ".join(re.sub(r"^\s*[/*!<]+|\*+/$", " ", line) for line in found[0].split("\n"))
        said = " ".join("".join(each if each.isprintable() else " " for each in words).split())
        if said:
            comments[last] = f"{comments.get(last, '')} {said}".strip()
        return re.sub(r"[^\n]", " ", found[0])

    return _COMMENT.sub(blank, text)


def _without_attributes(source: Source) -> Iterator[str]:
    """The tokens of a text; members that stand for its attributes are put into the structs that have them."""
    tokens = _TOKEN.findall("\n".join(source.lines))
    opened: list[int] = []
    closed: dict[int, int] = {}
    enums: set[int] = set()
    waiting: list[str] = []
    line, last, kind = 1, -1, ""
    index = 0
    while index < len(tokens):
        token = tokens[index]
        line += token.count("\n")
        if token in _OPENING:
            opened.append(index)
            if len(opened) > _DEEPEST:
                raise SourceError(source.place(line), f"more than {_DEEPEST} brackets inside each other")
            if token == "{":
                enums |= {index} if kind == "enum" else set()
                tokens[index] += "".join(waiting)
                waiting, kind = [], ""
        elif token in _CLOSING and opened:
            closed[index] = opened.pop()
        if token in _ATTRIBUTES:
            end = _balanced(tokens, index + 1)
            inner = "".join(tokens[index + 1 : end]).strip()[1:-1].strip()
            inner = inner[1:-1].strip() if inner.startswith("(") else inner
            for gone in range(index, end):
                tokens[gone] = "\n" * tokens[gone].count("\n")
            before = tokens[last] if last >= 0 else ""
            is_enum = before == "enum" or (before == "}" and closed.get(last) in enums)
            marker = (f" {PACKED} = -1," if "packed" in inner else "") if is_enum else _marker(inner)
            if before in ("struct", "union", "enum"):
                waiting.append(marker)
            elif before == "}" and last in closed:
                tokens[closed[last]] += marker
            elif opened and not _HARMLESS.fullmatch(inner):
                brace = next((place for place in reversed(opened) if tokens[place].startswith("{")), None)
                if brace is not None:
                    tokens[brace] += f" int {ODD};"
            elif opened and "packed" in inner:
                tokens[opened[-1]] += f" int {ODD};"
            continue
        if token.strip():
            last = index
            if token in ("struct", "union", "enum"):
                kind = token
            elif token in (";", "}"):
                waiting, kind = [], ""
        index += 1
    yield from tokens


def _marker(inner: str) -> str:
    """The members that stand for the attributes of a struct."""
    found = "".join(f" int {ALIGNED}[{number}];" for number in re.findall(r"\b_*align(?:ed)?_*\s*\(([^()]*)\)", inner))
    rest = re.sub(r"\b_*align(?:ed)?_*\s*\([^()]*\)", "", inner)
    for word in filter(None, (each.strip() for each in rest.split(","))):
        if re.fullmatch("_*packed_*", word):
            found += f" int {PACKED};"
        elif not _HARMLESS.fullmatch(word):
            found += f" int {ODD};"
    return found


def _balanced(tokens: list[str], index: int) -> int:
    """The index behind the brackets that begin there."""
    depth = 0
    while index < len(tokens):
        depth += (tokens[index] == "(") - (tokens[index] == ")")
        index += 1
        if depth <= 0 and tokens[index - 1].strip():
            break
    return index
