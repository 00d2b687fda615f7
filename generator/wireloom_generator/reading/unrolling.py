"""Types that contain themselves as deep as they say: each depth becomes a type of its own, and what is deeper is bytes.

``Node`` with ``depth: 3`` becomes ``Node``, whose fields of that type have the type ``Node2``, and so on; the fields of
``Node3`` that would be nodes are bytes, or left out if they only share bytes that others own. Types between one node
and the next are there once for each depth, too.

Types stay as they are written if nothing says where a part that is too deep ends, or if some way back to a type leads
past all that say how deep it goes.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from wireloom_generator.reading import syntax

DEEPEST = 32
"""The most types inside each other."""


def unrolled(structs: Sequence[syntax.Struct], declared: Mapping[str, syntax.Struct]) -> tuple[syntax.Struct, ...]:
    """The structs of a file, of all that are ``declared``; behind each that contains itself those for its depths."""
    circles = [found for each in declared.values() if each.depth is not None and (found := _Circle.of(each, declared))]
    members = {name: circle for circle in circles for name in circle.members}
    return tuple(
        copy
        for struct in structs
        for copy in (members[struct.name].copies(struct) if struct.name in members else (struct,))
    )


class _Circle:
    """A struct that contains itself, and those between: its ``members``."""

    def __init__(self, root: syntax.Struct, depth: int, members: frozenset[str], taken: Iterable[str]) -> None:
        self.root = root
        self.depth = depth
        self.members = members
        self.taken = frozenset(taken)

    @classmethod
    def of(cls, root: syntax.Struct, declared: Mapping[str, syntax.Struct]) -> "_Circle | None":
        """The circle of a struct; None if it is in none, or cannot be unrolled."""
        uses = {name: {used for used, _ in _used(struct.fields)} & declared.keys() for name, struct in declared.items()}
        members = frozenset(name for name in _reached(uses, root.name) if root.name in _reached(uses, name))
        others = {name: uses[name] & members - {root.name} for name in members - {root.name}}
        fields = [entry for name in members for used, entry in _used(declared[name].fields) if used == root.name]
        is_sound = (
            root.depth is not None
            and 1 <= root.depth <= DEEPEST
            and all(declared[name].depth is None for name in others)
            and not any(name in _reached(others, name) for name in others)
            and all(isinstance(entry, syntax.Field) and _ends(entry) for entry in fields)
        )
        return cls(root, root.depth, members, declared) if members and is_sound and root.depth else None

    def copies(self, struct: syntax.Struct) -> Iterator[syntax.Struct]:
        """The struct for each depth at which it can stand."""
        for level in range(1 if struct is self.root else 0, self.depth + 1):
            fields = self._entries(struct.fields, level)
            yield replace(struct, name=self._name(struct.name, level), fields=fields, depth=None)

    def _name(self, name: str, level: int) -> str:
        """What a member is called inside so many roots, itself counted."""
        if level == (name == self.root.name):
            return name
        return f"{name}{level}" if f"{name}{level}" not in self.taken else f"{name}Level{level}"

    def _entries(self, entries: Iterable[syntax.Entry], level: int) -> tuple[syntax.Entry, ...]:
        return tuple(self._entry(entry, level) for entry in entries if level < self.depth or not self._shares(entry))

    def _shares(self, entry: syntax.Entry) -> bool:
        """Whether an entry reads a root in bytes that others own."""
        return isinstance(entry, syntax.Field) and entry.type == self.root.name and entry.shared

    def _entry(self, entry: syntax.Entry, level: int) -> syntax.Entry:
        match entry:
            case syntax.Field(type=used) if used == self.root.name:
                return _bytes(entry) if level == self.depth else replace(entry, type=self._name(used, level + 1))
            case syntax.Field(type=used) if used in self.members:
                return replace(entry, type=self._name(used, level))
            case syntax.Include(include=used) if used in self.members:
                return replace(entry, include=self._name(used, level))
            case syntax.Section(fields=fields):
                return replace(entry, fields=self._entries(fields, level))
            case syntax.Choice(choice=alternatives):
                return replace(entry, choice=tuple(self._alternative(each, level) for each in alternatives))
        return entry

    def _alternative(self, alternative: syntax.Alternative, level: int) -> syntax.Alternative:
        return replace(alternative, fields=self._entries(alternative.fields, level))


def _used(entries: Iterable[syntax.Entry]) -> Iterator[tuple[str, syntax.Entry]]:
    for entry in syntax.walk(entries):
        if isinstance(entry, syntax.Field):
            yield entry.type, entry
        elif isinstance(entry, syntax.Include):
            yield entry.include, entry


def _reached(uses: Mapping[str, set[str]], name: str) -> set[str]:
    """The structs that a struct contains, directly or not."""
    seen: set[str] = set()
    pending = set(uses[name])
    while pending:
        seen |= pending
        pending = {used for outer in pending for used in uses.get(outer, ())} - seen
    return seen


def _ends(field: syntax.Field) -> bool:
    """Whether it is known where the bytes of a field end, whatever is in them."""
    has_extent = field.size is not None or field.prefix is not None or field.until is not None
    until = field.repeat.until if isinstance(field.repeat, syntax.Repeat) else None
    return field.shared or (until is None and (has_extent or field.repeat == "rest"))


def _bytes(field: syntax.Field) -> syntax.Field:
    """The field as bytes: each item of a list whose items say where they end, else all of the list."""
    if field.size is not None or field.prefix is not None or field.until is not None:
        return replace(field, type="bytes", inputs={}, raw=None, through=None, limit=None)
    places = {"size" if key == "repeat" else key: place for key, place in field.places.items()}
    rest = syntax.Expression("rest")
    return replace(field, type="bytes", size=rest, repeat=None, inputs={}, raw=None, places=places)
