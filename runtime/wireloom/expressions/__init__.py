"""The expression language, which specs are written in and generated code carries as text.

What there is of a text is found out when it is first asked for; nothing here is imported before.
"""

from wireloom.expressions.expression import Expression, Written, expression

__all__ = ["Expression", "Written", "expression"]
