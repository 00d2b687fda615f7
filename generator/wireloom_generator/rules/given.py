"""Who uses a type gives it all that it asks for, and nothing else.

The expressions of a type see its own fields, the record's header and the parameters. What else they need the type says
under ``given``, and each field with that type says under ``with`` what it is there. So a type can be read by itself,
and stands wherever somebody has what it needs. An ``include`` gives nothing: the names must be there.

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
from wireloom_generator.analysis.scopes import nodes, walk
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, closest
from wireloom_generator.types import Struct, Unknown


def check(spec: Resolved) -> Iterator[Problem]:
    """Values that are not given, or that nobody asks for."""
    for struct in (struct for part in spec.shared for struct in part.structs):
        yield from _declared(struct)
    for node in nodes(spec):
        if isinstance(node, model.Field):
            yield from _used(spec, node)


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
