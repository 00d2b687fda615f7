"""The columns that a struct will have, each with the place in the spec that it comes from."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from wireloom_generator import model
from wireloom_generator.analysis.scopes import Scope, Visit, walk
from wireloom_generator.model import Named, Resolved
from wireloom_generator.problems import Location


class Sort(StrEnum):
    """Why there is a column."""

    FIELD = "field"
    NAME = "label column"
    FLAGS = "flags column"
    RAW = "raw column"
    TRAILING = "trailing column"
    VARIANT = "variant column"
    PARAMETER = "parameter"


@dataclass(frozen=True, slots=True, eq=False)
class WrittenColumn:
    """A column. ``visit`` is the node it comes from; columns of parameters, variants, whole records and left-over
    bytes of slots have none.
    """

    name: str
    sort: Sort
    at: Location
    visit: Visit | None = None

    @property
    def described(self) -> str:
        """Its description in messages."""
        owner = self.visit.name if self.visit else None
        match self.sort:
            case Sort.FIELD | Sort.TRAILING | Sort.PARAMETER:
                return f"{self.sort} {self.name!r}"
            case Sort.VARIANT:
                return "the variant column"
            case Sort.NAME | Sort.FLAGS | Sort.RAW:
                return f"{self.sort} {self.name!r} of {'the record' if owner is None else repr(owner)}"


def columns(spec: Resolved, scope: Scope) -> Iterator[WrittenColumn]:
    """The columns of a struct: those of a record or a message besides its fields, then the fields' in the order of
    reading.

    If several alternatives have a column, it is listed once for each.
    """
    for parameter in spec.protocol.parameters if isinstance(scope.owner, model.Record) else ():
        if parameter.column:
            yield WrittenColumn(parameter.name, Sort.PARAMETER, parameter.where("name"))
    if isinstance(scope.owner, model.Message):
        if scope.owner.variants:
            yield WrittenColumn("variant", Sort.VARIANT, scope.owner.where("variants"))
        for slot in spec.record.slots:
            if slot.trailing is not None and slot.name in scope.owner.trailing:
                yield WrittenColumn(slot.trailing, Sort.TRAILING, slot.where("trailing"))
    for visit in scope.visits:
        yield from _of(visit)
    match scope.owner:
        case model.Record(end=model.BetweenFlags() as between):
            yield WrittenColumn(between.raw, Sort.RAW, between.where("raw"))
        case model.Record(end=model.Terminator(raw=str() as raw)) as record:
            yield WrittenColumn(raw, Sort.RAW, record.where("raw"))


def inner_columns(spec: Resolved, struct: model.Struct) -> Iterator[WrittenColumn]:
    """The columns of a shared struct."""
    return columns(spec, Scope(struct, walk(struct.nodes)))


def _of(visit: Visit) -> Iterator[WrittenColumn]:
    item = visit.item
    if isinstance(item, Named):
        for column in item.columns:
            sort, key = _reason(item, column)
            yield WrittenColumn(column.name, sort, item.where(key), visit)
    elif isinstance(item, model.Section):
        if item.trailing is not None:
            yield WrittenColumn(item.trailing, Sort.TRAILING, item.where("trailing"), visit)
        if item.through is not None and item.through.raw is not None:
            yield WrittenColumn(item.through.raw, Sort.RAW, item.where("raw"), visit)


def _reason(item: Named, column: model.Column) -> tuple[Sort, str]:
    """Why the field has the column, and the key for it."""
    if column is item.columns[0]:
        return Sort.FIELD, "name"
    if not column.label:
        return Sort.RAW, "raw"
    return (Sort.NAME, "enum") if item.enum is not None else (Sort.FLAGS, "flags")
