"""Lists of entries as they are read one after another, up to the end of their region."""

from collections.abc import Callable, Iterable, Iterator

from wireloom_generator.analysis.scopes import expand, recursive, slots
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec
from wireloom_generator.types import parse

Entries = tuple[syntax.Entry, ...]


def sequences(spec: Spec) -> Iterator[Entries]:
    """Every list of entries, includes spliced in: a message's once for each variant, behind what all variants share."""
    yield from _with_inner(spec, spec.protocol.record.fields)
    for type_ in spec.types.values():
        yield from _with_inner(spec, type_.fields)
    for message in spec.messages:
        for slot in slots(spec):
            shared = message.sections.get(slot.section, ())
            yield from _with_inner(spec, shared)
            for variant in message.variants:
                yield from _with_inner(spec, (*shared, *variant.sections.get(slot.section, ())))


def _with_inner(spec: Spec, entries: Iterable[syntax.Entry]) -> Iterator[Entries]:
    spliced = tuple(entry for entry, _ in expand(spec, entries))
    yield spliced
    for entry in spliced:
        for inner in syntax.children(entry):
            yield from _with_inner(spec, inner)


def takes_rest(entry: syntax.Field | syntax.Section) -> bool:
    """Whether an entry goes to the end of its section."""
    return entry.size == "rest" or (isinstance(entry, syntax.Field) and entry.repeat == "rest")


def is_optional(entry: syntax.Field | syntax.Section) -> bool:
    """Whether an entry is there only if bytes are left."""
    return isinstance(entry, syntax.Field) and entry.tail and entry.compute is None


def needs_bytes(spec: Spec, entry: syntax.Entry) -> bool:
    """Whether an entry is in the bytes."""
    match entry:
        case syntax.Field(compute=compute):
            return compute is None
        case syntax.Choice(choice=alternatives):
            return any(needs_bytes(spec, e) for option in alternatives for e, _ in expand(spec, option.fields))
        case _:
            return True


def has_bytes(spec: Spec, name: str) -> bool:
    """Whether the type called ``name``, if it is one, has anything in the bytes; one without fields is let pass."""
    type_ = spec.types.get(name)
    entries = [entry for entry, _ in expand(spec, type_.fields)] if type_ else []
    return not entries or any(needs_bytes(spec, entry) for entry in entries)


def at_end(
    spec: Spec, entry: syntax.Entry, holds: Callable[[syntax.Field | syntax.Section], bool]
) -> syntax.Field | syntax.Section | None:
    """What ``holds`` is true of where the entry ends: itself, or something in an alternative or a type it opens."""
    match entry:
        case syntax.Field() | syntax.Section() if holds(entry):
            return entry
        case syntax.Field() if entry.repeat is None and is_open(spec, entry):
            return entry if in_type(spec, entry.type, holds) else None
        case syntax.Choice(choice=alternatives):
            inner = (e for option in alternatives for e, _ in expand(spec, option.fields))
            return next((found for e in inner if (found := at_end(spec, e, holds))), None)
        case _:
            return None


def is_open(spec: Spec, field: syntax.Field) -> bool:
    """Whether a field is of a type, without a region of its own."""
    is_type = parse(field.type) is None and field.type in spec.types and field.type not in recursive(spec)
    return is_type and field.size is None and field.prefix is None


def in_type(spec: Spec, name: str, holds: Callable[[syntax.Field | syntax.Section], bool]) -> bool:
    """Whether ``holds`` is true of something that stands in a type, not in a region inside of it."""
    return any(at_end(spec, entry, holds) for entry, _ in expand(spec, spec.types[name].fields))


def place(entry: syntax.Entry) -> tuple[str, str]:
    """The key at which an entry stands in its file, and what to call it."""
    match entry:
        case syntax.Field(name=name):
            return "name", repr(name)
        case syntax.Section(section=name):
            return "section", f"section {name!r}"
        case syntax.Choice():
            return "", "this choice"
        case syntax.Bits():
            return "bits", "these bits"
        case syntax.Pad() | syntax.Align():
            return "", "padding"
        case syntax.Include(include=name):
            return "include", name
