"""Arrow's columns as inputs of programs that write records."""

from collections.abc import Callable, Iterator

import pyarrow as pa

from wireloom.buffers import Array, ends_of
from wireloom.codec.columns import U64, decimal
from wireloom.programs.writing.inputs import Address, Inputs, Kind, Outline, Path


def outline_of(column: pa.Array) -> Outline | None:
    """The outline of a column; None if it has no value."""
    nulls = column.null_count
    if nulls == len(column):
        return None
    kind, bits = _kind(column.type)
    if kind is Kind.LIST:
        return Outline(kind, bits, nulls > 0, items=outline_of(column.flatten()), type=column.type)
    if kind is not Kind.STRUCT:
        return Outline(kind, bits, nulls > 0, places=_places(column.type))
    outlines = ((field.name, outline_of(column.field(place))) for place, field in enumerate(column.type))
    return Outline(kind, bits, nulls > 0, tuple((name, each) for name, each in outlines if each is not None))


def outline_of_type(kind: pa.DataType) -> Outline:
    """The outline of a column of that type, any value of which may be missing."""
    found, bits = _kind(kind)
    if found is Kind.LIST:
        return Outline(found, bits, True, items=outline_of_type(kind.value_type), type=kind)
    fields = tuple((each.name, outline_of_type(each.type)) for each in kind) if found is Kind.STRUCT else ()
    return Outline(found, bits, True, fields, places=_places(kind))


def _places(kind: pa.DataType) -> int:
    """How many places behind the point values of a type have."""
    return int(kind.scale) if pa.types.is_decimal(kind) else 0


def _kind(kind: pa.DataType) -> tuple[Kind, int]:
    """What values of a type are, and how many bits each number has."""
    if pa.types.is_struct(kind):
        return Kind.STRUCT, 0
    if pa.types.is_list(kind):
        return Kind.LIST, 0
    if kind in (pa.string(), pa.binary()):
        return Kind.BYTES, 0
    if pa.types.is_boolean(kind):
        return Kind.BOOLEAN, 1
    if pa.types.is_decimal128(kind):
        return Kind.DECIMAL if decimal(kind.precision, kind.scale) == U64 else Kind.SCALED, 128
    if kind in (pa.float32(), pa.float64()):
        return Kind.FLOAT, kind.bit_width
    if pa.types.is_unsigned_integer(kind) and kind != pa.uint64():
        return Kind.UNSIGNED, kind.bit_width
    if (pa.types.is_signed_integer(kind) or pa.types.is_temporal(kind)) and kind.bit_width <= 64:
        return Kind.SIGNED, kind.bit_width
    return Kind.OTHER, 0


def addresses(inputs: Inputs, columns: Callable[[Path], pa.Array]) -> Iterator[tuple[int, int]]:
    """What a program takes from the columns of a table, by its place."""
    found: dict[Path, pa.Array] = {}
    for place, taken in inputs.taken.items():
        if taken.path not in found:
            found[taken.path] = columns(taken.path)
        yield place, _number(found[taken.path], taken)


def _number(column: pa.Array, taken: Address) -> int:
    offset = int(column.offset)
    if taken.buffer is None:
        return offset
    buffer = column.buffers()[taken.buffer]
    return 0 if buffer is None else int(buffer.address) + taken.size * offset + taken.more


def size_of(inputs: Inputs, columns: Callable[[Path], pa.Array], rows: Array) -> int:
    """How many bytes these rows have."""
    found = 0
    for taken in inputs.taken.values():
        found += taken.size * len(rows)
        if taken.is_of_octets:
            ends = ends_of(columns(taken.path))
            found += int((ends[rows + 1] - ends[rows]).sum())
    return found
