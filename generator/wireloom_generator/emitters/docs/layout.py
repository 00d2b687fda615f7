"""Nodes → nodes with offsets: numbers where they are fixed, sums where they vary."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import assert_never

from wireloom_generator import model
from wireloom_generator.emitters.docs.facts import Facts, declared, narrow, simplify
from wireloom_generator.emitters.docs.markdown import code, listing
from wireloom_generator.expressions import Name, Value
from wireloom_generator.types import Deeper, Struct
from wireloom_generator.types.decimals import Digits
from wireloom_generator.types.sizes import SizeRange

ITEM = "+"
"""The origin of offsets inside a shared struct, wherever it is."""


@dataclass(frozen=True, slots=True)
class Position:
    """Bytes from ``origin``: the record's start (empty), a section's (its name) or a struct's (``ITEM``).

    ``last`` is what ends here, in words.
    """

    origin: str = ""
    fixed: int = 0
    terms: tuple[str, ...] = ()
    last: str = field(default="", compare=False)

    @property
    def words(self) -> str:
        """The number of the byte, or the field it follows if the number varies."""
        return f"after {self.last}" if self.terms and self.last else str(self)

    def __str__(self) -> str:
        sums = " + ".join([str(self.fixed), *self.terms] if self.fixed or not self.terms else self.terms)
        return sums if not self.origin else f"+{sums}" if self.origin == ITEM else f"{self.origin}+{sums}"

    def moved(self, size: int | None, term: str = "") -> "Position":
        """The offset ``size`` bytes further on, or ``term`` further on if the size varies."""
        if size is not None:
            return replace(self, fixed=self.fixed + size)
        return replace(self, terms=(*self.terms, term))

    def ending(self, trees: "Iterable[Tree]") -> "Position":
        """The same place as the end of the last of ``trees`` that has bytes in sequence."""
        return next((replace(self, last=name) for tree in reversed([*trees]) if (name := _called(tree))), self)

    def since(self, start: "Position") -> int | None:
        """Bytes from ``start`` to here, None if they vary."""
        return None if self.terms != start.terms else self.fixed - start.fixed


@dataclass(frozen=True, slots=True)
class ByteCount:
    """The size of something: a number, or words or an expression, and the term it adds to later offsets."""

    size: int | None
    text: str
    term: str = ""
    expression: bool = False


Single = model.Field | model.Computed | model.Bits | model.Padding | model.Region
"""Nodes with a place of their own."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A node at its position. ``inner`` are the nodes of a section or struct, or choices among an integer's bits."""

    node: Single
    at: Position
    extent: ByteCount
    inner: "tuple[Tree, ...]" = ()
    order: str = ""
    """In words the byte order around it, if that is not its type's own."""


@dataclass(frozen=True, slots=True)
class Option:
    """One alternative of a fork, and its condition in words."""

    when: str
    trees: "tuple[Tree, ...]"


@dataclass(frozen=True, slots=True)
class Fork:
    """Undecided alternatives. If ``even``, they all have the same fixed size and one is always taken. A tail comes
    last.
    """

    options: tuple[Option, ...]
    even: bool = False
    tail: bool = False


Tree = Placed | Fork


class Placing:
    """Places nodes. ``facts`` are about their own struct and the record, ``header`` only about the record."""

    def __init__(self, structs: Mapping[str, model.Struct], facts: Facts, header: Facts) -> None:
        self.structs = structs
        self.facts = facts
        self.header = header
        self.order = ""
        self._structs: dict[str, tuple[tuple[Tree, ...], Position]] = {}

    def inside(self, facts: Facts) -> "Placing":
        """Places a message's fields in the same record, about which ``facts`` are known besides."""
        found = Placing(self.structs, facts, self.header)
        found._structs = self._structs
        return found

    def place(self, nodes: Iterable[model.Node], start: Position) -> tuple[tuple[Tree, ...], Position]:
        """The nodes placed from ``start`` on, and the offset after them."""
        found: list[Tree] = []
        at = start
        for node in model.grouped(narrow(nodes, self.facts)[0]):
            match node:
                case model.When(when=condition, nodes=inner):
                    trees, _ = self.place(inner, at)
                    _add(found, Fork((Option(given(condition.text), trees),)))
                    at = _past(at, inner).ending(trees)
                case model.Tail(nodes=inner):
                    trees, at = self.place(inner, at)
                    found.append(Fork((Option("if bytes are left", trees),), tail=True))
                case model.Ordered(little=little, nodes=inner):
                    outer, self.order = self.order, in_order(little)
                    trees, at = self.place(inner, at)
                    self.order = outer
                    found += trees
                case model.Choice():
                    fork, at = self._fork(node, at)
                    _add(found, fork)
                    at = at.ending((fork,))
                case model.Elsewhere(place=place, field=field) | (
                    model.Field(place=model.Condition() as place) as field
                ):
                    found.append(self._placed(field, Position(terms=(_simple(place, self.facts),))))
                case model.Field() | model.Computed() | model.Bits() | model.Padding() | model.Section() | model.Slot():
                    placed = self._placed(node, at)
                    _add(found, placed)
                    at = at.moved(placed.extent.size, placed.extent.term).ending((placed,))
                case _:
                    assert_never(node)
        return tuple(found), at

    def _fork(self, choice: model.Choice, at: Position) -> tuple[Fork, Position]:
        options: list[Option] = []
        ends: list[int | None] = []
        refused: list[str] = []
        for alternative in choice.alternatives:
            trees, end = self.place(alternative.nodes, at)
            if isinstance(alternative, model.When):
                options.append(Option(given(alternative.when.text), trees))
                refused.append(alternative.when.text)
            else:
                options.append(Option(otherwise(refused), trees))
            ends.append(end.since(at))
        always = isinstance(choice.alternatives[-1], model.Otherwise)
        even = always and len(set(ends)) == 1 and ends[0] is not None
        nodes = model.children(choice)
        return Fork(tuple(options), even=even), at.moved(ends[0]) if even else _past(at, nodes)

    def _placed(self, node: Single, at: Position) -> Placed:
        match node:
            case model.Field():
                return Placed(node, at, self._field_extent(node), self._inner(node), self.order)
            case model.Computed():
                return Placed(node, at, ByteCount(0, "–"))
            case model.Bits(over=(_, _), wire=wire):
                return Placed(node, at.moved(-(wire.fixed or 0)), ByteCount(0, "–"), order=self.order)
            case model.Bits(wire=wire):
                return Placed(node, at, _of_size(wire.type.size), order=self.order)
            case model.Padding():
                return Placed(node, at, self._padding(node, at))
            case model.Section(name=name, extent=extent, nodes=nodes, through=through):
                start = Position(name) if at.terms or through is not None else at
                return Placed(node, at, self.extent(name, extent), self.place(nodes, start)[0])
            case model.Slot(name=name, extent=extent):
                return Placed(node, at, self.extent(name, extent))

    def _padding(self, node: model.Padding, at: Position) -> ByteCount:
        if node.align == 1:
            return self.extent("padding", model.Size(node.size))
        if at.terms or at.origin or node.start is not None:
            start = f", counted from {node.start}" if node.start is not None else ""
            return ByteCount(None, f"up to a multiple of {node.align}{start}", "padding")
        size = -at.fixed % node.align
        return ByteCount(size, str(size))

    def extent(self, name: str, extent: model.Extent) -> ByteCount:
        """The size of the extent of ``name``."""
        match extent:
            case model.Rest():
                return ByteCount(None, "rest", f"size({name})")
            case model.Size(condition=model.Condition(expression=size, text=text)):
                simple = simplify(size, self.facts)
                if isinstance(simple, Value) and isinstance(simple.value, int):
                    return ByteCount(simple.value, str(simple.value))
                shown = simple.name if isinstance(simple, Name) else text
                return ByteCount(None, shown, shown if isinstance(simple, Name) else f"size({name})", expression=True)
            case model.Prefix(length=model.Wire(type=kind), counts=counts):
                length = f"length ({kind})" if isinstance(kind, Digits) else f"{kind.word} length"
                return ByteCount(None, f"{length}, then as many {counts}", f"size({name})")
            case model.Terminator(ends=terminators, terminator=kept):
                shown = " or ".join(end.hex(" ") for end in terminators)
                ends = f"up to {shown}" if kept == "leave" else f"up to and including {shown}"
                return ByteCount(None, "NUL-terminated" if ends.endswith("including 00") else ends, f"size({name})")

    def _field_extent(self, field: model.Field) -> ByteCount:
        one = self._one(field)
        if field.repeat is None:
            return one
        each = f"{one.size} each" if one.size is not None else one.text
        count = simplify(field.repeat.count.expression, self.facts) if field.repeat.count else None
        if isinstance(count, Value) and isinstance(count.value, int) and one.size is not None:
            return ByteCount(one.size * count.value, f"{count.value} of {one.size}")
        return ByteCount(None, each, f"size({field.name})")

    def _one(self, field: model.Field) -> ByteCount:
        """The extent of the field, or of one item of its list."""
        term = f"size({field.name})"
        found = field.wire.type
        if field.wire.extent is not None:
            return self.extent(field.name, field.wire.extent)
        if isinstance(found, Struct):
            size = self.struct(found.name)[1].since(Position(ITEM))
            return ByteCount(size, str(size), term) if size is not None else ByteCount(None, "varies", term)
        return ByteCount(None, "varies", term) if isinstance(found, Deeper) else _of_size(found.size, term)

    def _inner(self, field: model.Field) -> tuple[Tree, ...]:
        return self.struct(field.wire.type.name)[0] if isinstance(field.wire.type, Struct) else ()

    def struct(self, name: str) -> tuple[tuple[Tree, ...], Position]:
        """The fields of a shared struct, from its own start."""
        if name not in self._structs:
            inner = Placing(self.structs, self.header, self.header)
            inner._structs = self._structs  # the same of all types, each of which may hold the next several times
            self._structs[name] = inner.place(self.structs[name].nodes, Position(ITEM))
        return self._structs[name]


def _add(trees: list[Tree], tree: Tree) -> None:
    """Append a tree; parts of bits that another tree has read go into that one."""
    last = trees[-1] if trees else None
    if isinstance(last, Placed) and isinstance(last.node, model.Bits) and bits_of(tree) is not None:
        trees[-1] = replace(last, inner=(*last.inner, tree))
    else:
        trees.append(tree)


def bits_of(tree: Tree) -> tuple[int, int] | None:
    """The first bit and the number of bits that a tree takes of an integer that was read before it."""
    if isinstance(tree, Fork):
        return next((found for option in tree.options for inner in option.trees if (found := bits_of(inner))), None)
    return tree.node.over if isinstance(tree.node, model.Bits) else None


def _called(tree: Tree) -> str:
    """The owner of the last bytes of a tree, in words; empty if it has none in sequence."""
    match tree:
        case Fork(options=options):
            last = (Position().ending(option.trees).last for option in options)
            return listing(dict.fromkeys(name for name in last if name))
        case Placed(node=model.Field(place=None) | model.Section() | model.Slot() as node):
            return code(node.name)
        case Placed(node=model.Bits(over=None) as node):
            return code((*node.fields, *filter(None, (node.whole,)))[-1].name)
        case Placed(node=model.Padding()):
            return "the padding"
    return ""


def _of_size(size: SizeRange, term: str = "") -> ByteCount:
    """The size according to the type alone."""
    if size.least == size.most:
        return ByteCount(size.least, str(size.least))
    return ByteCount(None, f"{size.least} to {size.most}", term)


def _simple(place: model.Condition, facts: Facts) -> str:
    """The offset of a field, in words."""
    simple = simplify(place.expression, facts)
    return str(simple.value) if isinstance(simple, Value) else code(place.text)


def given(text: str) -> str:
    """The condition under which something is present, in words."""
    return f"if {code(text)}"


def order_of(trees: Iterable[Tree]) -> str:
    """In words the byte order around them; empty if there are several, or none but that of their types."""
    found: set[str] = set()
    for tree in trees:
        match tree:
            case Fork(options=options):
                found.update(order_of(option.trees) for option in options)
            case Placed(node=model.Field() | model.Bits(), order=order):
                found.add(order)
    found.discard("")
    return found.pop() if len(found) == 1 else ""


def in_order(little: model.Condition) -> str:
    """The byte order in words."""
    return f"byte order {code(little.text)}" if little.is_written else f"{little.text} endian"


def otherwise(refused: Iterable[str]) -> str:
    """The condition under which nothing else is present, in words."""
    texts = list(refused)
    if len(texts) == 1 and texts[0].startswith("not ") and texts[0][4:].isidentifier():
        return given(texts[0][4:])
    return " and ".join(f"unless {code(text)}" for text in texts) if len(texts) < 3 else "otherwise"


def _in_sequence(nodes: Iterable[model.Node]) -> Iterator[model.Node]:
    """Those of the nodes whose sizes add up; of bit fields the first has that of all."""
    for node in nodes:
        match node:
            case model.Choice():
                yield from _in_sequence(model.children(node))
            case model.Bits(over=None, named=(first, *_)):
                yield replace(node, fields=(first,), whole=None)
            case model.Field(place=model.Condition()) | model.Bits():
                pass
            case model.Field() | model.Computed() | model.Padding() | model.Section() | model.Slot():
                yield node
            case model.Ordered():
                yield node
            case _:
                assert_never(node)


def _past(at: Position, nodes: Iterable[model.Node]) -> Position:
    """The offset after nodes of which some may be missing; those at offsets of their own do not count."""
    names = declared(_in_sequence(nodes))
    sizes = " + ".join(f"size({name})" for name in dict.fromkeys(names))
    return at.moved(None, sizes) if sizes else at
