"""The tree of an expression, and how to go through it.

Its parts are named tuples, since every program that decodes imports them and dataclasses take several times as long.
"""

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import NamedTuple, assert_never


class Origin(StrEnum):
    """Where the value of a name is found."""

    THIS = "this"
    RECORD = "record"
    PARAMETER = "parameter"
    SECTION = "section"
    """It is one of ``LEFT``: how many bytes are left in the section from the place of the expression on."""
    INPUT = "input"
    ITEM = "item"
    """It is ``INDEX``: the number of the item of a list that the expression is about."""


LEFT = ("rest", "left")
"""What is left in a section: as a word of sizes, and as one of other expressions."""
INDEX = "index"
"""The number of an item, the first being 0, in what is said of a list's items."""


class Value(NamedTuple):
    """A number, text, bytes, true or false."""

    value: int | float | str | bool | bytes | None

    def __eq__(self, other: object) -> bool:
        """To Python 1, 1.0 and true are equal; in a tree they are different values. 12 and 0x0c are the same."""
        return type(other) is Value and self.value == other.value and _kind(self.value) is _kind(other.value)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.value)


def _kind(value: object) -> type | None:
    return bool if isinstance(value, bool) else float if isinstance(value, float) else None


class InList(NamedTuple):
    """An item of a ``list``: its number, or that it is the ``first`` or the ``last``; ``inner`` leads into a struct."""

    list: str
    number: "Expr"
    word: str = ""
    inner: tuple[str, ...] = ()


class Name(NamedTuple):
    """A field or parameter; ``header.len`` is a field of the struct in the field ``header``.

    ``origin`` is None until the name is resolved; ``nullable`` ones may be absent. With ``item``, it is an item of the
    list, or something in it: ``entries[index].size``, ``last(sizes)``.
    """

    name: str
    column: int = 0
    origin: Origin | None = None
    nullable: bool = False
    item: InList | None = None

    @property
    def steps(self) -> tuple[str, ...]:
        """The names on the way to its value, or to the list it is in, outermost first; more than one leads into
        structs.
        """
        return tuple((self.name if self.item is None else self.item.list).split("."))


class Unary(NamedTuple):
    """``not``, ``-`` or ``~``."""

    operator: str
    operand: "Expr"


class Binary(NamedTuple):
    """Arithmetic and bit operations."""

    operator: str
    left: "Expr"
    right: "Expr"


class Compare(NamedTuple):
    """A comparison; false when an operand is absent."""

    operator: str
    left: "Expr"
    right: "Expr"


class Among(NamedTuple):
    """``in`` or, if ``negated``, ``not in`` a list of values."""

    value: "Expr"
    choices: "tuple[Expr, ...]"
    negated: bool


class Logical(NamedTuple):
    """``and`` or ``or`` of two or more."""

    operator: str
    operands: "tuple[Expr, ...]"


class Conditional(NamedTuple):
    """``then if test else other``."""

    test: "Expr"
    then: "Expr"
    other: "Expr"


class Function(StrEnum):
    """A function that an expression can call."""

    SIZE = "size"
    OFFSET = "offset"
    COUNT = "count"
    PRESENT = "present"
    MIN = "min"
    MAX = "max"
    CALENDAR = "calendar"
    NTP = "ntp"
    GPS = "gps"
    GPS_COUNT = "gps_count"
    MICROSECONDS = "microseconds"
    YEAR = "year"
    MONTH = "month"
    DAY = "day"


class Call(NamedTuple):
    """A call of a function."""

    function: Function
    arguments: "tuple[Expr, ...]"

    @property
    def target(self) -> Name:
        """The name that it asks about, if its function is one ``OF_NAMES``."""
        (name,) = self.arguments
        assert isinstance(name, Name)
        return name


Expr = Value | Name | Unary | Binary | Compare | Among | Logical | Conditional | Call

OF_PLACES = (Function.SIZE, Function.OFFSET)
"""The functions of a field's or section's position, which need only its name."""
OF_NAMES = (*OF_PLACES, Function.COUNT, Function.PRESENT)
OF_TIMES = (
    Function.CALENDAR, Function.NTP, Function.GPS, Function.GPS_COUNT, Function.MICROSECONDS, Function.YEAR,
    Function.MONTH, Function.DAY,
)  # fmt: skip
"""The functions of ``times``, which the compiler puts into expressions. Specs cannot call them."""


def walk(expression: Expr) -> Iterator[Expr]:
    """The expression and all its parts, each in front of its own."""
    left = [expression]
    while left:
        part = left.pop()
        yield part
        left.extend(reversed(parts(part)))


def parts(expression: Expr) -> tuple[Expr, ...]:
    """The direct parts of an expression."""
    match expression:
        case Name(item=None) | Value():
            return ()
        case Compare(left=left, right=right) | Binary(left=left, right=right):
            return (left, right)
        case Logical(operands=operands):
            return operands
        case Among(value=value, choices=choices):
            return (value, *choices)
        case Unary(operand=operand):
            return (operand,)
        case Call(arguments=arguments):
            return arguments
        case Conditional(test=test, then=then, other=other):
            return (test, then, other)
        case Name(item=InList(number=number)):
            return (number,)
        case Name():
            return ()


def rebuild(expression: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """The expression with each of its direct ``parts`` changed."""
    match expression:
        case Unary(operator, operand):
            return Unary(operator, change(operand))
        case Binary(operator, left, right):
            return Binary(operator, change(left), change(right))
        case Compare(operator, left, right):
            return Compare(operator, change(left), change(right))
        case Among(value, choices, negated):
            return Among(change(value), tuple(map(change, choices)), negated)
        case Logical(operator, operands):
            return Logical(operator, tuple(map(change, operands)))
        case Conditional(test, then, other):
            return Conditional(change(test), change(then), change(other))
        case Call(function, arguments):
            return Call(function, tuple(map(change, arguments)))
        case Name(item=InList() as item):
            return expression._replace(item=item._replace(number=change(item.number)))
        case Value() | Name():
            return expression


def rename(expression: Expr, change: Callable[[Name], Name]) -> Expr:
    """The expression with each of its names changed."""
    found = rebuild(expression, lambda part: rename(part, change))
    return change(found) if isinstance(found, Name) else found


def names(expression: Expr) -> tuple[Name, ...]:
    """The names whose values it uses, without those it only measures, as in ``size(x)``."""
    return tuple(_used(expression, OF_NAMES))


def asks_for_parameters_alone(expression: Expr) -> bool:
    """Whether it uses values of names, and all of them are parameters."""
    name = None
    for name in _used(expression, OF_NAMES):
        if name.origin is not Origin.PARAMETER:
            return False
    return name is not None


def needed(expression: Expr) -> tuple[Expr, ...]:
    """The parts that must all have a value for the expression to have one; these are names."""
    match expression:
        case Unary("-" | "~", operand):
            return needed(operand)
        case Binary(_, left, right):
            return (*needed(left), *needed(right))
        case Call(Function.MIN | Function.MAX, arguments):
            return tuple(part for argument in arguments for part in needed(argument))
        case Value() | Name() | Unary() | Compare() | Among() | Logical() | Conditional() | Call():
            return (expression,)


def may_be_absent(expression: Expr) -> bool:
    """Whether it can lack a value in a sound record."""
    match expression:
        case Value(value):
            return value is None
        case Name(nullable=nullable):
            return nullable
        case Compare() | Among() | Unary("not"):
            return False
        case Logical(_, operands):
            return any(map(may_be_absent, operands))
        case Conditional(_, then, other):
            return may_be_absent(then) or may_be_absent(other)
        case Call(function) if function in OF_NAMES:
            return False
        case Call(function) if function in OF_TIMES:
            return True
        case Unary() | Binary() | Call():
            return any(map(may_be_absent, needed(expression)))
        case _:
            assert_never(expression)


def asked(expression: Expr) -> tuple[Name, ...]:
    """The names whose value, count or presence it uses, in the order of use."""
    return tuple(_used(expression, OF_PLACES))


def _used(expression: Expr, measuring: tuple[Function, ...]) -> Iterator[Name]:
    """The names in it, in the order of use, without those that the functions ``measuring`` are called with."""
    left = [expression]
    while left:
        part = left.pop()
        if isinstance(part, Name):
            yield part
        elif isinstance(part, Call) and part.function in measuring:
            part = part.target
        left.extend(reversed(parts(part)))


def before_items(until: Expr) -> Expr | None:
    """The parts of a list's ``until``, joined by ``or``, that are about what is left and not about an item, so that
    they can end a list in front of its first one; None if there are none.
    """
    each = until.operands if isinstance(until, Logical) and until.operator == "or" else (until,)
    found = tuple(part for part in each if _is_about_what_is_left(part))
    return found[0] if len(found) == 1 else Logical("or", found) if found else None


def _is_about_what_is_left(part: Expr) -> bool:
    origins = {each.origin for each in walk(part) if isinstance(each, Name)}
    return Origin.SECTION in origins and origins <= {Origin.SECTION, Origin.RECORD, Origin.PARAMETER}


def mentions(expression: Expr) -> tuple[tuple[Function | None, Name], ...]:
    """The names in the order of the text, with ``size`` or ``offset`` if that is used."""
    places = {name.column: function for function, name in measured(expression) if function in OF_PLACES}
    found = {part.column: part for part in walk(expression) if isinstance(part, Name)}
    return tuple((places.get(column), found[column]) for column in sorted(found))


def in_list(name: str) -> tuple[str, str] | None:
    """The list that a name looks into, and the way inside the item; None if it looks into none."""
    listed, _, after = name.partition("[")
    if after:
        return listed, after.rpartition("]")[2].removeprefix(".")
    if name.startswith(("first(", "last(")):
        listed, _, inner = name.partition("(")[2].partition(")")
        return listed, inner.removeprefix(".")
    return None


def measured(expression: Expr) -> tuple[tuple[Function, Name], ...]:
    """(function, name) of every ``size``, ``offset``, ``count`` and ``present`` in it."""
    calls = (part for part in walk(expression) if isinstance(part, Call) and part.function in OF_NAMES)
    return tuple((call.function, call.target) for call in calls)
