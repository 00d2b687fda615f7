"""The columns that a struct of a spec will have, each with the place that asks for it."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from wireloom_generator.analysis.scopes import Scope, Visit, is_slot, slots
from wireloom_generator.problems import Location
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec


class Sort(StrEnum):
    """Why a column is there."""

    FIELD = "field"
    NAME = "label column"
    FLAGS = "flags column"
    RAW = "raw column"
    TRAILING = "trailing column"
    VARIANT = "variant column"
    PARAMETER = "parameter"


@dataclass(frozen=True, slots=True, eq=False)
class WrittenColumn:
    """A column. ``visit`` is the entry it comes from; a parameter, the variant and what a slot leaves have none."""

    name: str
    sort: Sort
    at: Location
    visit: Visit | None = None

    @property
    def described(self) -> str:
        """It in words."""
        owner = self.visit.name if self.visit else None
        match self.sort:
            case Sort.FIELD | Sort.TRAILING | Sort.PARAMETER:
                return f"{self.sort} {self.name!r}"
            case Sort.VARIANT:
                return "the column that tells the variant"
            case _:
                return f"{self.sort} {self.name!r} of {owner!r}"


def columns(spec: Spec, scope: Scope) -> Iterator[WrittenColumn]:
    """The columns of a struct: what a record or a message has beside its fields, then these in the order of reading.

    A column that several alternatives have comes once for each.
    """
    message = scope.owner if isinstance(scope.owner, syntax.Message) else None
    for parameter in spec.protocol.parameters if isinstance(scope.owner, syntax.Record) else ():
        if parameter.column:
            yield WrittenColumn(parameter.name, Sort.PARAMETER, parameter.where("name"))
    if message is not None and message.variants:
        yield WrittenColumn("variant", Sort.VARIANT, message.where("variants"))
    if message is not None:
        for slot in slots(spec):
            if slot.trailing is not None and not _exhausted(scope, message, slot.section):
                yield WrittenColumn(slot.trailing, Sort.TRAILING, slot.where("trailing"))
    for visit in scope.visits:
        if not (isinstance(scope.owner, syntax.Record) and is_slot(visit)):
            yield from _of(visit)


def _of(visit: Visit) -> Iterator[WrittenColumn]:
    match visit.item:
        case syntax.Field() as field:
            yield WrittenColumn(field.name, Sort.FIELD, visit.at, visit)
            if field.labels and field.repeat is None and field.enum is not None:
                yield WrittenColumn(f"{field.name}_name", Sort.NAME, field.where("enum"), visit)
            elif field.labels and field.repeat is None and field.flags is not None:
                yield WrittenColumn(f"{field.name}_flags", Sort.FLAGS, field.where("flags"), visit)
            if field.raw is not None:
                yield WrittenColumn(field.raw, Sort.RAW, field.where("raw"), visit)
        case syntax.BitField() as bit:
            yield WrittenColumn(bit.name, Sort.FIELD, visit.at, visit)
            if bit.labels and bit.enum is not None:
                yield WrittenColumn(f"{bit.name}_name", Sort.NAME, bit.where("enum"), visit)
        case syntax.Section(trailing=str() as trailing) as section:
            yield WrittenColumn(trailing, Sort.TRAILING, section.where("trailing"), visit)
        case _:
            pass


def _exhausted(scope: Scope, message: syntax.Message, slot: str) -> bool:
    """Whether the fields of a section take all its bytes in every case, so that nothing can be left over."""
    inside = [
        visit for visit in scope.visits if visit.sections == (slot,) and not isinstance(visit.item, syntax.BitField)
    ]
    shared = [visit for visit in inside if not visit.branch]
    if shared and _takes_rest(shared[-1]):
        return True
    if not message.variants or message.variants[-1].when is not None:
        return False
    last = {visit.branch[0].index: visit for visit in inside if visit.in_variant}
    return len(last) == len(message.variants) and all(map(_takes_rest, last.values()))


def _takes_rest(visit: Visit) -> bool:
    field = visit.item
    if not isinstance(field, syntax.Field) or len(visit.branch) > 1 or field.when or field.tail:
        return False
    return field.repeat == "rest" or (field.size == "rest" and field.type in ("bytes", "text", "flatbuffers"))
