"""Rules about the syntax of expressions, and the names in them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from wireloom_generator import expressions, model
from wireloom_generator.analysis.labels import unnamed
from wireloom_generator.analysis.scopes import (
    Input,
    Item,
    Scope,
    Seen,
    Visit,
    by_name,
    every,
    inside,
    once,
    struct_of,
    walk,
)
from wireloom_generator.analysis.sites import Moment, Site, given_fields, sites
from wireloom_generator.expressions import Among, Compare, Expr, ExpressionError, Function, Name, Value, orders
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Violation, closest
from wireloom_generator.reading import other_tools
from wireloom_generator.types import Integer, Varint, parse


def expression(spec: Resolved) -> Iterator[Violation]:
    """Reports expressions that cannot be parsed, and unknown names in them."""
    for site in sites(spec):
        try:
            tree = expressions.parse(site.condition.raw)
        except ExpressionError as error:
            yield Violation(site.where(error.column), str(error), error.hint)
            continue
        if site.key == "byte_order" and other_tools.order_hint(site.condition.raw):
            continue  # reported by byte-order
        said = set(orders.outcomes(tree)) if site.key in ("byte_order", "through", "unescape") else ()
        for name in expressions.names(tree):
            if name not in said:
                yield from _unknown_value(spec, site, name)
        for function, name in expressions.measured(tree):
            yield from _measured(spec, site, function, name)
        for part in expressions.walk(tree):
            yield from _compared_with_choices(site, part)


_KEYS_OF = {"rest": ("size",), "left": ("when", "count", "until")}
"""The keys in which each word for the bytes left in the section can be used."""
_LENGTH = "a length is rest, a number, or an expression over header fields, as in 4 + body_length"


def _unknown_value(spec: Resolved, site: Site, name: Name) -> Iterator[Violation]:
    if name.name in site.values or site.is_index(name):
        return
    at = site.where(name.column)
    around = site.around.get(name.name, ())
    if site.is_left(name):
        yield from _bytes_left(site, name)
    elif name.name == "record":
        hint = _LENGTH if site.key == "length" else "size(record) is its number of bytes"
        yield Violation(at, "'record' has no value", hint)
    elif not around:
        yield Violation(at, *_explained(spec, site, name))
    elif all(_is_section(seen) for seen in around) and name.item is None:
        what, hint = f"{name.name!r} is a section, which has no value", f"size({name.name}) is its number of bytes"
        yield Violation(at, what, hint)


def _bytes_left(site: Site, name: Name) -> Iterator[Violation]:
    """Reports uses of the bytes left in the section in keys that do not allow it."""
    is_field = site.key == "until" or (site.visit is not None and not isinstance(site.visit.item, model.Choice))
    if site.key in _KEYS_OF[name.name] and is_field:
        return
    what = f"{name.name!r} cannot be used here"
    hint = "only size, when, count and until of a field can use the bytes left"
    if site.key == "length":
        hint = _LENGTH
    elif site.key in (*_KEYS_OF["rest"], *_KEYS_OF["left"]) and is_field:
        hint = "in a size, write rest" if name.name == "left" else "write left for the number of bytes left"
    elif site.key == "when":
        hint = "an alternative must follow from values, or it could not be written; give each field a when instead"
    yield Violation(site.where(name.column), what, hint)


_OUTSIDE = frozenset({"_", "_io", "_parent", "_root", "ctx", "parent", "root", "self", "this"})
"""Other tools' words for the surroundings of an expression."""


_STREAM = {
    "eof": "write left == 0",
    "pos": "offset(x) is where the field x begins, counted from the start of the record",
    "size": "write size(record)",
}
"""What to write for what Kaitai Struct says of a stream."""
_SIZES = frozenset({"length", "len", "size"})
"""A number of bytes in words."""

_REST = frozenset({"all", "eof", "eos", "greedy", "remaining", "size_eos"})
"""Other tools' words for the bytes that are left."""

_VARIABLE = frozenset({"leb128", "protobuf", "quic", "uleb128", "varint", "varlen", "vint", "vlq"})
"""Words for integers of variable length."""

_TERMINATED = frozenset(
    {"until", "terminator", "terminated", "delimiter", "delimited", "line", "lines", "newline", "eol"}
)
"""Words for a record that ends at a terminator."""


def _as_type(key: str, word: str) -> str:
    """What to write in place of a type, if a number is needed; empty if the word is not a type."""
    if word in _VARIABLE:
        word = "leb128_u32"
    if not isinstance(parse(word), Integer | Varint):
        return ""
    if key == "length":
        return f"add a field {{name: size, type: {word}, derive: size(body)}}, and write length: offset(body) + size"
    if key == "size":
        return f"write prefix: {word} for a length prefix"
    return f"add a field {{name: how_many, type: {word}}}, and write count: how_many"


def _not_a_number(numbers: model.Enum | model.Flags, word: str) -> tuple[str, str]:
    """Why a name of an enum or of flags is not a number, and a hint."""
    if any(value.name == word for value in numbers.values):
        return f"{numbers.name}.{word} is a range", "compare with its first and last number"
    if isinstance(numbers, model.Enum) and word in numbers.groups:
        return _several_numbers(numbers, word)
    return unnamed(numbers, word)


def _several_numbers(enum: model.Enum, group: str) -> tuple[str, str]:
    """Why a group is not a number, and a hint."""
    for value in enum.values:
        if value.range and value.name in enum.groups[group]:
            return (
                f"{value.name}, which is in {enum.name}.{group}, is a range",
                "compare with its first and last number",
            )
    return f"{enum.name}.{group} is a group of values", f"write in {enum.name}.{group}"


def _explained(spec: Resolved, site: Site, name: Name) -> tuple[str, str]:
    """The reason why a name is unknown, and a hint."""
    if name.item is not None:
        return _missing_item(spec, site, name, name.item)
    what = f"unknown name {name.name!r}"
    first, *steps = name.steps
    if steps and first in spec.parameters:
        return f"{first!r} is a parameter, and has no field {steps[0]!r}", ""
    if steps and (around := site.around.get(first) or _inputs(spec, site, first)):
        return _missing_step(spec, first, around, steps)
    if steps and first in site.values:
        return f"{first!r} is {site.kind(Name(first)) or 'one value'}, and has no field {steps[0]!r}", ""
    if len(steps) == 1 and (numbers := spec.enums.get(first) or spec.flags.get(first)) is not None:
        return _not_a_number(numbers, steps[0])
    if site.key == "length" and first in _TERMINATED:
        return what, 'for records that end with a terminator, write until: "0a" in place of length'
    if site.key in ("length", "size") and (first in _REST or site.condition.raw == "size-eos"):
        return what, "write rest"
    if site.key in ("length", "size", "count") and (hint := _as_type(site.key, first)):
        return f"{first!r} is not a number", hint
    if first == "_io" and steps and steps[0] in _STREAM:
        return what, _STREAM[steps[0]]
    if first in _OUTSIDE:
        while steps and steps[0] in _OUTSIDE:
            steps.pop(0)
        known = ".".join(steps)
        if known in site.around or known in spec.parameters:
            return what, f"write {known}; the fields of the same struct, the header and parameters need no prefix"
        if isinstance(site.scope.owner, model.Struct) and steps:
            return what, f"a type sees only its own fields, its inputs and the header; {_as_input(steps[-1])}"
        return what, "an expression can use fields of the same struct, the header and parameters, by their names"
    return what, _hint(spec, site, name.name) or (closest(first, site.around.all) if steps else "")


def _missing_item(spec: Resolved, site: Site, name: Name, item: expressions.InList) -> tuple[str, str]:
    around = site.around.get(item.list) or _inputs(spec, site, item.list)
    if not around:
        return _explained(spec, site, Name(item.list, name.column))
    first, *steps = item.inner or ("",)
    found = (inside(spec, seen.item, is_item=True) for seen in around if isinstance(seen, Visit))
    names = {inner: seen for each in found for inner, seen in each.items()}
    if first in names:
        return _missing_step(spec, name.name.removesuffix("." + ".".join(steps)), names[first], steps)
    return f"an item of {item.list!r} has no field {first!r}", closest(first, names)


def _inputs(spec: Resolved, site: Site, name: str) -> Sequence[Seen]:
    """The structs and lists that are passed to a type under a name."""
    fields = given_fields(spec)
    return [field for seen in site.values.get(name, ()) if isinstance(seen, Input) for field in fields.get(seen, ())]


def _as_input(name: str) -> str:
    return f"write given: [{name}] in the type, and with: {{{name}: {name}}} where it is used"


def _missing_step(spec: Resolved, before: str, seen: Sequence[Seen], steps: Sequence[str]) -> tuple[str, str]:
    """The reason why a path into a struct does not exist, and a hint."""
    for step in steps:
        item = seen[0].item if isinstance(seen[0], Visit) else None
        if item is None or not (names := inside(spec, item)):
            if isinstance(item, model.Named) and item.kind is Kind.LIST:
                hint = f"write {before}[0].{step} for its first item, or count({before}) for its length"
                return f"{before!r} is a list, and {step!r} is not a field of it", hint
            kind = item.kind if isinstance(item, model.Named) else "a section"
            hint = f"size({before}) is its number of bytes" if step in _SIZES else ""
            return f"{before!r} is {kind}, and has no field {step!r}", hint
        if step not in names:
            return f"{before!r} has no field {step!r}", closest(step, names)
        before, seen = f"{before}.{step}", names[step]
    return f"an item of {before!r} has no such field", ""  # the list is there, in a struct that the type is given


def _hint(spec: Resolved, site: Site, name: str) -> str:
    elsewhere = _elsewhere(spec)
    if name == "_index":
        return "write index for the number of an item"
    if spec.capture is not None and not site.scope.is_preamble and name in by_name(walk(spec.capture.nodes)):
        return "of the capture's header, records can use numbers, booleans and text without raw, if always present"
    if name in elsewhere.choices or site.wants is Kind.TEXT:
        return f"put text in quotes: '{name}'"
    if name in elsewhere.numbers:
        return elsewhere.numbers[name]
    if name in elsewhere.given and site.visit is not None and site.visit.item.via is not None:
        return (
            "it is an input of the type, and an include has none; use a field of that type, or add a field of this name"
        )
    return _out_of_reach(elsewhere, site, name) or closest(name, site.around.all, spec.parameters)


def _out_of_reach(elsewhere: "_Elsewhere", site: Site, name: str) -> str:
    """Why a field of that name cannot be used here, and a hint."""
    field = elsewhere.inside(site.scope).get(name)
    if field is not None:
        return f"it is inside {field.name!r}; write {field.name}.{name}"
    if isinstance(site.scope.owner, model.Struct):
        inner = site.scope.owner.name
        if name in elsewhere.beside.get(inner, ()):
            what = f"it is outside of {inner}, which sees only its own fields, its inputs and the header"
            return f"{what}; {_as_input(name)}"
    return ""


@once
def _elsewhere(spec: Resolved) -> "_Elsewhere":
    return _Elsewhere(spec)


class _Elsewhere:
    """Explains names that are unknown where they are used; computed on first use, because most specs never need it."""

    def __init__(self, spec: Resolved) -> None:
        self.spec = spec
        self.choices = frozenset(choice for parameter in spec.protocol.parameters for choice in parameter.choices)
        self.numbers: dict[str, str] = {}
        """What to write for the values of enums, by their names."""
        for enum in spec.enums.values():
            for value in enum.values:
                if not value.range:
                    self.numbers.setdefault(value.name, f"write {enum.name}.{expressions.spelled(value.name)}")
        self.given = frozenset(name for struct in spec.structs.values() for name in struct.given)
        self.inner: dict[Scope, dict[str, model.Field]] = {}
        self.names: dict[str, frozenset[str]] = {}

    def inside(self, scope: Scope) -> Mapping[str, model.Field]:
        """The names inside the structs of a scope, each with the first field that has it."""
        if scope not in self.inner:
            found = self.inner[scope] = {}
            for visit in scope.visits:
                field = visit.item
                if isinstance(field, model.Field) and field.repeat is None and (inner := struct_of(self.spec, field)):
                    found |= {name: field for name in self.names_in(inner) if name not in found}
        return self.inner[scope]

    def names_in(self, struct: model.Struct) -> frozenset[str]:
        """The names of a type."""
        if struct.name not in self.names:
            found = (visit.name for visit in walk(struct.nodes))
            self.names[struct.name] = frozenset(name for name in found if name is not None)
        return self.names[struct.name]

    def around(self, struct: str) -> frozenset[str]:
        """The names beside a field of a type, and those of the record's sections."""
        return frozenset(self.beside.get(struct, ())) | {section.name for section in self.spec.record.slots}

    @cached_property
    def beside(self) -> Mapping[str, set[str]]:
        """The names beside a field of a type, by type."""
        found: dict[str, set[str]] = {}
        for scope in every(self.spec):
            names = {visit.name for visit in scope.visits if visit.name is not None}
            for used in filter(None, (struct_of(self.spec, visit.item) for visit in scope.visits)):
                found.setdefault(used.name, set()).update(names)
        return found


def _is_section(seen: Seen) -> bool:
    return isinstance(seen, Visit) and isinstance(seen.item, model.Region)


def _is_list(item: Item) -> bool:
    return isinstance(item, model.Named) and item.kind is Kind.LIST


def _has_bits(site: Site, name: str) -> bool:
    """Whether the items of a list are bits."""
    return any(isinstance(seen, Visit) and isinstance(seen.item, model.BitField) for seen in site.around.get(name, ()))


def _measured(spec: Resolved, site: Site, function: Function, name: Name) -> Iterator[Violation]:
    if site.moment is Moment.FRAMING:
        return
    at, call = site.where(name.column), f"{function}({name.name})"
    around = site.around.get(name.name) or site.values.get(name.name, ())
    if function in expressions.OF_PLACES and isinstance(site.scope.owner, model.Struct):
        outermost = site.around.get(name.steps[0], ())
        if any(isinstance(seen, Input) for seen in site.values.get(name.steps[0], ())):
            what = f"{name.steps[0]!r} is an input of the type, so there is no {call}"
            yield Violation(at, what, "add another input for the size or the offset")
            return
        if name.name == "record" or (outermost and all(seen in site.scope.header for seen in outermost)):
            given = f"{name.steps[-1]}_{function}"
            hint = f"write given: [{given}] in the type, and with: {{{given}: {call}}} where it is used"
            yield Violation(at, f"a type cannot use {call}, only sizes and offsets of its own fields", hint)
            return
    elif function in expressions.OF_PLACES and name.name == "record":
        return
    fields = [seen.item for seen in around if isinstance(seen, Visit) and not _is_section(seen)]
    if name.item is not None and function in expressions.OF_PLACES and _has_bits(site, name.item.list):
        hint = f"{function}({name.item.list}) is that of the integer around them"
        yield Violation(at, f"items of {name.item.list!r} are bits, so there is no {call}", hint)
    elif not around and (len(name.steps) > 1 or name.item is not None):
        yield Violation(at, *_explained(spec, site, name))
    elif not around:
        hint = closest(name.name, site.around.all, ("record",) if function in expressions.OF_PLACES else ())
        owner = site.scope.owner
        in_type = owner.name if isinstance(owner, model.Struct) and site.key in ("derive", "default") else None
        if in_type is not None and name.name in _elsewhere(spec).around(in_type):
            hint = f"a type can measure only its own fields; write include: {in_type} to put its fields beside it"
        yield Violation(at, f"{function}() of unknown {name.name!r}", hint)
    elif function not in expressions.OF_PLACES:
        if function is Function.COUNT and site.kind(name) is Kind.LIST:
            return
        if not fields:
            kind = "a section" if _is_section(around[0]) else _from_outside(around[0])
            yield Violation(at, f"{name.name!r} is {kind}, and {function}() needs a field")
        elif function is Function.COUNT and not any(map(_is_list, fields)):
            yield Violation(at, f"{name.name!r} is not a list", f"size({name.name}) is its number of bytes")
    elif any(isinstance(field, model.Computed) for field in fields):
        yield Violation(at, f"{name.name!r} is computed, not in the bytes, so there is no {call}")
    elif not isinstance(around[0], Visit):
        yield Violation(at, f"{name.name!r} is {_from_outside(around[0])}, so there is no {call}")


def _from_outside(seen: Seen) -> str:
    return "a parameter" if isinstance(seen, model.Parameter) else "an input of the type"


def _compared_with_choices(site: Site, part: Expr) -> Iterator[Violation]:
    """Texts that a parameter never is."""
    match part:
        case Compare(_, Name() as name, Value(value=str() as value)):
            values: tuple[str, ...] = (value,)
        case Compare(_, Value(value=str() as value), Name() as name):
            values = (value,)
        case Among(Name() as name, choices):
            values = tuple(c.value for c in choices if isinstance(c, Value) and isinstance(c.value, str))
        case _:
            return  # no comparison of a name with text
    for seen in site.values.get(name.name, ()):
        if isinstance(seen, model.Parameter) and seen.choices:
            for value in values:
                if value not in seen.choices:
                    what = f"{name.name} is never {value!r}"
                    yield Violation(site.where(name.column), what, closest(value, seen.choices))
