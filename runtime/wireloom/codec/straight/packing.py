"""Numbers as lines that write them: those that are packed, those that are computed, and bits."""

from collections.abc import Callable

from wireloom.codec.bits import Bit, Bits
from wireloom.codec.computed import LIMITS, Computed
from wireloom.codec.fields import Field, packing_of
from wireloom.codec.straight.drafts import DraftLines
from wireloom.codec.straight.flow import Nest
from wireloom.codec.straight.pieces import LateSum, LateValue, PackedNumber
from wireloom.codec.straight.terms import Certain, Operand, UnsaidError, lies_within, text_of
from wireloom.expressions import Expression
from wireloom.expressions.tree import Name, Origin


class NumberPieces(DraftLines):
    """Writes numbers."""

    def number(self, nest: Nest, name: str, field: Field) -> None:
        """A number of a fixed size."""
        kind, key = packing_of(field.subcon, little=self.little), (nest.number, name)
        assert kind is not None
        term = self.value_of(nest, name)
        variable, size = text_of(term), field.sizeof()
        if isinstance(term, Certain):
            self._plain(field)
        elif field.checksum is not None:
            if self.nested or self.guard or kind.dump is not None:
                raise UnsaidError(f"the checksum {name}")
            at = self.add(PackedNumber(kind.order, kind.code, "0"), size)
            self.body.sums.append(LateSum(nest, field, at, size, (kind.order or ">") + kind.code))
            self.note(nest, name, at)
            self._rules(nest, name, field, variable)
            return
        elif field.derive is not None:
            self.follows(nest, name, field.derive)
        else:
            self.fill(nest, name, field, term)
        text = variable
        if kind.dump is None and self.guard is None and kind.type in LIMITS:
            self.state.ranges[variable] = LIMITS[kind.type]
        if field.meaning is not None and field.raw is not None:
            raw = text_of(self.value_of(nest, field.raw))
            self.branches.refuse(f"not isinstance({raw}, int | None)")  # tables have large numbers as decimals
            number = self.source.bind(f"number_{name}", field.number)
            text = f"{number}({{{name!r}: {variable}, {field.raw!r}: {raw}}}, {name!r})"
        if kind.dump is not None:
            text = f"{self.source.bind(f'dump_{name}', kind.dump)}({text})"
        start = self.add(PackedNumber(kind.order, kind.code, text), size)
        self.note(nest, name, start)
        if key not in self.body.late and self.guard is None and isinstance(term, str) and field.meaning is None:
            self.state.nullable.discard(term)
        self._rules(nest, name, field, variable)

    def _plain(self, field: Field) -> None:
        if field.flags is not None or field.const is not None or field.long or field.raw or field.derived:
            raise UnsaidError("what selects the message")

    def _rules(self, nest: Nest, name: str, field: Field, variable: str) -> None:
        if field.const is not None:
            const = self.source.bind(f"const_{name}", field.const)
            self.defer(lambda: self.branches.refuse(f"{variable} != {const}"))
        if field.long:
            self.defer(lambda: self.branches.refuse(f"{variable} >> 63 > 0"))
        if field.valid is not None:
            self.claim(field.valid, nest)

    def follows(self, nest: Nest, name: str, value: Expression, unless: str | None = None) -> None:
        """A value that is known in the end."""
        key = nest.number, name
        before = self.body.late.get(key)
        if before is not None and (before.value is not value or not before.guards or self.guard is None):
            raise UnsaidError(f"{name}, which follows in several ways")
        guards = (*(before.guards if before else ()), *((self.guard,) if self.guard else ()))
        self.body.late[key] = LateValue(nest, name, value, guards, unless)

    def fill(self, nest: Nest, name: str, field: Field, term: Operand) -> None:
        """Put in what is not given; what selected the message is."""
        label, default = field.label(name), field.const if field.const is not None else field.default
        key, variable = (nest.number, name), text_of(term)
        if isinstance(term, Certain) or (default is None and not label):
            self.settled.add(key)
            return
        doubt = self.branches.doubt
        lines = [f"if {text_of(self.value_of(nest, label))} is not None:", f"    {doubt}"] if label else []
        if isinstance(default, Expression):
            given = self.source.lasting(f"{name}_given")
            self.body.guards.append(given)  # it is asked for in the end, be there such a field or not
            self.source.add(f"{given} = {variable} is not None")
            outer, self.body.used = self.body.used, set()
            try:
                value = text_of(self.scope(nest).ask(default))
                others = [text_of(self.state.values[key]) for key in sorted(self.body.used)]
                lines += [line for other in others for line in (f"if {other} is None:", f"    {doubt}")]
                self.source.insert(f"if not {given}:", [*lines, f"{variable} = {value}"])
                self.follows(nest, name, default, given)
            except UnsaidError:
                self.source.insert(f"if not {given}:", [doubt])
            self.body.used = outer
            return
        self.settled.add(key)
        if default is None:
            self.source.insert(f"if {variable} is None:", [doubt])
            return
        text = self.source.constant(name, default)
        self.source.insert(f"if {variable} is None:", [*lines, f"{variable} = {text}"])

    def computed(self, part: Computed, nest: Nest) -> None:
        """A computed value, which must be what the others make it if it is given."""
        self.body.computed.add((nest.number, part.name))
        term = self.value_of(nest, part.name)
        variable, certain = text_of(term), isinstance(term, Certain) and term.value is not None
        label = part.field.label(part.name)
        if label and not certain:
            text = text_of(self.value_of(nest, label))
            self.branches.refuse(f"{variable} is None and {text} is not None")
        given = "" if certain else f"{variable} is not None and "
        self.defer(lambda: self._compare(part, nest, variable, given))

    def _compare(self, part: Computed, nest: Nest, variable: str, given: str) -> None:
        scope = self.scope(nest)
        tree = scope.folded(part.compute.value)
        found = text_of(scope.term(tree))
        limits = LIMITS.get(part.compute.type) if isinstance(part.compute.type, str) else None
        if part.compute.type == "boolean":
            self.branches.refuse(f"{given}{variable} is not {found}")
            return
        if limits is not None and not lies_within(tree, *limits, self._range_of(nest)):
            name = self.source.fresh(f"{part.name}_made")
            self.source.add(f"{name} = {found}")
            self.branches.refuse(f"{name} is not None and not {limits[0]} <= {name} <= {limits[1]}")
            found = name
        if part.compute.meaning is not None:
            found = f"{self.source.bind(f'meant_{part.name}', part.meant)}({found})"
        self.branches.refuse(f"{given}{variable} != {found}")

    def _range_of(self, nest: Nest) -> Callable[[Name], tuple[int, int] | None]:
        """What tells the least and the most that a name can be, if that is known: what is packed fits."""

        def found(name: Name) -> tuple[int, int] | None:
            plain = name.item is None and name.origin in (None, Origin.THIS) and len(name.steps) == 1
            return self.state.ranges.get(text_of(self.value_of(nest, name.name))) if plain else None

        return found

    def bits(self, part: Bits, nest: Nest) -> None:
        """A number that is split into bits."""
        kind = packing_of(part.integer, little=self.little)
        if part.over or kind is None or part.weight or any(value not in (None, bool) for value in part.values):
            raise UnsaidError("bits of other kinds")
        if part.whole is not None:
            self._split(part, nest)
        terms = []
        for name, field, shift, mask in part.fields:
            term = self.value_of(nest, name)
            variable = text_of(term)
            if isinstance(term, Certain):
                self._plain(field)
            elif field.derive is not None:
                self.follows(nest, name, field.derive)
            else:
                self.fill(nest, name, field, term)
            if isinstance(field.subcon, Bit) and field.subcon.boolean:
                self.defer(lambda v=variable: self.branches.refuse(f"{v} is not True and {v} is not False"))  # type: ignore[misc]
            else:
                self.defer(lambda v=variable, m=mask: self.branches.refuse(f"not 0 <= {v} <= {m}"))  # type: ignore[misc]
            self._rules(nest, name, field, variable)
            terms.append(f"{variable} << {shift}" if shift else variable)
        word = " | ".join(terms)
        word = f"{self.source.bind('dump_bits', kind.dump)}({word})" if kind.dump is not None else word
        start = self.add(PackedNumber(kind.order, kind.code, word), part.size)
        for name in (*([part.name] if part.whole else []), *(name for name, *_ in part.fields)):
            self.note(nest, name, start)

    def _split(self, part: Bits, nest: Nest) -> None:
        """Take the bits that are not given from the whole number; those that are must agree."""
        whole = text_of(self.value_of(nest, part.name))
        self.body.computed.add((nest.number, part.name))
        with self.source.block(f"if {whole} is not None:"):
            self.branches.refuse(f"type({whole}) is not int or not 0 <= {whole} < {1 << 8 * part.size}")
            for name, field, shift, mask in part.fields:
                term = self.value_of(nest, name)
                variable = text_of(term)
                if field.derived:
                    continue
                bits = f"{whole} >> {shift} & {mask}"
                value = f"bool({bits})" if isinstance(field.subcon, Bit) and field.subcon.boolean else bits
                if isinstance(term, Certain):  # as it selected the message
                    self.source.insert(f"if {variable} != ({bits}):", [self.branches.doubt])
                    continue
                self.source.insert(f"if {variable} is None:", [f"{variable} = {value}"])
                self.source.insert(f"elif {variable} != ({bits}):", [self.branches.doubt])
