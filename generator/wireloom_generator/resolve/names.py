"""The names that the expressions of a struct can use, and where their values are found."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from wireloom_generator.model.resolved import Loop
from wireloom_generator.problems import Location
from wireloom_generator.reading import syntax
from wireloom_generator.reading.unrolling import reached, used_in
from wireloom_generator.resolve import instants
from wireloom_generator.resolve.columns import raw_column

Spliced = syntax.Field | syntax.Section | syntax.Choice | syntax.Pad | syntax.Align | syntax.Bits
"""The content of a list of fields after its includes were replaced."""


def loops(structs: Mapping[str, syntax.Struct]) -> Iterator[Loop]:
    """The places at which structs use one that contains them, as a field or by include."""
    uses = {name: list(used_in(struct.fields)) for name, struct in structs.items()}
    inner = {name: {used for used, _ in found} & structs.keys() for name, found in uses.items()}
    reach = {name: reached(inner, name) for name in structs}
    for name in sorted(structs):
        for used, entry in uses[name]:
            if used in structs and name in {used, *reach[used]}:
                is_included = isinstance(entry, syntax.Include)
                yield Loop(name, used, entry.where("include" if is_included else "type"), is_included)


@dataclass(frozen=True, slots=True)
class DeclaredNames(Mapping[str, bool]):
    """The names that a list of entries declares, each with whether it may be absent; ``header.len`` is one if the field
    ``header`` is a struct with the field ``len``.

    ``fields`` have one value; ``inner`` gives the names that a struct type declares. ``choices`` are among them.
    ``of_times`` has the first time that consists of each, and what is written for it, as text.
    """

    own: Mapping[str, bool]
    fields: Mapping[str, syntax.Field | syntax.BitField]
    inner: "Callable[[str], Mapping[str, bool]]"
    choices: tuple[syntax.Choice, ...]
    of_times: Mapping[str, tuple[str, str]]

    def __getitem__(self, name: str) -> bool:
        first, _, inside = name.partition(".")
        absent = self.own[first]
        return absent if not inside else self.inner(self._struct(first))[inside] or absent

    def __iter__(self) -> Iterator[str]:
        return iter(self.own)

    def __len__(self) -> int:
        return len(self.own)

    def field(self, name: str) -> syntax.Field | syntax.BitField | None:
        """The field with that name, if it has one value."""
        first, _, inside = name.partition(".")
        within = self.inner(self._struct(first)) if inside else None
        return within.field(inside) if isinstance(within, DeclaredNames) else self.fields.get(name)

    def _struct(self, name: str) -> str:
        """The type of a field."""
        found = self.fields.get(name)
        if isinstance(found, syntax.Deeper):
            return found.like
        return found.type if isinstance(found, syntax.Field) else ""

    def with_some(self, other: "DeclaredNames") -> "DeclaredNames":
        """These names and those that only some records have."""
        own, fields = {**self.own, **dict.fromkeys(other.own, True)}, {**self.fields, **other.fields}
        of_times = {**other.of_times, **self.of_times}
        return replace(self, own=own, fields=fields, choices=(*self.choices, *other.choices), of_times=of_times)


class Splicing:
    """Lists of entries with includes replaced by the fields of their structs, unless one is unknown or recursive."""

    def __init__(self, structs: Mapping[str, syntax.Struct], recursive: frozenset[str]) -> None:
        self.structs = structs
        self.recursive = recursive
        self.included: dict[tuple[Location, str], syntax.Include] = {}
        """By place and struct, since unrolled structs have several includes in one place."""
        self.inner: dict[str, DeclaredNames] = {}

    def spliced(
        self, entries: Iterable[syntax.Entry], via: Location | None = None
    ) -> Iterator[tuple[Spliced, Location | None]]:
        """The entries, each with the outermost include that brought it."""
        for entry in entries:
            if not isinstance(entry, syntax.Include):
                yield entry, via
                continue
            self.included[entry.at, entry.include] = entry
            if entry.include in self.structs and entry.include not in self.recursive:
                yield from self.spliced(self.structs[entry.include].fields, via or entry.where("include"))

    def flat(self, entries: Iterable[syntax.Entry]) -> Iterator[syntax.Entry]:
        """The entries with those of includes and sections."""
        for entry, _ in self.spliced(entries):
            yield entry
            if isinstance(entry, syntax.Section):
                yield from self.flat(entry.fields)

    def declared(self, entries: Iterable[syntax.Entry]) -> DeclaredNames:
        entries = tuple(entries)
        own: dict[str, bool] = {}
        fields: dict[str, syntax.Field | syntax.BitField] = {}
        for name, absent, field in self._declared(entries, nullable=False):
            own[name] = absent or own.get(name, False)
            fields.pop(name, None)
            if field is not None:
                fields[name] = field
        choices = tuple(entry for entry in self.flat(entries) if isinstance(entry, syntax.Choice))
        of_times = dict(reversed([*self._of_times(entries)]))  # that of the first time has precedence
        return DeclaredNames(own, fields, self.declared_in, choices, of_times)

    def _of_times(self, entries: Iterable[syntax.Entry]) -> Iterator[tuple[str, tuple[str, str]]]:
        """The fields that times consist of, each with the time, and what is written to it."""
        for entry in self.flat(entries):
            match entry:
                case syntax.Field(compute=syntax.Instant() as compute):
                    for name, text in instants.defaults(entry.name, compute):
                        yield name, (entry.name, text)
                case syntax.Choice(choice=alternatives):
                    for alternative in alternatives:
                        yield from self._of_times(alternative.fields)
                case _:  # an entry without times
                    pass

    def declared_in(self, name: str) -> Mapping[str, bool]:
        """The names that a struct declares; none if it does not exist."""
        if name in self.structs and name not in self.inner:
            self.inner[name] = self.declared(self.structs[name].fields)
        return self.inner.get(name, {})

    def _declared(
        self, entries: Iterable[syntax.Entry], nullable: bool
    ) -> Iterator[tuple[str, bool, syntax.Field | syntax.BitField | None]]:
        """Each name with whether it may be absent, and its field unless that is a list."""
        for entry, _ in self.spliced(entries):
            match entry:
                case syntax.Field():
                    absent = nullable or entry.tail or entry.when is not None or entry.compute is not None
                    yield entry.name, absent, entry if entry.repeat is None else None
                    if raw := raw_column(entry):
                        yield raw, True, None
                case syntax.Section():
                    yield entry.section, nullable, None
                    yield from self._declared(entry.fields, nullable)
                    for name in filter(None, (entry.trailing, entry.raw)):
                        yield name, True, None
                case syntax.Choice(choice=alternatives):
                    for alternative in alternatives:
                        yield from self._declared(alternative.fields, True)
                case syntax.Bits(name=whole, parts=parts, when=when):
                    absent = nullable or when is not None
                    if whole:
                        yield whole, absent, None
                    yield from ((each.name, absent, each if each.count is None else None) for each in parts)
                case syntax.Pad() | syntax.Align():
                    pass
