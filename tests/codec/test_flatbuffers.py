"""FlatBuffers tables against the ``flatbuffers`` library, in both directions, and against bytes that lie."""

from typing import Any

import flatbuffers
import flatbuffers.number_types as numbers
import pytest
from flatbuffers.table import Table as LibraryTable
from hypothesis import given, settings
from hypothesis import strategies as st
from support.invented_values import TABLE_VALUES

from wireloom.codec import DecodeError, EncodeError, Table, TableField

LIBRARY = {
    "bool": numbers.BoolFlags,
    "i8": numbers.Int8Flags,
    "u8": numbers.Uint8Flags,
    "i16": numbers.Int16Flags,
    "u16": numbers.Uint16Flags,
    "i32": numbers.Int32Flags,
    "u32": numbers.Uint32Flags,
    "i64": numbers.Int64Flags,
    "u64": numbers.Uint64Flags,
    "f32": numbers.Float32Flags,
    "f64": numbers.Float64Flags,
}
DEFAULTS: dict[str, Any] = {"bool": True, "text": None, "f64": 0.5, "i32": -7}
KINDS = [*LIBRARY, "text"]
TABLE = Table(
    "Everything",
    *(TableField(kind, kind, id=number, default=DEFAULTS.get(kind, 0)) for number, kind in enumerate(KINDS)),
)
SPARSE = Table("Sparse", TableField("late", "u16", id=40, default=3), TableField("early", "text", id=2))

values = st.fixed_dictionaries(
    {kind: st.none() | st.just(DEFAULTS.get(kind, 0)) | TABLE_VALUES[kind] for kind in KINDS}
)


def written_by_library(table: Table, given_: dict[str, Any], *, force: bool) -> bytes:
    """The table as the library writes it; with ``force``, values that are the default are stored too."""
    builder = flatbuffers.Builder(0)
    builder.ForceDefaults(force)
    texts = {name: builder.CreateString(text) for name, text in given_.items() if isinstance(text, str)}
    builder.StartObject(max(field.id for field in table.fields) + 1)
    for field in table.fields:
        value = given_[field.name]
        if field.name in texts:
            builder.PrependUOffsetTRelativeSlot(field.id, texts[field.name], 0)
        elif value is not None:
            builder.PrependSlot(LIBRARY[field.type], field.id, value, field.default)
    builder.Finish(builder.EndObject())
    return bytes(builder.Output())


def read_by_library(table: Table, data: bytes) -> dict[str, Any]:
    """The table as the library reads it."""
    root = LibraryTable(data, numbers.UOffsetTFlags.py_type(int.from_bytes(data[:4], "little")))
    found: dict[str, Any] = {}
    for field in table.fields:
        at = root.Offset(4 + 2 * field.id)
        if not at:
            found[field.name] = field.default
        elif field.type == "text":
            found[field.name] = root.String(at + root.Pos).decode()
        else:
            found[field.name] = root.Get(LIBRARY[field.type], at + root.Pos)
    return found


def complete(table: Table, given_: dict[str, Any]) -> dict[str, Any]:
    """The values that a reader sees."""
    return {field.name: field.default if given_[field.name] is None else given_[field.name] for field in table.fields}


@pytest.mark.parametrize("force", [False, True])
@settings(derandomize=True)
@given(given_=values)
def test_reads_what_the_library_writes(given_: dict[str, Any], force: bool) -> None:
    assert TABLE.read(written_by_library(TABLE, given_, force=force)) == complete(TABLE, given_)


@settings(derandomize=True)
@given(given_=values)
def test_the_library_reads_what_is_written(given_: dict[str, Any]) -> None:
    assert read_by_library(TABLE, TABLE.write(complete(TABLE, given_))) == complete(TABLE, given_)


@settings(derandomize=True)
@given(given_=values)
def test_fields_are_aligned(given_: dict[str, Any]) -> None:
    data = TABLE.write(complete(TABLE, given_))
    root = LibraryTable(data, int.from_bytes(data[:4], "little"))
    for field in TABLE.fields:
        at = root.Offset(4 + 2 * field.id)
        width = 4 if field.type == "text" else LIBRARY[field.type].bytewidth
        assert (root.Pos + at) % width == 0 or not at
        if at and field.type == "text":
            assert root.Indirect(root.Pos + at) % 4 == 0


@pytest.mark.parametrize("given_", [{"late": 3, "early": None}, {"late": 9, "early": ""}, {"late": 0, "early": "ü"}])
def test_ids_need_not_be_consecutive(given_: dict[str, Any]) -> None:
    assert SPARSE.read(written_by_library(SPARSE, given_, force=False)) == given_
    assert read_by_library(SPARSE, SPARSE.write(given_)) == given_


def test_fields_of_a_later_schema_do_not_disturb() -> None:
    later = Table("Sparse", *SPARSE.fields, TableField("later", "u64", id=41, default=0))
    data = written_by_library(later, {"late": 9, "early": "x", "later": 5}, force=False)
    assert SPARSE.read(data) == {"late": 9, "early": "x"}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("", "flatbuffers: record at byte 0: root offset stands outside the 0 bytes"),
        ("ffffffff", "flatbuffers: record at byte 4: vtable offset stands outside the 4 bytes"),
        ("04000000 00000080", "flatbuffers: record at byte 8: vtable size stands outside the 8 bytes"),
        ("04000000 ffffff7f", "flatbuffers: record at byte 0: vtable size stands outside the 8 bytes"),
        ("08000000 03000400 04000000", "flatbuffers: record at byte 4: a vtable of 3 bytes"),
        ("08000000 ff000400 04000000", "flatbuffers: record at byte 4: a vtable of 255 bytes"),
        ("08000000 04000500 04000000", "flatbuffers: record at byte 8: a table of 5 bytes"),
        ("0c000000 0e000400 00000000 08000000", "flatbuffers: record at byte 4: a vtable of 14 bytes"),
        (
            "10000000 0a000800 00000000 0600 0000 0c000000 01000000",
            "flatbuffers: early at byte 12: 6 is outside the table",
        ),
        (
            "10000000 0a000800 00000000 0400 0000 0c000000 f0ffffff",
            "flatbuffers: early at byte 24: size of the text stands outside the 24 bytes",
        ),
        (
            "10000000 0a000800 00000000 0400 0000 0c000000 04000000 01000000",
            "flatbuffers: early at byte 24: 1 byte of text, 0 left",
        ),
        ("10000000 0a000800 00000000 0400 0000 0c000000 04000000 01000000 80", "text: early at byte 28: not utf-8"),
    ],
)
def test_offsets_outside_the_value_are_malformed(data: str, reason: str) -> None:
    with pytest.raises(DecodeError) as raised:
        SPARSE.read(bytes.fromhex(data))
    assert raised.value.reason == reason


def problem(data: bytes) -> DecodeError | None:
    """What is wrong with a table."""
    try:
        TABLE.read(data)
    except DecodeError as error:
        return error
    return None


@settings(derandomize=True)
@given(given_=values, flips=st.lists(st.integers(0, 9999), max_size=3), cut=st.integers(0, 40))
def test_damaged_tables_raise_nothing_else(given_: dict[str, Any], flips: list[int], cut: int) -> None:
    data = bytearray(TABLE.write(complete(TABLE, given_)))
    for bit in flips:
        data[bit // 8 % len(data)] ^= 1 << bit % 8
    data = data[: len(data) - cut % len(data)]
    error = problem(bytes(data))
    assert error is None or 0 <= error.offset <= len(data)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("u8", 256),
        ("i8", -129),
        ("u64", -1),
        ("u64", 1.5),
        ("bool", 2),
        ("bool", "x"),
        ("text", b"x"),
        ("text", "\ud800"),
    ],
)
def test_values_that_do_not_fit_are_refused(name: str, value: Any) -> None:
    with pytest.raises(EncodeError) as raised:
        TABLE.write({**TABLE.empty, name: value})
    assert raised.value.field == name
