"""Rows as functions that write them."""

from wireloom.codec.checksums import summing
from wireloom.codec.frames import Values
from wireloom.codec.message import Message, Variant
from wireloom.codec.straight.flow import HEADER, MESSAGE, Nest
from wireloom.codec.straight.pieces import Body, LateSum, assembled
from wireloom.codec.straight.source import Script, StraightLine
from wireloom.codec.straight.state import AgainError, ColumnKey
from wireloom.codec.straight.terms import Certain, UnsaidError, text_of
from wireloom.codec.straight.written import ValuePieces
from wireloom.expressions import Expression
from wireloom.expressions.tree import Conditional, Expr, Value


class RecordPieces(ValuePieces):
    """Writes a record as a whole."""

    ways = 0
    """How many ways lead to a record."""

    def record(
        self,
        message: Message,
        variants: tuple[Variant | None, ...],
        columns: Values,
        known: Values,
        filled: tuple[str, ...],
    ) -> None:
        """The whole record, as the first of these variants that has all fields that are given."""
        self.message = message
        self.header = Nest(HEADER, HEADER, columns)
        self.this = Nest(MESSAGE, HEADER, message.empty)
        names = [self.source.fresh(name) for name in columns]
        if names:
            self.source.add(f"{', '.join(names)}{',' if len(names) == 1 else ''} = header")
        self.own(self.header, names)
        self.must_lack(self.header, *filled)
        for name, value in known.items():
            self.let(self.header, name, Certain(value, self.source.constant(name, value)))
        self.open(self.this, "this", message.coercion)
        start = self.state
        for variant in variants:
            self.state = start.copy()
            self.body, self.guard, self.late, self.settled = Body(self.this), None, False, set()
            with self.source.branch(), self.source.aside() as lines:
                try:
                    self._variant(variant)
                    self.ways += 1
                except UnsaidError as unsaid:
                    self.branches.doubts.append(str(unsaid))
                    lines[:] = [self.branches.doubt]
                    self.body = Body(self.this)
            self.source.insert(f"if {self._fits(variant)}:", [*self.cleared(), *lines])
        self.source.add(self.branches.doubt)

    def _fits(self, variant: Variant | None) -> str:
        """The condition for a variant to be the one that is tried first."""
        fitting = self.message.fitting(variant)
        strange = [name for name in self.this.columns if name not in fitting]
        tests = [f"{text_of(self.value_of(self.this, name))} is None" for name in strange]
        if self.message.variants:
            name = text_of(self.value_of(self.this, "variant"))
            tests.insert(0, f"({name} is None or {name} == {variant.name!r})" if variant else f"{name} is None")
        return " and ".join(tests) or "True"

    def _variant(self, variant: Variant | None) -> None:
        message = self.message
        with self.region():
            self.layout(message.record.head, self.header)
            for slot, common, _ in message.plan:
                if slot is None:
                    self.layout(common, self.header)
                    continue
                with self.section(slot, self.this, self.header):
                    self.layout(common, self.this)
                    if variant is not None and slot.name in variant.sections:
                        self.layout(variant.sections[slot.name], self.this)
                self.must_lack(self.this, message.trailing.get(slot.name))
        self.source.add(f"end = {self.state.pos}")
        self._must_select(variant)
        for rule in (message.valid, variant.valid if variant else message.otherwise):
            if rule is not None:
                self.claim(rule, self.this)
        self.settle()
        self._return()

    def _must_select(self, variant: Variant | None) -> None:
        """Whoever reads the record must choose the variant."""

        def check() -> None:
            for each in self.message.variants:
                holds = Certain(True, "") if each.when is None else self.scope(self.this).ask(each.when)
                if each is variant:
                    self.branches.require(holds)
                    return
                if not isinstance(holds, Certain):
                    self.branches.refuse(holds)
                elif holds.value:
                    raise UnsaidError("another variant")

        self.defer(check)

    def _return(self) -> None:
        body, source = self.body, self.source
        data = assembled(source, body.pieces)
        if not body.sums:
            source.add(f"return {data}")
            return
        out = source.fresh("out")
        source.add(f"{out} = bytearray({data})")
        scope = self.scope(self.this)
        for each in (order := self._in_order(body.sums)):
            for later in order[order.index(each) :]:
                for part in self._covered(each, later):
                    first, last = (text_of(scope.must(at)) for at in part)
                    self.branches.refuse(f"{first} < {later.at.behind(later.size)} and {later.at} < {last}")
            put = source.packing_into(each.code)
            source.add(f"{put}({out}, {each.at}, {self._summed(each, out)})")
        source.add(f"return bytes({out})")

    def _summed(self, each: LateSum, out: str) -> str:
        checksum, scope = each.field.checksum, self.scope(each.nest)
        assert checksum is not None
        pieces = [
            repr(part)
            if isinstance(part, bytes)
            else f"{out}[{':'.join(text_of(scope.must(bound)) for bound in part)}]"
            for part in checksum.over
        ]
        total = pieces[0] if len(pieces) == 1 else f"b''.join(({', '.join(pieces)},))"
        return f"{self.source.bind('sum', summing(checksum.algorithm))}({total})"

    def _in_order(self, sums: list[LateSum]) -> list[LateSum]:
        """The checksums, each behind those that it is over; if that cannot be told, the last ones first."""
        left, found = list(sums), list[LateSum]()
        while left:
            ready = [each for each in left if not any(self._covered(each, other) for other in left)]
            if not ready:
                return sums[::-1]
            found += ready
            left = [each for each in left if each not in ready]
        return found

    def _covered(self, one: LateSum, other: LateSum) -> list[tuple[Expression, Expression]]:
        """The ranges of a checksum that may have bytes of another, or of itself."""
        assert one.field.checksum is not None
        scope, found = self.scope(one.nest), []
        for part in one.field.checksum.over:
            if not isinstance(part, bytes):
                first, last = (_bounds(scope.folded(bound)) for bound in part)
                at = other.at
                if at.base or (at.offset < last[1] and at.offset + other.size > first[0]):
                    found.append(part)
        return found


def _bounds(tree: Expr) -> tuple[float, float]:
    """The least and the most that a place can be."""
    match tree:
        case Value(int() as value):
            return value, value
        case Conditional(_, then, other):
            one, two = _bounds(then), _bounds(other)
            return min(one[0], two[0]), max(one[1], two[1])
    return 0, float("inf")


def writing(
    message: Message,
    variants: tuple[Variant | None, ...],
    columns: Values,
    known: Values,
    filled: tuple[str, ...],
    *,
    little: bool,
) -> StraightLine:
    """The function that writes a record of a message whose selecting fields are ``known``; None if it is in doubt.

    It tries the first of these ``variants`` that has all fields which are given. Its arguments are the values of the
    header's ``columns``, the message's and the parameters. With a label among those that are ``filled``, the record is
    in doubt. Raises ``UnsaidError`` if all records are.
    """
    asked: set[ColumnKey] = set()
    while True:
        lines = RecordPieces(Script(("header", "this", "parameters", "end", "item")), asked, little=little)
        try:
            lines.record(message, variants, columns, known, filled)
            break
        except AgainError as again:
            asked.add(again.key)
    if not lines.ways:
        raise UnsaidError("; ".join(lines.branches.doubts))
    title = f"{message.name} {known} to bytes"
    return lines.source.function(f"write_{message.name}", "header, this, parameters", title)
