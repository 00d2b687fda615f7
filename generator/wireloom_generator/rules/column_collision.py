"""No two columns of a struct have one name, in any case.

Spark does not tell ``Key`` from ``key``. Beside its fields a struct has a column ``<name>_name`` for each enum and
``<name>_flags`` for each set of flags, one for what a section leaves over (``trailing``) and one for the bytes of each
FlatBuffers table (``raw``). A message's columns stand beside the header's when it is read alone, and messages are
columns themselves.

Bad::

    - {name: status, type: u16, enum: Status}
    - {name: status_name, type: text, size: rest}

Good::

    - {name: status, type: u16, enum: Status, labels: false}
    - {name: status_name, type: text, size: rest}
"""

from collections.abc import Iterable, Iterator

from wireloom_generator import syntax
from wireloom_generator.columns_written import Made, made
from wireloom_generator.naming import ROW
from wireloom_generator.problems import Problem, seen_from
from wireloom_generator.scopes import every, head, messages
from wireloom_generator.spec import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Columns of one name."""
    header = [*made(spec, head(spec)), *_recorded(spec)]
    for scope in every(spec):
        if isinstance(scope.owner, syntax.Message):
            yield from _clashes(made(spec, scope), header)
        elif isinstance(scope.owner, syntax.Record):
            yield from _clashes(header)
        else:
            yield from _clashes(made(spec, scope))
    by_name = {column.name.casefold(): column for column in header}
    for message in spec.messages:
        taken = by_name.get(message.message.casefold())
        if taken is not None:
            at = message.where("message")
            what = f"message {message.message!r} would be a column beside {taken.what}, {seen_from(at, taken.at)}"
            yield Problem(at, "column-collision", what)
    for scope in (head(spec), *messages(spec)):
        for column in made(spec, scope):
            if column.at is not None and (column.name in ROW or (column.name == "variant" and column.sort != "variant")):
                yield Problem(column.at, "column-collision", f"{column.name!r} is a column that rows have already")
