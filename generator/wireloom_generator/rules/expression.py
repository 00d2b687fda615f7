"""An expression can be read, and every name in it is known where it stands.

The expression language is small on purpose: comparisons, and/or/not, in, whole-number arithmetic, bit operations,
``a if b else c`` and the calls size, offset, count, present, min and max. Names are the fields of the same struct, the
record's header fields and the protocol's parameters; text stands in quotes.

Bad::

    - {name: body, type: bytes, size: body_lenght}
    - {name: note, type: text, size: rest, when: byte_order == big}

Good::

    - {name: body, type: bytes, size: body_length}
    - {name: note, type: text, size: rest, when: "byte_order == 'big'"}
"""

from collections.abc import Iterator

from wireloom_generator import expressions, syntax
from wireloom_generator.expressions import Among, Compare, Expr, ExpressionError, Name, Value
from wireloom_generator.problems import Problem, closest
from wireloom_generator.scopes import Scope, Visit, every, walk
from wireloom_generator.sites import Moment, Site, sites
from wireloom_generator.spec import Spec
from wireloom_generator.wiretypes import Kind


def check(spec: Spec) -> Iterator[Problem]:
    """Expressions that cannot be read, and names in them that nothing has."""
    for site in sites(spec):
        try:
            tree = expressions.parse(site.text)
        except ExpressionError as error:
            yield Problem(site.where(error.column), "expression", str(error), error.hint)
            continue
        for name in expressions.names(tree):
            yield from _value(spec, site, name)
        for function, name in expressions.measured(tree):
            yield from _measured(site, function, name)
        for part in expressions.walk(tree):
            yield from _choices(site, part)


_WORDS = {
    "rest": ("'rest' is no number", "only size: rest and repeat: rest take what is left, and they stand alone"),
    "record": ("'record' has no value", "size(record) is how many bytes it has"),
}
_LENGTH = "a length is a number, or follows from numbers of the header, as in 4 + body_length"


def _value(spec: Spec, site: Site, name: Name) -> Iterator[Problem]:
    if name.name in site.values:
        return
    at = site.where(name.column)
    around = site.around.get(name.name, ())
    if name.name in _WORDS:
        what, hint = _WORDS[name.name]
        yield Problem(at, "expression", what, _LENGTH if site.key == "length" else hint)
    elif not around:
        hint = _unknown_hint(spec, site, name.name)
        yield Problem(at, "expression", f"unknown name {name.name!r}", hint)
    elif all(_is_section(seen) for seen in around):
        what, hint = f"{name.name!r} is a section and has no value", f"size({name.name}) is how many bytes it has"
        yield Problem(at, "expression", what, hint)


def _unknown_hint(spec: Spec, site: Site, name: str) -> str:
    choices = {choice for parameter in spec.protocol.parameters for choice in parameter.choices}
    if name in choices or site.wants is Kind.TEXT:
        return f"text stands in quotes: '{name}'"
    for enum in spec.enums.values():
        for value in enum.values:
            if value.name == name and value.value is not None:
                return f"write the number: {name} is {value.value} in {enum.name}"
    return _out_of_reach(spec, site, name) or closest(name, (*site.values, *site.around))


def _out_of_reach(spec: Spec, site: Site, name: str) -> str:
    """Why a field of that name cannot be asked for here, and what to do."""
    for visit in site.scope.visits:
        field = visit.item
        if isinstance(field, syntax.Field) and field.repeat is None and name in _names_in(spec, field.type):
            hint = f"to ask for it, include: {field.type} in its place"
            return f"it is inside {field.name!r}, and expressions do not look into structs; {hint}"
    if isinstance(site.scope.owner, syntax.Type):
        inner = site.scope.owner.name
        if any(inner in _types(scope) and name in {visit.name for visit in scope.visits} for scope in every(spec)):
            hint = "move it into the type, or include: the type there"
            return f"it stands beside the {inner}, which sees only its own fields and the header's; {hint}"
    return ""


def _names_in(spec: Spec, type_name: str) -> set[str | None]:
    fields = spec.types[type_name].fields if type_name in spec.types else ()
    return {visit.name for visit in walk(spec, fields)}


def _types(scope: Scope) -> set[str]:
    """The types of a scope's fields."""
    return {visit.item.type for visit in scope.visits if isinstance(visit.item, syntax.Field)}


def _is_section(seen: Visit | syntax.Parameter) -> bool:
    return isinstance(seen, Visit) and isinstance(seen.item, syntax.Section)


def _measured(site: Site, function: str, name: Name) -> Iterator[Problem]:
    if site.moment is Moment.FRAMING:
        return
    at, call = site.where(name.column), f"{function}({name.name})"
    around = site.around.get(name.name) or site.values.get(name.name, ())
    if function in ("size", "offset") and isinstance(site.scope.owner, syntax.Type):
        if name.name == "record" or (around and all(seen in site.scope.header for seen in around)):
            hint = "declare the field where the type is used, or take what it needs from a header field's value"
            yield Problem(at, "expression", f"a type knows no {call}: it can measure only its own fields", hint)
            return
    elif function in ("size", "offset") and name.name == "record":
        return
    fields = [seen.item for seen in around if isinstance(seen, Visit) and not _is_section(seen)]
    if not around:
        known = (*site.around, *(("record",) if function in ("size", "offset") else ()))
        yield Problem(at, "expression", f"{function}() of unknown {name.name!r}", closest(name.name, known))
    elif function in ("count", "present"):
        if not fields:
            kind = "section" if _is_section(around[0]) else "parameter"
            yield Problem(at, "expression", f"{name.name!r} is a {kind}, and {function}() is about fields")
        elif function == "count" and not any(isinstance(f, syntax.Field) and f.repeat is not None for f in fields):
            hint = f"size({name.name}) is how many bytes it has"
            yield Problem(at, "expression", f"{name.name!r} is no list to count", hint)
    elif any(isinstance(field, syntax.Field) and field.compute is not None for field in fields):
        yield Problem(at, "expression", f"{name.name!r} is computed and not in the bytes, so there is no {call}")
    elif isinstance(around[0], syntax.Parameter):
        yield Problem(at, "expression", f"{name.name!r} is a parameter, so there is no {call}")


def _choices(site: Site, part: Expr) -> Iterator[Problem]:
    match part:
        case Compare(_, Name() as name, Value(value=str() as value)):
            values: tuple[str, ...] = (value,)
        case Compare(_, Value(value=str() as value), Name() as name):
            values = (value,)
        case Among(Name() as name, choices):
            values = tuple(c.value for c in choices if isinstance(c, Value) and isinstance(c.value, str))
        case _:
            return
    for seen in site.values.get(name.name, ()):
        if isinstance(seen, syntax.Parameter) and seen.choices:
            for value in values:
                if value not in seen.choices:
                    what = f"{name.name} is never {value!r}"
                    yield Problem(site.where(name.column), "expression", what, closest(value, seen.choices))
