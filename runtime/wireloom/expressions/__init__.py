"""The expression language, which specs are written in and generated code carries as text.

A text is parsed when it is first used; until then no other module here is imported.
"""

from wireloom.expressions.expression import Expression, Formula, PerItem, expression

__all__ = ["Expression", "Formula", "PerItem", "expression"]
