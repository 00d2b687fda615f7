"""Every expression of a spec: its text, where it stands, when it is asked for and what it can see then."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from itertools import chain

from wireloom_generator import expressions, syntax
from wireloom_generator.expressions import Expr
from wireloom_generator.problems import Location
from wireloom_generator.scopes import Scope, Visit, every, once, recursive, until_slot, walk
from wireloom_generator.spec import Spec
from wireloom_generator.wiretypes import PLAIN, Kind, kind

Seen = Visit | syntax.Parameter
Names = Mapping[str, tuple[Seen, ...]]
"""What a name may stand for: several fields if they are alternatives."""


class Moment(Enum):
    """When an expression is asked for."""

    FRAMING = auto()
    """Before the record is read: to find its length, or to believe it."""
    READING = auto()
    """While the record is read, at the place of the entry."""
    WHOLE = auto()
    """When the whole record has been read, and again when it has been written."""
    FILLING = auto()
    """On encode alone, for a value that was not given."""


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """An expression, under ``key`` of an entry.

    ``values`` are the names whose values are known when it is asked for, ``regions`` what has a size and an offset
    then, ``around`` all that has a name in its scope, known or not. ``visit`` is the entry; what is not asked of an
    entry has none.
    """

    text: str
    at: Location
    key: str
    wants: Kind | None
    moment: Moment
    values: Names
    regions: Names
    around: Names
    scope: Scope
    visit: Visit | None = None

    def where(self, column: int = 0) -> Location:
        """The place of the expression's ``column``, if it is written in one line as it is; else where it begins."""
        text = self.text.strip()
        try:
            line = self.at.path.read_text(encoding="utf-8").split("\n")[self.at.line - 1][self.at.column - 1 :]
        except (OSError, IndexError):
            return self.at
        start = (1 if line[:1] in ("'", '"') else 0) + len(self.text) - len(self.text.lstrip())
        if not line[start:].startswith(text):
            return self.at
        characters = len(text.encode()[:column].decode(errors="ignore"))
        return Location(self.at.path, self.at.line, self.at.column + start + characters)


@cache
def parsed(text: str) -> Expr | None:
    """The expression's tree; None if it is not one."""
    try:
        return expressions.parse(text)
    except expressions.ExpressionError:
        return None


def constant(text: str) -> int | None:
    """The number that an expression is, if it is nothing but one."""
    match parsed(text):
        case expressions.Value(value=bool()):
            return None
        case expressions.Value(value=int() as value):
            return value
        case expressions.Unary("-", expressions.Value(value=int() as value)):
            return -value
        case _:
            return None


@once
def sites(spec: Spec) -> tuple[Site, ...]:
    """Every expression that records, messages and the types they use have; a type's once for each way it is used."""
    return tuple(site for scope in every(spec) for site in _Sites(spec, scope).all() if site is not None)


class _Sites:
    """The expressions of one scope."""

    def __init__(self, spec: Spec, scope: Scope) -> None:
        self.spec = spec
        self.scope = scope

    def all(self) -> Iterator[Site | None]:
        for visit in self.scope.visits:
            yield from self.entry(visit)
        owner = self.scope.owner
        if isinstance(owner, syntax.Type):
            return
        yield self.framing(owner, "length", owner.length, Kind.NUMBER)
        if owner.proof is not None:
            yield self.framing(owner.proof, "valid", owner.proof.valid, Kind.CONDITION)
        if isinstance(owner, syntax.Message):
            yield self.message(owner, "valid", owner.valid)
            yield self.message(owner, "otherwise", owner.otherwise)
            for number, variant in enumerate(owner.variants):
                yield self.variant(variant)
                yield self.message(variant, "valid", variant.valid, number)

    def entry(self, visit: Visit) -> Iterator[Site | None]:
        match visit.item:
            case syntax.Field() as field:
                yield from self.field(visit, field)
            case syntax.BitField() as bit:
                yield self.reading(visit, bit, "valid", bit.valid, Kind.CONDITION, itself=True)
                yield self.whole(visit, bit, "derive", bit.derive, kind(bit))
                yield self.default(visit, bit)
            case syntax.Section() as section:
                yield self.reading(visit, section, "size", section.size, Kind.NUMBER)
            case syntax.Choice(choice=alternatives):
                for alternative in alternatives:
                    yield self.reading(visit, alternative, "when", alternative.when, Kind.CONDITION)
            case _:
                pass

    def field(self, visit: Visit, field: syntax.Field) -> Iterator[Site | None]:
        own = _plain(field)
        yield self.reading(visit, field, "when", field.when, Kind.CONDITION)
        yield self.reading(visit, field, "size", field.size, Kind.NUMBER)
        yield self.reading(visit, field, "valid", field.valid, Kind.CONDITION, itself=True)
        yield self.reading(visit, field, "compute", field.compute, own)
        yield self.whole(visit, field, "derive", field.derive, own)
        yield self.default(visit, field)
        if field.checksum is not None:
            yield self.whole(visit, field.checksum, "from", field.checksum.start, Kind.NUMBER)
            yield self.whole(visit, field.checksum, "to", field.checksum.end, Kind.NUMBER)
        if isinstance(field.repeat, syntax.Repeat):
            yield self.reading(visit, field.repeat, "count", field.repeat.count, Kind.NUMBER)
            yield self.until(visit, field, field.repeat)

    def reading(
        self, visit: Visit, node: syntax.Written, key: str, text: str | None, wants: Kind | None, itself: bool = False
    ) -> Site | None:
        """An expression asked for where its entry is read; ``itself``: when the entry and its run are."""
        if text is None or (key == "size" and text == "rest"):
            return None

        def known(other: Visit) -> bool:
            return other.order < visit.order or (itself and (other is visit or other.run == visit.run))

        own = [other for other in self.scope.visits if other.meets(visit)]
        before = [other for other in own if known(other)]
        header = [] if self.is_record else list(self.scope.header_at(visit))
        values, regions = self.named([*before, *header]), self.regions([*before, *header])
        around = _by_name([*own, *self.scope.header])
        return Site(text, node.where(key), key, wants, Moment.READING, values, regions, around, self.scope, visit)

    def whole(
        self,
        visit: Visit,
        node: syntax.Written,
        key: str,
        text: str | None,
        wants: Kind | None,
        moment: Moment = Moment.WHOLE,
    ) -> Site | None:
        """An expression asked for when everything is known."""
        if text is None:
            return None
        own = [other for other in self.scope.visits if other.meets(visit)]
        values, regions = self.named([*own, *self.scope.header]), self.regions([*own, *self.scope.header])
        around = _by_name([*own, *self.scope.header])
        return Site(text, node.where(key), key, wants, moment, values, regions, around, self.scope, visit)

    def default(self, visit: Visit, field: syntax.Field | syntax.BitField) -> Site | None:
        wants = _plain(field)
        text = field.default if isinstance(field.default, str) and wants is not None else None
        return self.whole(visit, field, "default", text, wants, Moment.FILLING)

    def until(self, visit: Visit, field: syntax.Field, repeat: syntax.Repeat) -> Site | None:
        """The condition that ends a list; it is about an item."""
        item = self.spec.types.get(field.type)
        if repeat.until is None or item is None or item.name in recursive(self.spec):
            return None
        header = self.scope.header_at(visit)
        scope = Scope(item, walk(self.spec, item.fields), header)
        values, at = self.named([*scope.visits, *header]), repeat.where("until")
        around = _by_name([*scope.visits, *header])
        return Site(repeat.until, at, "until", Kind.CONDITION, Moment.READING, values, {}, around, scope)

    def variant(self, variant: syntax.Variant) -> Site | None:
        """The condition of a variant: what all of them share is known as far as the section that is decisive."""
        if variant.when is None:
            return None
        before = [other for other in self.scope.visits[: self.scope.decided] if not other.in_variant]
        header = until_slot(self.scope.header, self.scope.decisive)
        values, regions = self.named([*before, *header]), self.regions([*before, *header])
        around, at = _by_name([*self.scope.visits, *self.scope.header]), variant.where("when")
        return Site(variant.when, at, "when", Kind.CONDITION, Moment.READING, values, regions, around, self.scope)

    def message(self, node: syntax.Written, key: str, text: str | None, number: int | None = None) -> Site | None:
        """What must hold of a whole message, or of its variant of that number."""
        if text is None:
            return None
        own = [
            visit
            for visit in self.scope.visits
            if number is None or not visit.in_variant or visit.branch[0].index == number
        ]
        values, regions = self.named([*own, *self.scope.header]), self.regions([*own, *self.scope.header])
        around, at = _by_name([*self.scope.visits, *self.scope.header]), node.where(key)
        return Site(text, at, key, Kind.CONDITION, Moment.WHOLE, values, regions, around, self.scope)

    def framing(self, node: syntax.Written, key: str, text: str | None, wants: Kind) -> Site | None:
        """What is asked before the record is read: it sees what does not depend on the variant."""
        if text is None:
            return None
        values = self.named([*(v for v in self.scope.visits if not v.in_variant), *self.scope.header])
        around = _by_name([*self.scope.visits, *self.scope.header])
        return Site(text, node.where(key), key, wants, Moment.FRAMING, values, {}, around, self.scope)

    def named(self, visits: Iterable[Visit]) -> Names:
        """The fields among ``visits`` by name, and the parameters."""
        fields = (visit for visit in visits if isinstance(visit.item, syntax.Field | syntax.BitField))
        return _by_name(chain(fields, self.spec.protocol.parameters))

    def regions(self, visits: Iterable[Visit]) -> Names:
        """Those among ``visits`` that have a size; of a type only its own, since a header's are not at hand there."""
        own = self.scope.visits if isinstance(self.scope.owner, syntax.Type) else None
        return _by_name(visit for visit in visits if visit.name and (own is None or visit in own))

    @property
    def is_record(self) -> bool:
        return isinstance(self.scope.owner, syntax.Record)


def _plain(field: syntax.Field | syntax.BitField) -> Kind | None:
    """What an expression for the field's value must be; None if there can be none."""
    own = kind(field)
    return own if own in PLAIN else None


def _by_name(seen: Iterable[Seen]) -> Names:
    found: dict[str, list[Seen]] = {}
    for item in seen:
        if (name := item.name) is not None:
            found.setdefault(name, []).append(item)
    return {name: tuple(items) for name, items in found.items()}
