"""Who uses a type gives it all that it asks for, and nothing else.

The expressions of a type see its own fields, the record's header and the parameters. What else they need the type says
under ``given``, and each field with that type says under ``with`` what it is there. So a type can be read by itself,
and stands wherever somebody has what it needs. That may be a struct or a list, the same one or one of the same type
wherever the type is used. An ``include`` gives nothing: the names must be there.

Bad::

    types:
      - name: Entry
        given: [form]
        fields:
          - {name: number, type: u8, when: form > 1}
    sections:
      body:
        - {name: entry, type: Entry}

Good::

    types:
      - name: Entry
        given: [form]
        fields:
          - {name: number, type: u8, when: form > 1}
    sections:
      body:
        - {name: entry, type: Entry, with: {form: version}}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import Input, Item, nodes, walk
from wireloom_generator.analysis.sites import given_fields, sites
from wireloom_generator.expressions import Name
from wireloom_generator.expressions.kinds import WIDE, Kind
from wireloom_generator.model import Named, Resolved
from wireloom_generator.problems import Problem, closest
from wireloom_generator.types import Struct, Unknown


def check(spec: Resolved) -> Iterator[Problem]:
    """Values that are not given, or that nobody asks for."""
    for struct in (struct for part in spec.shared for struct in part.structs):
        yield from _declared(struct)
    for node in nodes(spec):
        if isinstance(node, model.Field):
            yield from _used(spec, node)
    yield from _unlike(spec)


def _unlike(spec: Resolved) -> Iterator[Problem]:
    """Structs and lists that are not of the type that they are where the type is used first."""
    first: dict[Input, str] = {}
    for site in sites(spec):
        told, tree = site.input, site.tree
        if told is None or not isinstance(tree, Name):
            continue
        is_item = tree.item is not None and not tree.item.inner
        for shape in sorted({_shape(field.item, is_item) for field in site.fields(tree, given_fields(spec))} - {""}):
            if site.wants is site.kind(tree) and shape != first.setdefault(told, shape):
                what = f"{told.struct} is given {told.name!r} as {shape}, and elsewhere as {first[told]}"
                yield Problem(site.at, "given", what, "what is looked up in it must be there wherever the type is used")


def _shape(item: Item, is_item: bool) -> str:
    """What a struct or a list has in it, or an item of it; empty for one value."""
    kind = (item.item_kind if is_item else item.kind) if isinstance(item, Named) else None
    if not isinstance(item, Named) or kind not in WIDE:
        return ""
    if not isinstance(item.type, Struct):
        return f"a list with {item.item_kind} each"
    return f"a list of {item.type.word}" if kind is Kind.LIST else item.type.word


def _declared(struct: model.Struct) -> Iterator[Problem]:
    own = {visit.name for visit in walk(struct.nodes)}
    seen: set[str] = set()
    for name in struct.given:
        if name in seen:
            yield Problem(struct.where("given"), "given", f"{struct.name} is given {name!r} twice")
        elif name in own:
            what = f"{struct.name} is given {name!r}, and has a field of that name"
            yield Problem(struct.where("given"), "given", what, "call one of them something else")
        seen.add(name)


def _used(spec: Resolved, field: model.Field) -> Iterator[Problem]:
    if isinstance(field.type, Unknown):
        return
    struct = spec.structs.get(field.type.word) if isinstance(field.type, Struct) else None
    asked = struct.given if struct is not None else ()
    for name in field.inputs:
        if name not in asked:
            at = field.where(f"with.{name}")
            if struct is None:
                yield Problem(at, "given", f"{field.name!r} is {field.kind}, and only a type is given values")
            else:
                hint = closest(name, asked) if asked else f"a type says what it is given: given: [{name}]"
                yield Problem(at, "given", f"{struct.name} is not given {name!r}", hint)
    for name in dict.fromkeys(asked):
        if name not in field.inputs:
            what, hint = f"{field.type.word} is given {name!r}, and not here", f"write with: {{{name}: …}}"
            yield Problem(field.where("type"), "given", what, hint)
