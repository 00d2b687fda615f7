"""Mistakes in the values of header fields that select a message."""

from collections.abc import Iterator, Mapping, Sequence

from wireloom_generator import model
from wireloom_generator.analysis import domains
from wireloom_generator.analysis.labels import unnamed
from wireloom_generator.analysis.scopes import Visit, head, inside, until_slot
from wireloom_generator.expressions.domain import Domain
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.model import Named, Resolved, matching
from wireloom_generator.problems import closest, odd_digits

_KINDS = (Kind.NUMBER, Kind.CONDITION, Kind.TEXT, Kind.BYTES)
"""The kinds that messages can match on."""
_WRITTEN = {
    Kind.NUMBER: "numbers",
    Kind.CONDITION: "true or false",
    Kind.TEXT: "texts",
    Kind.BYTES: "bytes in hex, in quotes",
}
"""The spelling of values of a kind, for hints."""


def header_fields(spec: Resolved) -> Mapping[str, Sequence[Visit]]:
    """The header fields read before messages differ."""
    visits: tuple[Visit, ...] = head(spec).visits
    if spec.record.slots:
        visits = until_slot(visits, spec.record.slots[0].name)
    found: dict[str, list[Visit]] = {}
    for visit in visits:
        if isinstance(visit.item, Named):
            found.setdefault(visit.item.name, []).append(visit)
    return found


def _found(spec: Resolved, header: Mapping[str, Sequence[Visit]], name: str, *, items: bool) -> Sequence[Named]:
    """The fields of a name, which may have dots, including those of the ``items`` of lists."""
    first, *steps = name.split(".")
    found = header.get(first, ())
    for step in steps:
        found = [
            inner
            for visit in found
            for is_item in ((False, True) if items else (False,))
            for inner in inside(spec, visit.item, is_item=is_item).get(step, ())
        ]
    return [visit.item for visit in found if isinstance(visit.item, Named)]


def faults(
    spec: Resolved,
    header: Mapping[str, Sequence[Visit]],
    name: str,
    selectors: Sequence[model.Selector],
    *,
    items: bool = False,
) -> Iterator[tuple[str, str]]:
    """The mistakes in the selecting values of a field or parameter, each with a hint.

    ``header`` are the available fields; dots lead into structs, and into ``items`` of lists.
    """
    fields = _found(spec, header, name, items=items)
    if not fields and name not in spec.parameters:
        known = [*header, *spec.parameters]
        what = f"the record's header has no field {name!r}"
        yield what, closest(name, known)
        return
    if name == spec.byte_order:
        yield f"{name!r} is the byte order, which cannot select messages", ""
        return
    kinds = [field.kind for field in fields] or [domains.of(spec, head(spec))[name].kind]
    kind = next((kind for kind in kinds if kind in _KINDS), None)
    if kind is None:
        what = f"{name!r} is {kinds[0]}, and messages match on numbers, true or false, text and bytes"
        yield what, ""
        return
    if not selectors:
        yield f"{name!r} lists no values, so the message never matches", ""
    ranges = [field.type.values for field in fields if field.kind is kind] or [domains.of(spec, head(spec))[name]]
    enum = next((spec.enums.get(field.enum) for field in fields if field.enum), None)
    repeated = matching.repeated(selectors)
    for number, selector in enumerate(selectors):
        for what, hint in _faults(name, selector, kind, ranges, enum):
            yield what, hint
            break
        else:
            if number in repeated:
                yield f"{matching.shown(repeated[number])} is listed twice", ""


def _faults(
    name: str,
    selector: model.Selector,
    kind: Kind,
    ranges: Sequence[Domain],
    enum: model.Enum | None,
) -> Iterator[tuple[str, str]]:
    """The mistakes in a selector, each with a hint."""
    shown = matching.shown(selector)
    if isinstance(selector, str) and kind is Kind.NUMBER and enum is not None:
        yield unnamed(enum, selector)
    elif not _is_of(selector, kind):
        names = f", or names of values of {enum.name}" if enum is not None else ""
        hint = odd_digits(selector) if kind is Kind.BYTES and isinstance(selector, str) else ""
        yield f"{name!r} is {kind}, not {shown}", hint or f"write {_WRITTEN[kind]}{names}"
    elif isinstance(selector, model.Between) and selector.least > selector.most:
        yield f"{shown} is not a range", "write the smaller number first"
    elif kind is Kind.NUMBER and not any(_is_within(selector, each) for each in ranges):
        yield f"{name!r} is never {shown}", f"it can be {ranges[0].least} to {ranges[0].most}"
    elif ranges[0].listed and kind is Kind.TEXT and selector not in ranges[0].listed:
        yield f"{name!r} is never {shown}", f"it can be {', '.join(map(str, ranges[0].listed))}"


def _is_of(selector: model.Selector, kind: Kind) -> bool:
    match selector:
        case bool():
            return kind is Kind.CONDITION
        case int() | model.Between():
            return kind is Kind.NUMBER
        case str():
            return kind is Kind.TEXT
        case bytes():
            return kind is Kind.BYTES
    return False


def _is_within(selector: model.Selector, numbers: Domain) -> bool:
    if isinstance(selector, model.Between):
        return numbers.least <= selector.least and selector.most <= numbers.most
    return isinstance(selector, int) and numbers.least <= selector <= numbers.most
