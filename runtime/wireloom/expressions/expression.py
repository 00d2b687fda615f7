"""``Expression``: a text from generated code, with its tree, its names and its function."""

import re
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from collections.abc import Set

    from wireloom.expressions.scalar import RecordFunction
    from wireloom.expressions.tree import Expr, Function, Name


_OF_A_LIST = re.compile(r"\w\s*\[|\b(?:first|last)\b")


class Expression:
    """An expression of a spec, its names qualified: ``record.magic == 0x08 and not parameters.old``."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.asks_index = "item." in text
        """Whether it may ask for the number of an item."""
        self.asks_left = "section." in text
        """Whether it may ask how many bytes are left in the section, so that who asks it must say so to the frame."""
        self.ask: RecordFunction = self._ask_first
        """Its value in one record; None if a value that it needs is absent, or it divides by zero."""

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"

    def _ask_first(self, this: Any, record: Any, frame: Any) -> Any:
        """Make its function, which replaces this one, and call it."""
        self.ask = self._function
        return self.ask(this, record, frame)

    @cached_property
    def _function(self) -> "RecordFunction":
        from wireloom.expressions.scalar import function

        return function(self.tree)

    def holds(self, this: Any, record: Any, frame: Any) -> bool:
        """Whether it is true; it is false if a value is absent or not known yet."""
        return bool(self.ask(this, record, frame))

    @property
    def asks_item(self) -> bool:
        """Whether it asks for an item of a list."""
        return _OF_A_LIST.search(self.text) is not None and any(name.item is not None for name in self.names)

    def asks_input(self, inputs: "Set[str]") -> bool:
        """Whether it uses one of these inputs of the struct that it is in."""
        from wireloom.expressions.tree import Origin

        return any(name.origin is Origin.INPUT and name.steps[0] in inputs for name in self.names)

    @cached_property
    def tree(self) -> "Expr":
        """What it consists of."""
        from wireloom.expressions.parsing import parse_qualified

        return parse_qualified(self.text)

    @cached_property
    def before_items(self) -> "Expression | None":
        """Of the condition that ends a list: what can end it in front of its first item, if anything can."""
        from wireloom.expressions.tree import before_items

        tree = before_items(self.tree) if self.asks_left else None
        if tree is None:
            return None
        found = Expression(self.text)
        found.tree = tree
        return found

    @cached_property
    def written(self) -> str:
        """Its text as in the spec."""
        from wireloom.expressions.text import unqualified

        return unqualified(self.text, self.tree)

    @cached_property
    def names(self) -> "tuple[Name, ...]":
        """The names whose value, count or presence it uses, in the order of use."""
        from wireloom.expressions.tree import asked

        return asked(self.tree)

    @cached_property
    def mentions(self) -> "tuple[tuple[Function | None, Name], ...]":
        """The names in the order of the text, with ``size`` or ``offset`` if that is used."""
        from wireloom.expressions.tree import mentions

        return mentions(self.tree)


class PerItem(Expression):
    """An expression about each item of a list. Its value is a list that has one for each item of the list ``of``."""

    def __init__(self, text: str, of: str) -> None:
        super().__init__(text)
        self.of = of
        self.count = Expression(f"count({of})")

    def _ask_first(self, this: Any, record: Any, frame: Any) -> list[Any]:
        found = []
        for number in range(self.count.ask(this, record, frame) or 0):
            frame.index = number
            found.append(self._function(this, record, frame))
        return found


Formula = str | int | Expression
"""An expression as generated code has it; a number is one too."""


@cache
def _of(text: str) -> Expression:
    return Expression(text)


@overload
def expression(written: Formula) -> Expression: ...


@overload
def expression(written: Formula | None) -> Expression | None: ...


def expression(written: Formula | None) -> Expression | None:
    """The expression of a text; equal texts share one. None for None."""
    return written if written is None or isinstance(written, Expression) else _of(str(written))
