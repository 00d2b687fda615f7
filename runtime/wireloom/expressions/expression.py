"""``Expression``: the text that generated code has, and what is made of it: its tree, its names, a function."""

from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from wireloom.expressions.scalar import Scalar
    from wireloom.expressions.tree import Expr, Name


class Expression:
    """An expression of a spec, its names qualified: ``record.magic == 0x08 and not parameters.old``."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.ask: Scalar = self._ask_first
        """Its value in one record; None if one that it follows from is absent, or it divides by zero."""

    def __repr__(self) -> str:
        return f"Expression({self.text!r})"

    def _ask_first(self, this: Any, record: Any, frame: Any) -> Any:
        """Ask it after making a function of it, which takes the place of this."""
        self.ask = self._function
        return self.ask(this, record, frame)

    @cached_property
    def _function(self) -> "Scalar":
        from wireloom.expressions.scalar import function

        return function(self.tree)

    def holds(self, this: Any, record: Any, frame: Any) -> bool:
        """Whether it is true; a value that is absent, or not known yet, makes it false."""
        return bool(self.ask(this, record, frame))

    @cached_property
    def tree(self) -> "Expr":
        """What it consists of."""
        from wireloom.expressions.tree import parse_qualified

        return parse_qualified(self.text)

    @cached_property
    def written(self) -> str:
        """It as the spec has it."""
        from wireloom.expressions.text import unqualified

        return unqualified(self.text, self.tree)

    @cached_property
    def names(self) -> "tuple[Name, ...]":
        """The names it asks for the value, the count or the presence of, in the order in which they are asked."""
        from wireloom.expressions.tree import asked

        return asked(self.tree)

    @cached_property
    def mentions(self) -> "tuple[tuple[str, Name], ...]":
        """The names in it as the text has them one after the other, with ``size`` or ``offset`` if that is asked."""
        from wireloom.expressions.tree import mentions

        return mentions(self.tree)


Written = str | int | Expression
"""An expression as generated code has it; a number is one too."""


@cache
def _of(text: str) -> Expression:
    return Expression(text)


@overload
def expression(written: Written) -> Expression: ...


@overload
def expression(written: Written | None) -> Expression | None: ...


def expression(written: Written | None) -> Expression | None:
    """The expression of a text, the same for each; none of none."""
    return written if written is None or isinstance(written, Expression) else _of(str(written))
