"""Numbers as lines that read them: in runs, in bits, and computed ones."""

from collections.abc import Callable
from typing import Any

from wireloom.codec.bits import Bits
from wireloom.codec.computed import LIMITS, Computed
from wireloom.codec.fields import Field, Packing, packing_of
from wireloom.codec.frames import Values
from wireloom.codec.labels import named_flags, named_number
from wireloom.codec.runs import Run
from wireloom.codec.straight.flow import HEADER, MESSAGE, Flow, Nest
from wireloom.codec.straight.source import Script
from wireloom.codec.straight.state import ColumnKey, Pending
from wireloom.codec.straight.terms import NONE, Certain, UnsaidError, lies_within, text_of
from wireloom.expressions import Expression
from wireloom.expressions.tree import Name, Origin, may_be_absent


class NumberLines(Flow):
    """Reads numbers. Those in ``known`` are header fields whose values are known before anything is read. Those that
    are ``bare`` stay without names.
    """

    def __init__(
        self, source: Script, asked: set[ColumnKey], *, little: bool, known: Values, bare: bool = False
    ) -> None:
        super().__init__(source, asked, little=little)
        self.known = known
        self.bare = bare

    def run(self, run: Run, struct: Nest) -> None:
        """Numbers side by side."""
        for name, field in run.fields:
            self.number(struct, name, field)

    def number(self, struct: Nest, name: str, field: Field) -> None:
        """A number of a fixed size."""
        kind = packing_of(field.subcon, little=self.little)
        assert kind is not None
        then: Callable[[str], None] | None = self._loading(struct, name, field, kind)
        plain = kind.load is None and field.valid is None and field.raw is None
        if plain and struct.number == HEADER and name in self.known:
            self._let_known(struct, name, field, self.known[name])
            then = None
        self.note(
            struct, name, *self.wait(Pending(struct.number, name, kind.code, field.sizeof(), then), kind.order or ">")
        )
        if field.valid is not None:
            valid = field.valid
            self.afterwards(lambda: self.must_hold(valid, struct))

    def must_hold(self, rule: Expression, struct: Nest) -> None:
        """A condition of values and places that are known by now."""
        if rule.asks_left:
            raise UnsaidError(rule.written)
        self.branches.require(self.scope(struct).ask(rule))

    def _loading(self, struct: Nest, name: str, field: Field, kind: Packing) -> Callable[[str], None]:
        load = kind.load

        def then(variable: str) -> None:
            if load is not None:
                self.source.add(f"{variable} = {self.source.bind(f'load_{name}', load)}({variable})")
            elif kind.type in LIMITS:
                self.state.ranges[variable] = LIMITS[kind.type]
            self.loaded(struct, name, field, variable)

        return then

    def _let_known(self, struct: Nest, name: str, field: Field, value: Any) -> None:
        """A field of the header whose value selects the message."""
        if field.flags is not None or field.const is not None or field.long:
            raise UnsaidError(f"{name}, which selects the message")
        self.let(struct, name, Certain(value, self.source.constant(name, value)))
        if field.enum is not None:
            member, label = named_number(field.enum)(value)
            self.let(struct, name, Certain(value, self.source.bind(f"{field.enum.__name__}_{label or value}", member)))
            if field.labels:
                self.let(struct, field.label(name), Certain(label, repr(label)))

    def loaded(self, struct: Nest, name: str, field: Field, variable: str) -> None:
        """A value was read: see that it is allowed, name it, label it."""
        source, label = self.source, field.label(name)
        if field.meaning is not None and field.raw is not None:
            kept, raw = source.bind(f"kept_{name}", field.meaning.kept), source.fresh(field.raw)
            source.add(f"{variable}, {raw} = {kept}({variable})")
            self.let(struct, field.raw, raw, nullable=True)
            self.state.nullable.add(variable)
        if field.const is not None:
            self.branches.refuse(f"{variable} != {source.bind(f'const_{name}', field.const)}")
        if field.long:
            self.branches.refuse(f"{variable} >> 63")
        self.let(struct, name, variable)
        if self.bare:
            return
        if field.enum is not None:
            find = source.bind(f"named_{field.enum.__name__}", named_number(field.enum))
            if label:
                self.let(struct, label, labelled := source.fresh(label), nullable=True)
                source.add(f"{variable}, {labelled} = {find}({variable})")
            else:
                source.add(f"{variable} = {find}({variable})[0]")
        if field.flags is not None:
            find = source.bind(f"named_{field.flags.__name__}", named_flags(field.flags))
            if label:
                self.let(struct, label, labelled := source.fresh(label))
                source.add(f"{variable}, {labelled} = {find}({variable})")
                source.add(f"{labelled} = [*{labelled}]")
            else:
                source.add(f"{variable} = {find}({variable})[0]")

    def bits(self, part: Bits, struct: Nest) -> None:
        """A number that is split into bits."""
        kind = packing_of(part.integer, little=self.little)
        if part.over or kind is None:
            raise UnsaidError("bits over others")
        self.weight += part.weight

        def then(word: str) -> None:
            if kind.load is not None:
                self.source.add(f"{word} = {self.source.bind('load_bits', kind.load)}({word})")
            if part.whole is not None:
                self.let(struct, part.name, word)
            for (name, field, shift, mask), value in zip(part.fields, part.values, strict=True):
                variable = self.source.fresh(name)
                bits = f"{word} >> {shift} & {mask:#x}" if shift else f"{word} & {mask:#x}"
                made = f"{self.source.bind(f'bits_{name}', value)}({bits})" if value else bits
                self.source.add(f"{variable} = {made}")
                self.loaded(struct, name, field, variable)
                if field.valid is not None:
                    self.must_hold(field.valid, struct)

        hint = part.name if part.whole else "bits"
        start, end = self.wait(Pending(struct.number, hint, kind.code, part.size, then), kind.order or ">")
        for name in (*([part.name] if part.whole else []), *(name for name, *_ in part.fields)):
            self.note(struct, name, start, end)

    def computed(self, part: Computed, struct: Nest) -> None:
        """A value that follows from others."""
        if part.compute.type in ("string", "binary") and struct.number not in (HEADER, MESSAGE):
            raise UnsaidError(f"{part.name}, a text in a list")
        scope = self.scope(struct)
        tree = scope.folded(part.compute.value)
        term = scope.term(tree)
        if term == NONE:
            self.let(struct, part.name, NONE)
            return
        name = self.source.fresh(part.name)
        self.source.add(f"{name} = {text_of(term)}")
        absent = may_be_absent(tree)
        limits = LIMITS.get(part.compute.type) if isinstance(part.compute.type, str) else None
        if limits is not None and not lies_within(tree, *limits, self._range_of(struct)):
            there = f"{name} is not None and " if absent else ""
            self.branches.refuse(f"{there}not {limits[0]} <= {name} <= {limits[1]}")
        if part.compute.meaning is not None:
            self.source.add(f"{name} = {self.source.bind(f'meant_{part.name}', part.meant)}({name})")
            absent = True
        self._label(part, struct, name, absent=absent)
        self.let(struct, part.name, name, nullable=absent)

    def _range_of(self, struct: Nest) -> Callable[[Name], tuple[int, int] | None]:
        """What tells the least and the most that a name can be, if that is known."""

        def found(name: Name) -> tuple[int, int] | None:
            plain = name.item is None and name.origin in (None, Origin.THIS) and len(name.steps) == 1
            return self.state.ranges.get(text_of(self.value_of(struct, name.name))) if plain else None

        return found

    def _label(self, part: Computed, struct: Nest, name: str, *, absent: bool) -> None:
        if part.field.enum is None:
            return
        find = self.source.bind(f"named_{part.field.enum.__name__}", named_number(part.field.enum))
        label = self.source.fresh(part.field.label(part.name) or f"{name}_name")
        otherwise = f" if {name} is not None else (None, None)" if absent else ""
        self.source.add(f"{name}, {label} = {find}({name}){otherwise}")
        if part.field.labels:
            self.let(struct, part.field.label(part.name), label, nullable=True)
