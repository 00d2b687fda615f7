"""What sort of value something has, as problems put it."""

from enum import StrEnum


class Kind(StrEnum):
    """What sort of value a name or an expression has."""

    NUMBER = "a number"
    FLOAT = "a floating-point number"
    DECIMAL = "a decimal with a fraction"
    CONDITION = "true or false"
    TEXT = "text"
    BYTES = "bytes"
    LIST = "a list"
    STRUCT = "a struct"


PLAIN = (Kind.NUMBER, Kind.FLOAT, Kind.CONDITION, Kind.TEXT)
"""The kinds an expression can have; it can only measure the others."""
