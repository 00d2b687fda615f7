"""No two columns of a struct have one name, in any case.

Spark does not tell ``Key`` from ``key``: a query for either would be refused as ambiguous. Beside its fields a struct
has a column ``<name>_name`` for each enum and ``<name>_flags`` for each set of flags, one for what a section leaves
over (``trailing``) and one for the bytes of each FlatBuffers table (``raw``). A message's columns stand beside the
header's when it is read alone, and messages are columns themselves, as are parameters with ``column: true``.

Bad::

    - {name: status, type: u16, enum: Status}
    - {name: status_name, type: text, size: rest}

Good::

    - {name: status, type: u16, enum: Status, labels: false}
    - {name: status_name, type: text, size: rest}
"""

from collections.abc import Iterable, Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import every, head
from wireloom_generator.analysis.written_columns import Sort, WrittenColumn, columns
from wireloom_generator.model import Resolved
from wireloom_generator.naming import ROW
from wireloom_generator.problems import Problem, seen_from


def check(spec: Resolved) -> Iterator[Problem]:
    """Columns of one name."""
    header = list(columns(spec, head(spec)))
    for scope in every(spec):
        beside = header if isinstance(scope.owner, model.Message) else ()
        own = list(columns(spec, scope))
        yield from _clashes(own, beside)
        if not isinstance(scope.owner, model.Struct):
            yield from _taken(own)
    by_name = {column.name.casefold(): column for column in header}
    for message in spec.messages:
        taken = by_name.get(message.name.casefold())
        if taken is not None:
            at = message.where("message")
            what = f"message {message.name!r} would be a column beside {taken.described}, {seen_from(at, taken.at)}"
            yield Problem(at, "column-collision", what)


def _clashes(own: Iterable[WrittenColumn], header: Iterable[WrittenColumn]) -> Iterator[Problem]:
    known: dict[str, list[WrittenColumn]] = {}
    for column in header:
        known.setdefault(column.name.casefold(), []).append(column)
    for column in own:
        earlier = known.setdefault(column.name.casefold(), [])
        first = next((other for other in earlier if _clash(column, other)), None)
        earlier.append(column)
        if first is not None:
            what = f"{column.described} collides with {first.described}, {seen_from(column.at, first.at)}"
            hint = "labels: false leaves label columns out" if Sort.NAME in (column.sort, first.sort) else ""
            yield Problem(column.at, "column-collision", what, hint)


def _clash(column: WrittenColumn, other: WrittenColumn) -> bool:
    """Whether two columns of one name cannot be one column; two fields of one name are another rule's concern."""
    if column.sort is Sort.FIELD and other.sort in (Sort.FIELD, Sort.PARAMETER):
        return column.name != other.name
    if column.visit is None or other.visit is None or column.sort is not other.sort:
        return True
    return column.visit.meets(other.visit) and column.visit.name != other.visit.name


def _taken(own: list[WrittenColumn]) -> Iterator[Problem]:
    has_variants = any(column.sort is Sort.VARIANT for column in own)
    for column in own:
        if column.name in ROW or (column.name == "variant" and not has_variants):
            yield Problem(column.at, "column-collision", f"{column.name!r} is a column that rows have already")
