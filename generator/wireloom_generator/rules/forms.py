"""Textual forms of messages."""

from collections.abc import Iterable, Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import head, message_scopes, struct_of
from wireloom_generator.analysis.written_columns import Sort, WrittenColumn, columns, inner_columns
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.model import Named, Resolved
from wireloom_generator.problems import Violation, closest, seen_from
from wireloom_generator.reading.vocabulary import NOTATIONS, OMITTED, STYLES
from wireloom_generator.types import Integer

_NOT_IN_JSON = {
    Kind.BYTES: "JSON has no bytes",
    Kind.DECIMAL: "most JSON readers make a float of it",
    Kind.TIME: "forms can only have the plain number",
    Kind.SPAN: "forms can only have the plain number",
}


def form(spec: Resolved) -> Iterator[Violation]:
    """Reports entries of forms that cannot be written."""
    header = list(columns(spec, head(spec)))
    reading: dict[str, model.Form] = {}
    for message, scope in message_scopes(spec):
        own = list(columns(spec, scope))
        for form in message.forms:
            if form.style not in STYLES:
                yield Violation(form.where("style"), f"unknown style {form.style!r}", closest(form.style, STYLES))
            known_form = reading.setdefault(form.name, form) if form.reads else form
            if known_form is not form:
                place = seen_from(form.where("name"), known_form.where("name"))
                what = f"lines of form {form.name!r} are already read as another message, {place}"
                yield Violation(form.where("name"), what, "write reads: false in all but one")
            keys: dict[str, model.FormEntry] = {}
            for entry in form.entries:
                known = keys.setdefault(entry.key, entry)
                if known is not entry:
                    at = entry.where("key")
                    place = seen_from(at, known.where("key"))
                    yield Violation(at, f"key {entry.key!r} is already written {place}")
                yield from _entry(spec, entry, own, header)
                if form.reads and (entry.notation == "signed" or "." in (entry.field or "")):
                    what = "a field inside a struct" if entry.notation != "signed" else "as: signed"
                    yield Violation(entry.at, f"{what} can be written but not read", "write reads: false")


def _entry(
    spec: Resolved, entry: model.FormEntry, own: list[WrittenColumn], header: list[WrittenColumn]
) -> Iterator[Violation]:
    if (entry.field is None) == (entry.const is None):
        what = "an entry needs field or const" if entry.field is None else "an entry has field or const, not both"
        yield Violation(entry.at if entry.field is None else entry.where("const"), what)
    if entry.notation not in NOTATIONS:
        yield Violation(entry.where("as"), f"unknown notation {entry.notation!r}", closest(entry.notation, NOTATIONS))
    if entry.omit not in OMITTED:
        yield Violation(entry.where("omit"), f"unknown omit {entry.omit!r}", closest(entry.omit, OMITTED))
    if entry.field is None:
        for key in ("as", "omit"):
            if entry.gives(key):
                yield Violation(entry.where(key), f"an entry with const takes no {key}")
        return
    at = entry.where("field")
    found: list[WrittenColumn] = []
    known = [*own, *header]
    for name in entry.field.split("."):
        known = _inside(spec, found[0]) if found else known
        found = [column for column in known if column.name == name and column.sort is Sort.FIELD]
        if not found:
            names = {column.name for column in known if column.sort is Sort.FIELD}
            yield Violation(at, f"there is no field {entry.field!r}", closest(name, names))
            return
    yield from _notation(spec, entry, found[0], own)
    if entry.omit == "false" and _kind(found[0]) is not Kind.CONDITION:
        hint = "write omit: absent to leave it out if it has no value"
        yield Violation(entry.where("omit"), f"{entry.field!r} is never false", hint)


def _notation(
    spec: Resolved, entry: model.FormEntry, column: WrittenColumn, own: Iterable[WrittenColumn]
) -> Iterator[Violation]:
    found, name = _kind(column), entry.field
    if entry.notation == "label":
        if not any(other.sort is Sort.NAME and other.name == f"{name}_name" for other in own):
            hint = "give the field an enum, with labels" if column in own else "header fields are written as numbers"
            yield Violation(entry.where("as"), f"{name!r} has no label in the message", hint)
    elif entry.notation in ("base64_57", "text") and found is not Kind.BYTES:
        yield Violation(entry.where("as"), f"{entry.notation} is for bytes, and {name!r} is {found}")
    elif entry.notation == "signed" and not _is_u32(column):
        yield Violation(entry.where("as"), f"signed is for a u32, which {name!r} is not")
    elif entry.notation == "value" and found is Kind.BYTES:
        hint = "write as: base64_57, or as: text"
        yield Violation(entry.where("field"), f"{name!r} is bytes, and JSON has no bytes", hint)
    elif entry.notation == "value" and (inside := _not_in_json(spec, column)):
        what = f"{name!r} {f'is {found}' if found is inside else f'has {inside} inside'}, and {_NOT_IN_JSON[inside]}"
        yield Violation(entry.where("field"), what)


def _inside(spec: Resolved, column: WrittenColumn) -> list[WrittenColumn]:
    """The columns of a field that is one struct, and none of another."""
    item = column.visit.item if column.visit else None
    struct = struct_of(spec, item) if item is not None else None
    if struct is None or (isinstance(item, model.Field) and item.repeat is not None):
        return []
    return list(inner_columns(spec, struct))


def _is_u32(column: WrittenColumn) -> bool:
    item = column.visit.item if column.visit else None
    return isinstance(item, model.Field) and item.repeat is None and item.type == Integer(32, signed=False)


def _kind(column: WrittenColumn) -> Kind:
    item = column.visit.item if column.visit else None
    assert isinstance(item, Named)
    return item.kind


def _not_in_json(spec: Resolved, column: WrittenColumn) -> Kind | None:
    """The part of the column that JSON cannot hold; None if there is none."""
    item = column.visit.item if column.visit else None
    if isinstance(item, model.Field | model.Computed) and item.item_kind in _NOT_IN_JSON:
        return item.item_kind
    inner = struct_of(spec, item) if item is not None else None
    if inner is None or inner.name in spec.recursive:
        return Kind.BYTES if column.sort in (Sort.TRAILING, Sort.RAW) else None
    found = (_not_in_json(spec, other) for other in inner_columns(spec, inner))
    return next(filter(None, found), None)
