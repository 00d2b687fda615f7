"""Rules about columns of tables: their names and types."""

from collections.abc import Iterable, Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import every, fields, head
from wireloom_generator.analysis.written_columns import Sort, WrittenColumn, columns
from wireloom_generator.model import Resolved
from wireloom_generator.naming import ROW
from wireloom_generator.problems import Violation, seen_from
from wireloom_generator.types import Integer, whole


def column_collision(spec: Resolved) -> Iterator[Violation]:
    """Reports columns with the same name."""
    header = list(columns(spec, head(spec)))
    for scope in every(spec):
        beside = header if isinstance(scope.owner, model.Message) else ()
        own = list(columns(spec, scope))
        yield from _clashes(own, beside)
        if not isinstance(scope.owner, model.Struct):
            yield from _reserved(own)
    by_name = {column.name.casefold(): column for column in header}
    for message in spec.messages:
        taken = by_name.get(message.name.casefold())
        if taken is not None:
            at = message.where("message")
            what = f"message {message.name!r} would be a column beside {taken.described}, {seen_from(at, taken.at)}"
            yield Violation(at, what)


def _clashes(own: Iterable[WrittenColumn], header: Iterable[WrittenColumn]) -> Iterator[Violation]:
    known: dict[str, list[WrittenColumn]] = {}
    for column in header:
        known.setdefault(column.name.casefold(), []).append(column)
    for column in own:
        earlier = known.setdefault(column.name.casefold(), [])
        first = next((other for other in earlier if _clash(column, other)), None)
        earlier.append(column)
        if first is not None:
            what = f"{column.described} collides with {first.described}, {seen_from(column.at, first.at)}"
            hint = "labels: false omits label columns" if Sort.NAME in (column.sort, first.sort) else ""
            yield Violation(column.at, what, hint)


def _clash(column: WrittenColumn, other: WrittenColumn) -> bool:
    """Whether two columns of the same name collide; another rule reports two fields of the same name."""
    if column.sort is Sort.FIELD and other.sort in (Sort.FIELD, Sort.PARAMETER):
        return column.name != other.name
    if column.visit is None or other.visit is None or column.sort is not other.sort:
        return True
    return column.visit.meets(other.visit) and column.visit.name != other.visit.name


def _reserved(own: list[WrittenColumn]) -> Iterator[Violation]:
    has_variants = any(column.sort is Sort.VARIANT for column in own)
    for column in own:
        if column.name in ROW or (column.name == "variant" and not has_variants):
            yield Violation(column.at, f"{column.name!r} is a column of every row")


def table_type(spec: Resolved) -> Iterator[Violation]:
    """Reports table types that are unknown or have no effect."""
    for node in fields(spec):
        if not isinstance(node, model.Field) or not node.gives("table_type"):
            continue
        at, unknown = node.where("table_type"), node.stray.get("table_type")
        if unknown is not None:
            yield Violation(at, f"unknown table type {unknown!r}", "write long or decimal, for a u64")
        elif whole(node.type) != Integer(64, signed=False):
            yield Violation(at, f"{node.type.word} needs no table type", "only a u64 can have one")
        elif node.repeat is not None:
            yield Violation(at, "a list cannot have a table type", "put the u64 into a type, and repeat that")
