"""Rules about the inputs of types, and the fields of FlatBuffers tables."""

from collections.abc import Iterator

from wireloom_generator import model, naming
from wireloom_generator.analysis.scopes import Input, Item, fields_of, nodes, walk
from wireloom_generator.analysis.sites import given_fields, sites
from wireloom_generator.expressions import Name
from wireloom_generator.expressions.kinds import WIDE, Kind
from wireloom_generator.model import Named, Resolved, TableField
from wireloom_generator.problems import Violation, closest, seen_from
from wireloom_generator.reading.vocabulary import TABLE_TYPES
from wireloom_generator.types import Struct, Text, Unknown, parse


def given(spec: Resolved) -> Iterator[Violation]:
    """Reports inputs that are missing, unknown, or of different types."""
    for struct in (struct for part in spec.shared for struct in part.structs):
        yield from _declared(struct)
    for node in nodes(spec):
        if isinstance(node, model.Field):
            yield from _used(spec, node)
    yield from _of_two_types(spec)


def _of_two_types(spec: Resolved) -> Iterator[Violation]:
    """Reports structs and lists whose type differs from the first use."""
    first: dict[Input, str] = {}
    for site in sites(spec):
        told, tree = site.input, site.tree
        if told is None or not isinstance(tree, Name):
            continue
        is_item = tree.item is not None and not tree.item.inner
        for shape in sorted({_shape(field.item, is_item) for field in site.fields(tree, given_fields(spec))} - {""}):
            if site.wants is site.kind(tree) and shape != first.setdefault(told, shape):
                what = f"input {told.name!r} of {told.struct} is {shape} here, and {first[told]} elsewhere"
                yield Violation(site.at, what, "an input needs the same type wherever the type is used")


def _shape(item: Item, is_item: bool) -> str:
    """The names inside a struct, a list or an item; empty for a single value."""
    kind = (item.item_kind if is_item else item.kind) if isinstance(item, Named) else None
    if not isinstance(item, Named) or kind not in WIDE:
        return ""
    if not isinstance(item.type, Struct):
        return f"a list of {item.item_kind}"
    return f"a list of {item.type.word}" if kind is Kind.LIST else item.type.word


def _declared(struct: model.Struct) -> Iterator[Violation]:
    own = {visit.name for visit in walk(struct.nodes)}
    seen: set[str] = set()
    for name in struct.given:
        if name in seen:
            yield Violation(struct.where("given"), f"{struct.name} lists the input {name!r} twice")
        elif name in own:
            what = f"{struct.name} has both an input and a field {name!r}"
            yield Violation(struct.where("given"), what, "rename one of them")
        seen.add(name)


def _used(spec: Resolved, field: model.Field) -> Iterator[Violation]:
    if isinstance(field.type, Unknown):
        return
    struct = fields_of(spec, field)
    asked = struct.given if struct is not None else ()
    for name in field.inputs:
        if name not in asked:
            at = field.where(f"with.{name}")
            if struct is None:
                yield Violation(at, f"{field.name!r} is {field.kind}, and only declared types have inputs")
            else:
                hint = closest(name, asked) if asked else f"declare it in the type: given: [{name}]"
                yield Violation(at, f"{struct.name} has no input {name!r}", hint)
    for name in dict.fromkeys(asked):
        if name not in field.inputs and struct is not None:
            what, hint = f"{struct.name} needs the input {name!r}", f"write with: {{{name}: …}}"
            yield Violation(field.where("type"), what, hint)


_LAST_SLOT = 32765
"""A vtable is at most 65535 bytes long."""


def table_fields(spec: Resolved) -> Iterator[Violation]:
    """Reports table fields that FlatBuffers cannot have."""
    for shared in spec.shared:
        for table in shared.tables:
            slots: dict[int, TableField] = {}
            names: dict[str, TableField] = {}
            for field in table.fields:
                yield from _table_field(field, slots)
                known = names.setdefault(field.name.casefold(), field)
                if known.name != field.name:
                    place = seen_from(field.where("name"), known.where("name"))
                    what = f"{field.name!r} and {known.name!r}, {place}, differ only in case, and Spark ignores case"
                    yield Violation(field.where("name"), what)


def _table_field(field: TableField, slots: dict[int, TableField]) -> Iterator[Violation]:
    if naming.word_fault(field.name) is not None:
        yield Violation(field.where("name"), f"{field.name!r} cannot name a column")
    if not 0 <= field.id <= _LAST_SLOT:
        yield Violation(field.where("id"), f"{field.id} is not a slot", f"slots are 0 to {_LAST_SLOT}")
    known = slots.setdefault(field.id, field)
    if known is not field:
        place = seen_from(field.where("id"), known.where("id"))
        yield Violation(field.where("id"), f"slot {field.id} is already {known.name!r}, {place}")
    wire = parse(field.type) if field.type in TABLE_TYPES else None
    if wire is None:
        hint = {"string": "did you mean 'text'?", "bytes": "use a number, bool or text"}.get(field.type)
        what = f"a field of a table cannot have type {field.type!r}"
        yield Violation(field.where("type"), what, hint or closest(field.type, TABLE_TYPES))
    elif field.default is not None and isinstance(wire, Text):
        yield Violation(field.where("default"), "text has no default in FlatBuffers")
    elif field.default is not None and (fault := wire.misfit(field.default, None)):
        yield Violation(field.where("default"), fault[0])
