"""The structs of a spec, entry by entry in the order of reading: what the rules walk, and who can see whom.

A scope is a struct: the record's own fields, a message with its variants, or a type where it is used. Includes are
spliced in. Entries of different alternatives, or of different variants, never stand in one record.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import TypeVar

from wireloom_generator.analysis import rivals
from wireloom_generator.problems import Location
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec
from wireloom_generator.types import Number, parse

Item = syntax.Field | syntax.BitField | syntax.Bits | syntax.Section | syntax.Choice | syntax.Pad | syntax.Align
VARIANT = -1
"""The number of the choice that a message's variants are."""
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Taken:
    """That of the choice with this number the case at ``index`` is taken: the last of ``cases``, behind those before it
    that may hold too."""

    choice: int
    index: int
    cases: Sequence[syntax.Alternative | syntax.Variant] = field(compare=False, repr=False)


Branch = tuple[Taken, ...]
"""The alternatives something stands in."""


def meet(one: Branch, other: Branch) -> bool:
    """Whether one record can have both."""
    if not one or not other:
        return True
    taken = {case.choice: case.index for case in other}
    return all(taken.get(case.choice, case.index) == case.index for case in one)


@dataclass(frozen=True, slots=True, eq=False)
class Visit:
    """An entry at its place in the order of reading.

    ``sections`` are the regions around it, outermost first; ``via`` is the include that brought it.
    """

    item: Item
    order: int
    branch: Branch
    sections: tuple[str, ...]
    via: Location | None = None

    @property
    def at(self) -> Location:
        """Where its name stands, or what it is if it has none."""
        return self.item.where("section" if isinstance(self.item, syntax.Section) else "name")

    @property
    def name(self) -> str | None:
        """The name expressions know it by."""
        match self.item:
            case syntax.Field() | syntax.BitField():
                return self.item.name
            case syntax.Section():
                return self.item.section
            case _:
                return None

    @property
    def in_variant(self) -> bool:
        """Whether it belongs to one of a message's variants."""
        return bool(self.branch) and self.branch[0].choice == VARIANT

    def meets(self, other: "Visit") -> bool:
        """Whether both can stand in one record."""
        return meet(self.branch, other.branch)


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """A struct. ``header`` are the record's entries that its expressions see. A message chooses its variant in the
    section ``decisive``, when ``decided`` of its entries are read."""

    owner: syntax.Record | syntax.Message | syntax.Type
    visits: tuple[Visit, ...]
    header: tuple[Visit, ...] = ()
    decisive: str = ""
    decided: int = 0

    def header_at(self, visit: Visit) -> tuple[Visit, ...]:
        """The record's entries that are read before ``visit``, an entry of a message, of a type or of the record."""
        match self.owner:
            case syntax.Message():
                return until_slot(self.header, visit.sections[0])
            case syntax.Type():
                return self.header
            case syntax.Record():
                return self.visits[: visit.order]


def until_slot(header: tuple[Visit, ...], slot: str) -> tuple[Visit, ...]:
    """The header's entries up to and with the section ``slot``; all if there is no such section."""
    ends = [visit.order for visit in header if is_slot(visit) and visit.name == slot]
    return header[: ends[0] + 1] if ends else header


def is_slot(visit: Visit) -> bool:
    """Whether an entry of the record is a section that messages fill."""
    at_top = len(visit.sections) == 1 and not visit.branch
    return isinstance(visit.item, syntax.Section) and not visit.item.fields and at_top


def once(function: Callable[[Spec], Found]) -> Callable[[Spec], Found]:
    """Remember what a function finds in a spec; a spec has no hash, so it is kept with the spec itself."""
    key = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def remembered(spec: Spec) -> Found:
        kept = vars(spec)
        if key not in kept:
            kept[key] = function(spec)
        found: Found = kept[key]
        return found

    return remembered


@once
def head(spec: Spec) -> Scope:
    """The record's own fields and sections."""
    record = spec.protocol.record
    return Scope(record, walk(spec, record.fields))


@once
def slots(spec: Spec) -> tuple[syntax.Section, ...]:
    """The sections of the record that messages fill, in order."""
    return tuple(visit.item for visit in head(spec).visits if is_slot(visit) and isinstance(visit.item, syntax.Section))


@once
def messages(spec: Spec) -> tuple[Scope, ...]:
    """A scope for each message: slot by slot, what all variants share, then each variant's own."""
    return tuple(_message(spec, message) for message in spec.messages)


def _message(spec: Spec, message: syntax.Message) -> Scope:
    numbering = _Walk(spec)
    visits: list[Visit] = []
    known = [slot.section for slot in slots(spec)]
    filled = [*message.sections, *(name for variant in message.variants for name in variant.sections)]
    decisive = next((slot for slot in known if any(slot in v.sections for v in message.variants)), (known or [""])[-1])
    decided = 0
    branches = [(Taken(VARIANT, number, cases),) for number, cases in enumerate(rivals.tried(message.variants))]
    for slot in dict.fromkeys([*known, *filled]):
        visits += numbering.entries(message.sections.get(slot, ()), sections=(slot,))
        decided = len(visits) if slot == decisive else decided
        for branch, variant in zip(branches, message.variants, strict=True):
            visits += numbering.entries(variant.sections.get(slot, ()), branch, (slot,))
    return Scope(message, tuple(visits), head(spec).visits, decisive, decided)


@once
def types(spec: Spec) -> tuple[Scope, ...]:
    """A scope for each use of a type as a struct, as far as the header fields it sees there differ."""
    found: dict[tuple[str, int], Scope] = {}
    pending = [head(spec), *messages(spec)]
    while pending:
        scope = pending.pop()
        for visit in scope.visits:
            used = type_of(spec, visit.item)
            if used is None or used.name in recursive(spec):
                continue
            header = scope.header_at(visit)
            if (used.name, len(header)) not in found:
                inner = Scope(used, walk(spec, used.fields), header)
                found[used.name, len(header)] = inner
                pending.append(inner)
    return tuple(found.values())


def every(spec: Spec) -> tuple[Scope, ...]:
    """All scopes of the spec."""
    return (head(spec), *messages(spec), *types(spec))


def type_of(spec: Spec, item: Item) -> syntax.Type | None:
    """The shared type that a field has, if it has one and it is known."""
    return spec.types.get(item.type) if isinstance(item, syntax.Field) and parse(item.type) is None else None


@once
def _uses(spec: Spec) -> dict[str, frozenset[str]]:
    return {name: frozenset(_used_types(type_.fields)) & set(spec.types) for name, type_ in spec.types.items()}


def reach(spec: Spec, name: str) -> frozenset[str]:
    """The types that a type contains, directly or not, as a field or by include."""
    seen: set[str] = set()
    pending = set(_uses(spec)[name])
    while pending:
        seen |= pending
        pending = {inner for used in pending for inner in _uses(spec)[used]} - seen
    return frozenset(seen)


@once
def recursive(spec: Spec) -> frozenset[str]:
    """The types that contain themselves."""
    return frozenset(name for name in spec.types if name in reach(spec, name))


def _used_types(entries: Iterable[syntax.Entry]) -> Iterator[str]:
    for entry in syntax.walk(entries):
        if isinstance(entry, syntax.Field):
            yield entry.type
        elif isinstance(entry, syntax.Include):
            yield entry.include


def lists(spec: Spec) -> Iterator[tuple[syntax.Entry, ...]]:
    """Every list of entries of the spec as it is written, those of libraries and of unused types too."""
    for shared in spec.shared:
        yield from (type_.fields for type_ in shared.types)
        yield from (entries for variant in shared.variants for entries in variant.sections.values())
    yield spec.protocol.record.fields
    for message in spec.messages:
        yield from message.sections.values()
        for variant in message.variants:
            if not variant.shared:
                yield from variant.sections.values()


def written(spec: Spec) -> Iterator[syntax.Entry]:
    """Every entry of the spec as it is written, once."""
    for entries in lists(spec):
        yield from syntax.walk(entries)


Declaration = syntax.Enum | syntax.Flags | syntax.Type | syntax.Table


def declarations(shared: syntax.Shared) -> tuple[Declaration, ...]:
    """What a protocol file or a library declares."""
    return (*shared.enums, *shared.flags, *shared.types, *shared.tables)


def named_values(shared: syntax.Shared) -> tuple[syntax.Enum | syntax.Flags, ...]:
    """The enums and the flags that a protocol file or a library declares."""
    return (*shared.enums, *shared.flags)


def fields(spec: Spec) -> Iterator[syntax.Field | syntax.BitField]:
    """Every field as it is written, once; those of an unknown type are left out, since nothing can be said of them."""
    for entry in written(spec):
        if isinstance(entry, syntax.Bits):
            yield from entry.fields
        elif isinstance(entry, syntax.Field) and is_known(spec, entry):
            yield entry


def is_known(spec: Spec, field: syntax.Field | syntax.Parameter) -> bool:
    """Whether the type of a field or a parameter is one of the language's or declared."""
    return parse(field.type) is not None or field.type in spec.types


def expand(spec: Spec, entries: Iterable[syntax.Entry]) -> Iterator[tuple[syntax.Entry, Location]]:
    """The entries with includes replaced, each with the place that brought it in; without types inside themselves."""
    for entry in entries:
        if not isinstance(entry, syntax.Include):
            yield entry, entry.at
        elif entry.include in spec.types and entry.include not in recursive(spec):
            yield from ((inner, entry.where("include")) for inner, _ in expand(spec, spec.types[entry.include].fields))


def walk(spec: Spec, entries: Iterable[syntax.Entry]) -> tuple[Visit, ...]:
    """The visits of a struct that consists of these entries."""
    return tuple(_Walk(spec).entries(entries))


@dataclass
class _Walk:
    """Numbers entries and choices while it goes through a struct."""

    spec: Spec
    order: int = 0
    choices: int = 0

    def entries(
        self,
        entries: Iterable[syntax.Entry],
        branch: Branch = (),
        sections: tuple[str, ...] = ("",),
        via: Location | None = None,
    ) -> Iterator[Visit]:
        """The visits of a list of entries; ``via`` is the include that brought them. The region around all of a
        record or a type is a section without a name."""
        for entry, at in expand(self.spec, entries):
            assert not isinstance(entry, syntax.Include)
            include = via or (at if at is not entry.at else None)
            visit = Visit(entry, self.order, branch, sections, include)
            self.order += 1
            yield visit
            yield from self._inside(entry, visit, include)

    def _inside(self, entry: Item, visit: Visit, via: Location | None) -> Iterator[Visit]:
        match entry:
            case syntax.Section():
                yield from self.entries(entry.fields, visit.branch, (*visit.sections, entry.section), via)
            case syntax.Choice(choice=alternatives):
                self.choices += 1
                number = self.choices
                for index, cases in enumerate(rivals.tried(alternatives)):
                    branch = (*visit.branch, Taken(number, index, cases))
                    yield from self.entries(cases[-1].fields, branch, visit.sections, via)
            case syntax.Bits(fields=fields):
                for bit in fields:
                    yield replace(visit, item=bit, order=self.order)
                    self.order += 1
            case _:
                pass


def fixed_number(entry: syntax.Entry | Item) -> int | None:
    """The bytes of a number of fixed size that is always there; None of anything else."""
    if not isinstance(entry, syntax.Field) or entry.when or entry.tail or entry.repeat or entry.compute is not None:
        return None
    found = parse(entry.type)
    return found.size.least if isinstance(found, Number) else None
