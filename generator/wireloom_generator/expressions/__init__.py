"""The meaning of expressions, and facts about them before a record is read.

The language itself is ``wireloom.expressions``, since generated code carries expressions as text.
"""

from wireloom.expressions.linear import key, terms
from wireloom.expressions.numerals import Hexadecimal, integer
from wireloom.expressions.parsing import NO_TEXT, ExpressionError, parse, parse_qualified, parsed, spelled
from wireloom.expressions.text import printed, qualified
from wireloom.expressions.tree import (
    INDEX,
    LEFT,
    OF_PLACES,
    Among,
    Binary,
    Call,
    Compare,
    Conditional,
    Expr,
    Function,
    InList,
    Logical,
    Name,
    Origin,
    Unary,
    Value,
    before_items,
    in_list,
    may_be_absent,
    measured,
    names,
    needed,
    parts,
    rebuild,
    rename,
    walk,
)

Literal = int | float | bool | str
"""A number, true or false, or text: a value as a spec writes it."""
