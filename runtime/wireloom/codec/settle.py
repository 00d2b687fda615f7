"""The last step of writing a struct: derived values and checksums filled into the room that was reserved for them."""

from wireloom.codec.errors import EncodeError
from wireloom.codec.fields import Field
from wireloom.codec.streams import Values, Writer

Derived = tuple[Values, str, Field]
"""The struct a derived field is in, its name and the field."""
ATTEMPTS = 4
"""How often a struct is written until what was taken for granted holds."""


def settle(writer: Writer, derived: list[Derived], *, last: bool, nested: bool = False) -> bool:
    """Fill in derived values, then checksums; False if something was taken for granted that does not hold.

    False asks for another attempt, in which the derived values of this one are known. With ``last`` it is an
    ``EncodeError`` instead, but not of a ``nested`` struct: the record around it may still change what holds.
    """
    present = [item for item in derived if item[1] in writer.frame]
    _derive(writer, [item for item in present if item[2].checksum is None])
    if not (last and nested):
        for claim in writer.claims:
            error = claim.error(writer.record)
            if error is not None and last:
                raise error
            if error is not None:
                return False
    checksums = [item for item in present if item[2].checksum is not None]
    for this, name, _ in checksums:
        if this.get(name) is None:
            this[name] = 0  # something to stand there until it is known
    _pack(writer)
    for _ in checksums:
        if not _derive(writer, checksums):
            break
        _pack(writer)
    return True


def _derive(writer: Writer, derived: list[Derived]) -> bool:
    """Compute the values until none changes; whether any did. Raises ``EncodeError`` if they never come to rest."""
    changed = False
    for _ in range(len(derived) + 1):
        moved = False
        for this, name, field in derived:
            value = field.expected(this, writer.record, writer.frame, writer.buffer)
            if this.get(name) != value:
                this[name] = value
                moved = changed = True
        if not moved or derived[0][2].checksum is not None:
            return changed
    raise EncodeError("derived values depend on each other in a circle", derived[0][1])


def _pack(writer: Writer) -> None:
    for part, this, start in writer.reserved:
        data = part.pack(writer, this)
        writer.buffer[start : start + len(data)] = data
