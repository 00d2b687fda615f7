"""Unrolls recursive types: each depth becomes a type of its own, and nothing may be nested deeper.

``Node`` with ``depth: 3`` becomes ``Node``, whose fields of that type have the type ``Node2``, and so on. In ``Node3``,
fields of that type become bytes: up to their end if they have one, else those of one more ``Node3``. They are left out
if they only share bytes of others. Types between one node and the next are also copied for each depth.

Types are left as written if some cycle does not pass through a type with a depth.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace

from wireloom_generator.reading import syntax

DEEPEST = 32
"""The most types inside each other."""

LIMIT = 64
"""The most values inside each other, of which those below the depth are bytes. Each takes a dozen calls of Python."""


def unrolled(structs: Sequence[syntax.Struct], declared: Mapping[str, syntax.Struct]) -> tuple[syntax.Struct, ...]:
    """The structs of a file, each recursive one followed by its copies; ``declared`` are the structs of all files."""
    cycles = [found for each in declared.values() if each.depth is not None and (found := _Cycle.of(each, declared))]
    members = {name: cycle for cycle in cycles for name in cycle.members}
    return tuple(
        copy
        for struct in structs
        for copy in (members[struct.name].copies(struct) if struct.name in members else (struct,))
    )


class _Cycle:
    """Structs that contain each other, its ``members``: ``depth`` says how many ``roots`` inside each other have
    columns, ``limit`` how many there can be.
    """

    def __init__(
        self, depth: int, limit: int, roots: Collection[str], members: Collection[str], taken: Iterable[str]
    ) -> None:
        self.depth = depth
        self.limit = limit
        self.roots = roots
        self.members = members
        self.taken = frozenset(taken)

    @classmethod
    def of(cls, root: syntax.Struct, declared: Mapping[str, syntax.Struct]) -> "_Cycle | None":
        """The cycle of a struct; None if it is in none, or cannot be unrolled."""
        uses = {
            name: {used for used, _ in used_in(struct.fields)} & declared.keys() for name, struct in declared.items()
        }
        members = frozenset(name for name in reached(uses, root.name) if root.name in reached(uses, name))
        roots = frozenset(name for name in members if declared[name].depth is not None)
        others = {name: uses[name] & members - roots for name in members - roots}
        limits = [limit for name in roots if (limit := declared[name].limit) is not None]
        within = [entry for name in members for used, entry in used_in(declared[name].fields) if used in roots]
        is_sound = (
            root.depth is not None
            and 1 <= root.depth <= DEEPEST
            and all(declared[name].depth == root.depth for name in roots)
            and all(root.depth <= limit <= LIMIT for limit in limits)
            and not any(declared[name].limit is not None for name in members - roots)
            and not any(name in reached(others, name) for name in others)
            and not any(isinstance(entry, syntax.Include) for entry in within)
        )
        if not members or not is_sound or root.depth is None:
            return None
        if any(_is_elsewhere(entry) for name in members for entry in syntax.walk(declared[name].fields)):
            limits.append(root.depth)
        return cls(root.depth, min(limits, default=LIMIT), roots, members, declared)

    def copies(self, struct: syntax.Struct) -> Iterator[syntax.Struct]:
        """The copies of a struct, one for each depth."""
        for level in range(1 if struct.name in self.roots else 0, self.depth + 1):
            found = {each.name: getattr(struct, each.name) for each in fields(struct)}
            own = {"name": self._name(struct.name, level), "fields": self._entries(struct.fields, level)}
            yield syntax.Level(**found | own | {"depth": None, "limit": None, "of": struct.name})

    def _name(self, name: str, level: int) -> str:
        """The name of a member at a depth, counted from 1."""
        if level == (name in self.roots):
            return name
        return f"{name}{level}" if f"{name}{level}" not in self.taken else f"{name}Level{level}"

    def _entries(self, entries: Iterable[syntax.Entry], level: int) -> tuple[syntax.Entry, ...]:
        return tuple(self._entry(entry, level) for entry in entries if level < self.depth or not self._shares(entry))

    def _shares(self, entry: syntax.Entry) -> bool:
        """Whether an entry reads a root in bytes that others own."""
        return isinstance(entry, syntax.Field) and entry.type in self.roots and entry.shared

    def _entry(self, entry: syntax.Entry, level: int) -> syntax.Entry:
        match entry:
            case syntax.Field(type=used) if used in self.roots:
                return self._deeper(entry) if level == self.depth else replace(entry, type=self._name(used, level + 1))
            case syntax.Field(type=used) if used in self.members:
                return replace(entry, type=self._name(used, level))
            case syntax.Include(include=used) if used in self.members:
                return replace(entry, include=self._name(used, level))
            case syntax.Section(fields=fields):
                return replace(entry, fields=self._entries(fields, level))
            case syntax.Choice(choice=alternatives):
                return replace(entry, choice=tuple(self._alternative(each, level) for each in alternatives))
            case syntax.Field() | syntax.Include() | syntax.Pad() | syntax.Align() | syntax.Bits():
                return entry

    def _alternative(self, alternative: syntax.Alternative, level: int) -> syntax.Alternative:
        return replace(alternative, fields=self._entries(alternative.fields, level))

    def _deeper(self, field: syntax.Field) -> syntax.Field:
        """The replacement of a field that is too deep for columns: bytes up to its end, or those of one struct."""
        if field.size is not None or field.prefix is not None or field.until is not None:
            return replace(field, type="bytes", inputs={}, raw=None, through=None, limit=None)
        if field.repeat != "rest":
            return self._one(field)
        places = {"size" if key == "repeat" else key: place for key, place in field.places.items()}
        rest = syntax.Expression("rest", field.where("repeat"))
        return replace(field, type="bytes", size=rest, repeat=None, inputs={}, raw=None, places=places)

    def _one(self, field: syntax.Field) -> syntax.Deeper:
        """The field as the bytes of one struct, without the keys of its type."""
        said = {each.name: getattr(field, each.name) for each in fields(field)}
        ends = dict.fromkeys(("size", "prefix", "ends", "pad", "terminator", "unterminated"))
        others = dict.fromkeys(("raw", "through", "limit", "byte_order"))
        like = self._name(field.type, self.depth)
        own = {"type": "deeper", "depth": self.depth, "deepest": self.limit, "like": like}
        return syntax.Deeper(**said | ends | others | own)


def _is_elsewhere(entry: syntax.Entry) -> bool:
    """Whether the bytes of a field are not where the field is, so that those of the type are not in one piece."""
    return isinstance(entry, syntax.Field) and entry.place is not None and not entry.shared


def used_in(entries: Iterable[syntax.Entry]) -> Iterator[tuple[str, syntax.Field | syntax.Include]]:
    """The types that a list of fields uses, each with the field or the include."""
    for entry in syntax.walk(entries):
        if isinstance(entry, syntax.Field):
            yield entry.type, entry
        elif isinstance(entry, syntax.Include):
            yield entry.include, entry


def reached(uses: Mapping[str, set[str]], name: str) -> set[str]:
    """The structs that a struct contains, directly or not; ``uses`` are those directly in each."""
    seen: set[str] = set()
    pending = set(uses[name])
    while pending:
        seen |= pending
        pending = {used for outer in pending for used in uses.get(outer, ())} - seen
    return seen
