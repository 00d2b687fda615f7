"""All expressions of a spec, each with its text, its place, when it is evaluated, and the names that it can use."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import assert_never

from wireloom_generator import expressions, model
from wireloom_generator.analysis.scopes import Input, Scope, Seen, Visit, every, fields_of, once, until_slot, walk
from wireloom_generator.analysis.visible import Sight, VisibleNames
from wireloom_generator.expressions import INDEX, LEFT, Expr, Name, orders
from wireloom_generator.expressions.kinds import PLAIN, WIDE, Kind, kind
from wireloom_generator.model import Condition, Named, Resolved
from wireloom_generator.problems import Location
from wireloom_generator.types import Unknown, parse


class Moment(Enum):
    """When an expression is evaluated."""

    FRAMING = auto()
    """Before the record is read, to find its length or to prove it."""
    READING = auto()
    """While the record is read, at the node."""
    WHOLE = auto()
    """After the whole record was read, and after it was written."""
    FILLING = auto()
    """On encode only, for a value that was not given."""


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """An expression, under ``key`` of a node.

    ``values`` are the names whose values are known when it is evaluated, ``regions`` those with a size and an offset
    then, ``around`` all names in its scope, known or not. ``visit`` is the node, if it belongs to one.
    """

    condition: Condition
    key: str
    wants: Kind | None
    moment: Moment
    values: Mapping[str, tuple[Seen, ...]]
    regions: Mapping[str, tuple[Seen, ...]]
    around: VisibleNames
    scope: Scope
    input_kinds: Mapping[Input, Kind]
    visit: Visit | None = None

    @property
    def at(self) -> Location:
        """Its place."""
        return self.condition.at

    @property
    def input(self) -> Input | None:
        """The input that it passes, if it is under ``with``."""
        field = self.visit.item if self.visit is not None else None
        if self.key != "with" or not isinstance(field, model.Field):
            return None
        name = next(name for name, condition in field.inputs.items() if condition is self.condition)
        return Input(field.type.word, name)

    @property
    def tree(self) -> Expr | None:
        """Its tree as written; for a byte order, the condition under which it is little endian; for a compression, with
        the names of compressions as texts. None if it cannot be parsed or is not an expression.
        """
        tree = self.condition.tree
        if tree is not None and self.key in ("through", "unescape"):
            return orders.named(tree)
        return orders.little(tree) if tree is not None and self.key == "byte_order" else tree

    @property
    def names(self) -> tuple[str, ...]:
        """The names whose values it uses."""
        return tuple(name.name for name in expressions.names(self.tree)) if self.tree is not None else ()

    @property
    def inputs(self) -> set[Input]:
        """The inputs of the type whose values, fields or items it uses."""
        mentioned = expressions.walk(self.tree) if self.tree is not None else ()
        firsts = {name.steps[0] for name in mentioned if isinstance(name, Name)}
        return {seen for first in firsts for seen in self.values.get(first, ()) if isinstance(seen, Input)}

    @property
    def used(self) -> Iterator[Seen]:
        """What these names refer to."""
        return (seen for name in self.names for seen in self.values.get(name, ()))

    def where(self, column: int = 0) -> Location:
        """The place of its ``column``."""
        return self.condition.where(column)

    def is_left(self, name: Name) -> bool:
        """Whether the name stands for the bytes left in the section."""
        return name.name in LEFT and not self._is_known(name)

    def is_index(self, name: Name) -> bool:
        """Whether the name stands for the number of an item."""
        return name.name == INDEX and not self._is_known(name)

    def _is_known(self, name: Name) -> bool:
        """Whether something has the name, which then hides a word of the language."""
        return name.name in self.around or name.name in self.values

    def fields(self, name: Name, given: Mapping[Input, tuple[Visit, ...]]) -> Iterator[Visit]:
        """The fields of a name, also through the inputs of the type."""
        for seen in self.values.get(name.name, ()):
            if isinstance(seen, Input):
                yield from given.get(seen, ())
            elif isinstance(seen, Visit):
                yield seen

    def kind(self, name: Name) -> Kind | None:
        """The kind of a name's values; None if it is unknown, or differs between alternatives."""
        if self.is_left(name) or self.is_index(name):
            return Kind.NUMBER
        is_item = name.item is not None and not name.item.inner
        kinds = {kind for seen in self.values.get(name.name, ()) if (kind := self._kind(seen, is_item)) is not None}
        return kinds.pop() if len(kinds) == 1 else None

    def _kind(self, seen: Seen, is_item: bool) -> Kind | None:
        match seen:
            case Input():
                return self.input_kinds.get(seen)
            case model.Parameter():
                found = parse(seen.type)
                return found.kind if found is not None else None
            case Visit(item=item):
                if not isinstance(item, Named) or isinstance(item.type, Unknown):
                    return None
                return item.item_kind if is_item else item.kind


@dataclass(frozen=True, slots=True)
class _KnownInputs:
    """The known inputs of types: their kinds, as in the first use of the type, and their structs and lists."""

    kinds: dict[Input, Kind]
    fields: dict[Input, tuple[Visit, ...]]
    items: dict[Visit, Visit]

    @property
    def size(self) -> int:
        """The number of known facts."""
        return len(self.kinds) + sum(map(len, self.fields.values()))

    def learn(self, given: Input, site: Site, tree: Expr) -> None:
        """Learn from an input that some field passes, as far as the names in it are known."""
        wide = site.kind(tree) if isinstance(tree, Name) else None
        if (of := wide if wide in WIDE else kind(tree, site.kind)) is not None:
            self.kinds.setdefault(given, of)
        if isinstance(tree, Name) and of in WIDE:
            is_item = tree.item is not None and not tree.item.inner
            found = site.fields(tree, self.fields)
            more = map(self.one_of, found) if is_item else found
            self.fields[given] = tuple(dict.fromkeys((*self.fields.get(given, ()), *more)))

    def one_of(self, visit: Visit) -> Visit:
        """One item of a list, instead of the list."""
        if visit not in self.items and isinstance(visit.item, model.Field):
            self.items[visit] = replace(visit, item=replace(visit.item, repeat=None))
        return self.items.get(visit, visit)


@once
def _all(spec: Resolved) -> tuple[tuple[Site, ...], _KnownInputs]:
    """Every expression, and the inputs of types, which can follow from each other."""
    known_inputs, size, late = _KnownInputs({}, {}, {}), -1, late_inputs(spec)
    found = [site for scope in every(spec) for site in _Sites(spec, scope, known_inputs, late).all()]
    inputs = [(given, site, site.tree) for site in found if (given := site.input) is not None and site.tree is not None]
    while known_inputs.size > size:
        size = known_inputs.size
        for given, site, tree in inputs:
            known_inputs.learn(given, site, tree)
    wanted = (
        site if (given := site.input) is None else replace(site, wants=known_inputs.kinds.get(given)) for site in found
    )
    return tuple(wanted), known_inputs


def sites(spec: Resolved) -> tuple[Site, ...]:
    """Every expression of records, messages and the types they use; those of a type once for each way it is used."""
    return _all(spec)[0]


def input_kinds(spec: Resolved) -> Mapping[Input, Kind]:
    """The kinds of the inputs of types, as in their first use."""
    return _all(spec)[1].kinds


def given_fields(spec: Resolved) -> Mapping[Input, tuple[Visit, ...]]:
    """The structs and lists that types are given."""
    return _all(spec)[1].fields


@once
def late_inputs(spec: Resolved) -> frozenset[Input]:
    """The inputs of types that are needed only when all around the struct was read: nothing but derived values and
    defaults use them. Those of items of lists, and of structs that are packed, are used by defaults alone: in reading
    they are not needed at all.
    """
    inputs = {Input(struct.name, name) for struct in spec.structs.values() for name in struct.given}
    early, checked, alone = set[Input](), set[Input](), set[Input]()
    passed: list[tuple[Input, set[Input]]] = []
    scopes = every(spec) if inputs else ()
    for site in (site for scope in scopes for site in _Sites(spec, scope, _KnownInputs({}, {}, {}), frozenset()).all()):
        if site.input is None:
            early |= site.inputs if site.moment in (Moment.FRAMING, Moment.READING) else set()
            checked |= site.inputs if site.moment is not Moment.FILLING else set()
            continue
        passed.append((site.input, site.inputs))
        field = site.visit.item if site.visit is not None else None
        if isinstance(field, model.Field) and (field.repeat is not None or field.through is not None):
            alone.add(site.input)
    early |= alone & _passed_on(checked, passed)
    return frozenset(inputs - _passed_on(early, passed))


def _passed_on(used: set[Input], passed: Iterable[tuple[Input, set[Input]]]) -> set[Input]:
    """These inputs, and those that they are computed from."""
    found, size = set(used), -1
    while size < len(found):
        size = len(found)
        found.update(asked for given, inner in passed if given in found for asked in inner)
    return found


class _Sites:
    """The expressions of one scope. ``late`` are the late inputs of types."""

    def __init__(self, spec: Resolved, scope: Scope, known_inputs: _KnownInputs, late: frozenset[Input]) -> None:
        self.spec = spec
        self.scope = scope
        self.known_inputs = known_inputs
        self.late = late
        self.sight = Sight(spec, scope, known_inputs.fields)

    def all(self) -> Iterator[Site]:
        for visit in self.scope.visits:
            yield from self.node(visit)
        owner = self.scope.owner
        if isinstance(owner, model.Struct):
            return
        if isinstance(owner, model.Record):
            order = self.spec.little
            yield from self.site("byte_order", order, Kind.CONDITION, Moment.FRAMING, lambda _: False, 0, regions=False)
        yield from self.framing("length", owner.length, Kind.NUMBER)
        if owner.proof is not None:
            yield from self.framing("valid", owner.proof.valid, Kind.CONDITION)
            yield from self.framing("doubt", owner.proof.doubt, Kind.CONDITION)
        if isinstance(owner, model.Message):
            yield from self.told(owner)
            yield from self.message("valid", owner.valid)
            yield from self.message("otherwise", owner.otherwise)
            for number, variant in enumerate(owner.variants):
                yield from self.variant(owner, variant.when)
                yield from self.message("valid", variant.valid, number)

    def node(self, visit: Visit) -> Iterator[Site]:
        match visit.item:
            case model.Field() as field:
                yield from self.field(visit, field)
            case model.Computed() as field:
                yield from self.reading(visit, "when", field.when, Kind.CONDITION)
                compute = field.compute if field.instant is None else None
                yield from self.reading(visit, "compute", compute, _plain(field))
                for name in field.instant.fields.values() if field.instant is not None else ():
                    yield from self.reading(visit, "compute", name, Kind.NUMBER)
                yield from self.reading(visit, "valid", field.valid, Kind.CONDITION, itself=True)
            case model.BitField() as bit:
                yield from self.reading(visit, "valid", bit.valid, Kind.CONDITION, itself=True)
                yield from self.whole(visit, "derive", bit.derive, bit.item_kind)
                yield from self.default(visit, bit)
            case model.Section() | model.Slot() as region:
                if isinstance(region.extent, model.Size):
                    yield from self.reading(visit, "size", region.extent.condition, Kind.NUMBER)
                if isinstance(region, model.Section) and region.through is not None:
                    yield from self.through(visit, region.through, itself=True)
            case model.Choice(alternatives=alternatives):
                for alternative in alternatives:
                    yield from self.reading(visit, "when", alternative.when, Kind.CONDITION)
            case model.Padding(size=size):
                yield from self.reading(visit, "pad", size if size.is_written else None, Kind.NUMBER)
            case model.Ordered(little=little):
                yield from self.reading(visit, "byte_order", little if little.is_written else None, Kind.CONDITION)
            case model.Bits(when=when):
                yield from self.reading(visit, "when", when, Kind.CONDITION)
            case _:
                assert_never(visit.item)

    def field(self, visit: Visit, field: model.Field) -> Iterator[Site]:
        yield from self.reading(visit, "when", field.when, Kind.CONDITION)
        yield from self.reading(visit, "at", field.place, Kind.NUMBER, grows=True)
        for name, value in field.inputs.items():
            if Input(field.type.word, name) in self.late:
                yield from self.whole(visit, "with", value, None)
            else:
                yield from self.reading(visit, "with", value, None, grows=True)
        if isinstance(field.wire.extent, model.Size):
            yield from self.reading(visit, "size", field.wire.extent.condition, Kind.NUMBER, grows=True)
        if field.through is not None:
            yield from self.through(visit, field.through)
        yield from self.reading(visit, "valid", field.valid, Kind.CONDITION, itself=True)
        item = field.item_kind
        derived = item if item in PLAIN and item is not Kind.FLOAT else None  # another rule says that none is derived
        yield from self.whole(visit, "derive", field.derive, derived)
        yield from self.default(visit, field)
        for covered in field.checksum.ranges if field.checksum is not None else ():
            yield from self.whole(visit, "from", covered.start, Kind.NUMBER)
            yield from self.whole(visit, "to", covered.end, Kind.NUMBER)
        if field.repeat is not None:
            yield from self.reading(visit, "count", field.repeat.count, Kind.NUMBER)
            yield from self.until(visit, field, field.repeat.until)

    def through(self, visit: Visit, through: model.Through, *, itself: bool = False) -> Iterator[Site]:
        """A transform: a key, which is a number or bytes, another number, or the name of a compression or escapes."""
        if through.table is not None:
            return
        wants = {"": Kind.TEXT, "unescape": Kind.TEXT, "xor": None}.get(through.way, Kind.NUMBER)
        yield from self.reading(visit, through.way or "through", through.asked, wants, itself=itself)

    def site(
        self,
        key: str,
        condition: Condition | None,
        wants: Kind | None,
        moment: Moment,
        own: Callable[[Visit], bool],
        header: int | None = None,
        visit: Visit | None = None,
        *,
        regions: bool = True,
        growing: Visit | None = None,
    ) -> Iterator[Site]:
        """An expression, if it is given, that sees the ``own`` nodes and this many of the header's; None means all."""
        if condition is not None:
            sight = self.sight
            sizes: Mapping[str, tuple[Seen, ...]] = sight.regions(own, header) if regions else {}
            around = sight.around(visit.branch if visit else ())
            values = sight.values(own, header, growing)
            yield Site(condition, key, wants, moment, values, sizes, around, self.scope, self.known_inputs.kinds, visit)

    def reading(
        self,
        visit: Visit,
        key: str,
        condition: Condition | None,
        wants: Kind | None,
        *,
        itself: bool = False,
        grows: bool = False,
    ) -> Iterator[Site]:
        """An expression evaluated before its node is read, or with ``itself`` after it. One of a list that ``grows`` is
        about an item, and sees those before it.
        """

        def known(other: Visit) -> bool:
            is_read = other.order < visit.order or (itself and other is visit)
            return is_read and other.meets(visit)

        header, growing = self.sight.header_at(visit), visit if grows else None
        return self.site(key, condition, wants, Moment.READING, known, header, visit, growing=growing)

    def whole(
        self, visit: Visit, key: str, condition: Condition | None, wants: Kind | None, moment: Moment = Moment.WHOLE
    ) -> Iterator[Site]:
        """An expression evaluated when everything is known."""
        return self.site(key, condition, wants, moment, visit.meets, None, visit)

    def default(self, visit: Visit, field: model.Field | model.BitField) -> Iterator[Site]:
        if field.default is not None and field.default.is_written and (wants := _plain(field)) is not None:
            default = self.whole(visit, "default", field.default, wants, Moment.FILLING)
            yield from map(_rounded, default) if wants is Kind.FLOAT else default

    def until(self, visit: Visit, field: model.Field, until: Condition | None) -> Iterator[Site]:
        """The condition that ends a list, which is about an item."""
        item = fields_of(self.spec, field)
        if item is not None and item.name not in self.spec.recursive:
            given = tuple(Input(item.name, name) for name in item.given)
            scope = Scope(item, walk(item.nodes), self.scope.header_at(visit), given=given)
            inside = _Sites(self.spec, scope, self.known_inputs, self.late)
            yield from inside.site("until", until, Kind.CONDITION, Moment.READING, lambda _: True)

    def variant(self, message: model.Message, when: Condition | None) -> Iterator[Site]:
        """The condition of a variant, which sees what all variants share up to the decisive section."""

        def known(other: Visit) -> bool:
            return other.order < self.scope.decided and not other.in_variant

        header = len(until_slot(self.scope.header, message.decisive))
        return self.site("when", when, Kind.CONDITION, Moment.READING, known, header)

    def message(self, key: str, condition: Condition | None, number: int | None = None) -> Iterator[Site]:
        """A condition on a whole message, or on its variant with that number."""

        def known(other: Visit) -> bool:
            return number is None or not other.in_variant or other.branch[0].index == number

        return self.site(key, condition, Kind.CONDITION, Moment.WHOLE, known)

    def told(self, message: model.Message) -> Iterator[Site]:
        """What fields of the header are derived from."""
        for visit in self.scope.header:
            field = visit.item
            if isinstance(field, Named) and field.name in message.derive and field.kind in _DERIVED:
                derive = message.derive[field.name]
                yield from self.site("derive", derive, field.kind, Moment.WHOLE, lambda _: True, visit=visit)

    def framing(self, key: str, condition: Condition | None, wants: Kind) -> Iterator[Site]:
        """An expression evaluated before the record is read, which sees what does not depend on the variant."""
        return self.site(key, condition, wants, Moment.FRAMING, lambda other: not other.in_variant, regions=False)


_DERIVED = (Kind.NUMBER, Kind.CONDITION)
"""The kinds of fields that messages can derive; rules report others."""


def _rounded(site: Site) -> Site:
    """The site of a value for a floating-point number: a whole number is written as the nearest one."""
    is_whole = site.tree is not None and kind(site.tree, site.kind) is Kind.NUMBER
    return replace(site, wants=Kind.NUMBER) if is_whole else site


def _plain(field: Named) -> Kind | None:
    """The kind that an expression for the field's value must have; None if there can be none."""
    return field.kind if field.kind in PLAIN else None
