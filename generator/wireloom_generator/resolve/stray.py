"""Keys and words that mean nothing where they stand, which a rule tells."""

from collections.abc import Iterator

from wireloom_generator.reading import syntax
from wireloom_generator.reading.vocabulary import TERMINATORS, U64_TYPES, UNTERMINATED
from wireloom_generator.types import FlatBuffers, meanings

_IN_BYTES = (
    "size", "prefix", "until", "pad", "terminator", "unterminated", "encoding", "table", "raw", "flags", "valid",
    "optional", "repeat", "table_type", "byte_order", "reserved", "at", "shared", "with",
    "through", "limit",
)  # fmt: skip
"""The keys that mean nothing for a computed field, unless they say false."""


_ATTRIBUTES = {"optional": "tail", "at": "place", "with": "inputs"}
"""The attributes of keys that are called otherwise."""


def meaningless(field: syntax.Field) -> Iterator[tuple[str, str]]:
    """The keys of a computed field that mean nothing for it, with their words."""
    for key in _IN_BYTES:
        value = getattr(field, _ATTRIBUTES.get(key, key))
        if value not in (None, False, {}):
            yield key, value if isinstance(value, str) else ""


def stray(field: syntax.Field) -> Iterator[tuple[str, str]]:
    """The words that their keys cannot have."""
    if isinstance(field.repeat, str) and field.repeat != "rest":
        yield "repeat", field.repeat
    if field.table_type not in (None, *U64_TYPES):
        yield "table_type", str(field.table_type)
    if isinstance(field.meaning, str) and field.meaning not in meanings.WORDS:
        yield "as", field.meaning
    if field.terminator not in (None, *TERMINATORS):
        yield "terminator", field.terminator
    if field.unterminated not in (None, *UNTERMINATED):
        yield "unterminated", field.unterminated
    if field.table is not None and field.type != FlatBuffers.spelling:
        yield "table", field.table
