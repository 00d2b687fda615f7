"""The contract of ``build``: an error that names a field, or bytes that parse back.

``check`` builds a row, and says what is wrong with what comes of that.
"""

import math
import struct
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from typing import Any

from attack.shapes import Kind, Row, Shape, Shapes
from wireloom.codec import DecodeError, DoubleMeaning, EncodeError, Protocol
from wireloom.codec.captures import CaptureBuilder
from wireloom.codec.meanings import Meaning, Spelled
from wireloom.codec.protocol import CORRUPT, POSITIONS


def check(protocol: Protocol, row: Any, parameters: Mapping[str, Any]) -> str | None:
    """What is wrong with what becomes of the row when it is built; None if nothing is."""
    try:
        data = protocol.build(row, **parameters)
    except EncodeError as error:
        return _misnamed(protocol, row, error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if row.get("_corrupt_record") is not None:
        return None if data == bytes(row["_corrupt_record"]) else "a malformed row is not its bytes"
    try:
        back = _read(protocol, data, row, parameters)
    except DecodeError as error:
        return f"{data.hex()} is malformed: {error.reason}"
    names = {column.name for column in (*CORRUPT, *POSITIONS)} | {"_file"}
    given = {name: value for name, value in row.items() if name not in names}
    back = {name: value for name, value in back.items() if name not in names}
    difference = _difference(given, back, Shapes.of(protocol).whole)
    return f"{data.hex()} has other values: {difference}" if difference else None


def _read(protocol: Protocol, data: bytes, row: Row, parameters: Mapping[str, Any]) -> Row:
    """The row that was built as these bytes: a record, or what a capture begins with. Raises ``DecodeError``."""
    exported = protocol.preamble.exported if protocol.preamble is not None else ()
    own = {name: value for name, value in parameters.items() if name not in exported}
    if not CaptureBuilder(protocol, own).begins(row):
        return protocol.parse(data, **parameters)
    found = list(protocol.iter_records(data, **own))
    assert len(found) == 1, "there is more behind what the capture begins with"
    return found[0]


def _misnamed(protocol: Protocol, row: Any, error: EncodeError) -> str | None:
    """What is wrong with where an error says that it is: it must be a column, a section, a parameter, a strange key,
    or of the whole.
    """
    path = error.field
    if any(path == parameter.name for parameter in protocol.parameters):
        return None
    if not path:
        return None if not isinstance(row, Mapping) else f"no field is named: {error}"
    if error.detail.startswith(("unknown field", "a mapping of fields expected", "the record has ")):
        return None
    if path in {slot.name for slot in protocol.record.slots}:
        return None  # a section, which may have no column of its own
    shape: Shape | None = Shapes.of(protocol).whole | {column.name: Kind() for column in CORRUPT}
    *outer, last = path.split(".")
    for step in outer:
        kind = shape.get(step.partition("[")[0]) if shape is not None else None
        shape = kind.inner if kind else None
    kind = shape.get(last.partition("[")[0]) if shape is not None else None
    if kind is None:
        return f"{path!r} is no column: {error}"
    return (
        f"a message is named where a field is meant: {error}"
        if path in protocol.messages and "mapping" not in str(error) and "given, but the row" not in str(error)
        else None
    )


def _difference(given: Mapping[str, Any], back: Mapping[str, Any], shape: Shape) -> str | None:
    """The first value that is not what was given, or that nobody gave."""
    for name, found in back.items():
        kind, value = shape[name], given.get(name)
        if (
            kind.follows
            or kind.raw
            or (
                kind.label_of
                and (value is None or _is_given(kind.label_of, given, shape) or shape[kind.label_of].follows)
            )
        ):
            continue
        if value is None:
            may_be = (
                found is None
                or kind.fills
                or any(
                    given.get(other) is not None
                    for other, of in shape.items()
                    if of.label_of == name or name in of.parts
                )
            )
            if not may_be and not (isinstance(found, Mapping) and name == back.get("message")):
                return f"{name} was not given and is {found!r}"
            continue
        what = _different(value, found, kind)
        if what:
            return f"{name}{what}"
    return None


def _is_given(name: str, given: Mapping[str, Any], shape: Shape) -> bool:
    """Whether a number is given, or one that it is a part of."""
    whole = (other for other, of in shape.items() if name in of.parts)
    return any(given.get(other) is not None for other in (name, *whole))


def _different(value: Any, found: Any, kind: Kind) -> str | None:
    if isinstance(value, Mapping) and isinstance(found, Mapping):
        inner = _difference(value, found, kind.inner or {})
        return f".{inner}" if inner else None
    if isinstance(value, list | tuple) and isinstance(found, list):
        if kind.label_of:
            return None if set(value) == set(found) else f" {value} came back as {found}"
        if len(value) != len(found):
            return f" has {len(value)} items, and came back with {len(found)}"
        found_out = (_different(one, other, kind) for one, other in zip(value, found, strict=True))
        return next((f"[{index}]{what}" for index, what in enumerate(found_out) if what), None)
    return None if _same(value, found, kind.meaning) else f" {value!r} came back as {found!r}"


def _same(value: Any, found: Any, meaning: Meaning | None) -> bool:
    """Whether a number, a text or bytes came back; a float as the nearest that its field can have, an address as it is
    spelled.
    """
    if isinstance(value, Decimal) and value.is_nan():
        return isinstance(found, float) and math.isnan(found)
    if isinstance(found, float):
        number = float(value)
        return found == number or (math.isnan(number) and math.isnan(found)) or found in nearest(number, meaning)
    if isinstance(meaning, Spelled):
        with suppress(EncodeError):  # of one that is spelled as another field of the same column has it
            value = meaning.value(meaning.written(value))
    return found is not None and bool(value == found)


def nearest(number: float, meaning: Meaning | None) -> list[float]:
    """The numbers nearest to one that is not too large: of single and of half precision, and that in steps."""
    sizes = [(code, most) for code, most in (("<f", 3.5e38), ("<e", 65520.0)) if abs(number) < most]
    found = [struct.unpack(code, struct.pack(code, number))[0] for code, _ in sizes]
    if not isinstance(meaning, DoubleMeaning) or not math.isfinite(number):
        return found
    return [*found, meaning.value(meaning.written(number))]
