"""The kinds of values, as problems name them."""

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
"""The kinds that an expression can have; of other values it can only ask the size."""
