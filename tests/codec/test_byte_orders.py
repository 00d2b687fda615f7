"""A byte order that a record does not prove is that of its neighbours, whoever reads it and however it comes."""

import io
from functools import cache
from itertools import pairwise

import pyarrow as pa
import pytest
from columnar.captures_to_divide import divided
from hypothesis import given
from hypothesis import strategies as st
from support import compiled
from support.lockstep import Pair, capture_alike

from wireloom.codec import DecodeError
from wireloom.codec.cutting import Cutter, cuts
from wireloom.columnar import cells
from wireloom.options import resolve

SPEC = """\
protocol: byte_order_found
byte_order: order
parameters:
  - {name: order, type: text, choices: [auto, big, little], default: auto, column: true}
record:
  length: length
  proof: {valid: magic == 0xa5 and length >= 4 and mark < 0x0300}
  resync: true
  fields:
    - {name: magic, type: u8, const: 0xa5}
    - {name: length, type: u8, derive: size(record)}
    - {name: mark, type: u16}
    - {section: body, size: rest}
---
message: text
match: {}
sections:
  body:
    - {name: text, type: text, size: rest}
"""
"""An order that most records prove and some do not."""
BIG, LITTLE, BOTH, OTHER = (bytes.fromhex(data) for data in ("a505000961", "a505090061", "a505010261", "a505020162"))


@cache
def pair() -> Pair:
    return Pair.of(compiled.of(SPEC).columnar)


@cache
def lengths() -> Pair:
    """Lengths that may be read in both orders, and then are different ones."""
    spec = SPEC.replace("mark < 0x0300", "length < 0x0300").replace("name: length, type: u8", "name: length, type: u16")
    return Pair.of(compiled.of(spec.replace("length >= 4", "length >= 5")).columnar)


def long(size: int, order: str) -> bytes:
    return b"\xa5" + size.to_bytes(2, order) + b"\0\0" + b"x" * (size - 5)  # type: ignore[arg-type]


def orders(found: pa.Table) -> list[str | None]:
    reasons = found["_corrupt_reason"].to_pylist()
    return [
        order if reason is None else None for order, reason in zip(found["order"].to_pylist(), reasons, strict=True)
    ]


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ([BIG, BOTH, BOTH, BIG], ["big"] * 4),
        ([LITTLE, BOTH, OTHER, LITTLE], ["little"] * 4),
        ([BOTH, OTHER, BOTH, LITTLE], ["little"] * 4),
        ([BOTH, BIG], ["big"] * 2),
        ([LITTLE, BOTH, BIG, BOTH], ["little", "little", "big", "big"]),
        ([LITTLE, b"\xff\xff", BOTH], ["little", None, "little"]),
        ([BOTH], [None]),
        ([BOTH, OTHER], [None]),
        ([BOTH, b"\xff\xff", BIG], [None, "big"]),
    ],
)
def test_a_record_has_the_order_of_its_neighbours(records: list[bytes], expected: list[str | None]) -> None:
    assert orders(capture_alike(pair(), b"".join(records))) == expected


def test_one_record_alone_is_ambiguous() -> None:
    with pytest.raises(DecodeError) as error:
        pair().codec.parse(BOTH)
    assert error.value.reason.startswith("ambiguous: record at byte 0: ")
    assert pair().codec.parse(BOTH, order="little").mark == 0x0201


def test_what_follows_tells_which_of_two_lengths_it_is() -> None:
    first = long(0x0102, "little")
    found = capture_alike(lengths(), first + long(6, "little"))
    assert orders(found) == ["little", "little"]
    assert orders(capture_alike(lengths(), first)) == [None]


def test_a_value_is_a_capture_of_its_own() -> None:
    decoding = pair().decoder(pair().options({"positions": False}))
    values = pa.array([LITTLE + BOTH, BOTH, BOTH + BIG, None])
    found = cells.many(decoding, values).to_pylist()
    assert [rows and [row["order"] for row in rows] for rows in found] == [
        ["little", "little"],
        [None],
        ["big", "big"],
        None,
    ]
    alone = cells.one(decoding, pa.array([LITTLE, BOTH])).to_pylist()
    assert [row["order"] for row in alone] == ["little", None]
    assert alone[1]["_corrupt_reason"].startswith("ambiguous: ")


captures = st.lists(st.sampled_from([BIG, LITTLE, BOTH, OTHER, BOTH, b"\xff", BIG[:3]]), max_size=9).map(b"".join)


@given(capture=captures, sizes=st.lists(st.integers(1, 9), max_size=20))
def test_pieces_of_any_size_give_the_orders_of_the_whole(capture: bytes, sizes: list[int]) -> None:
    framing, parameters = pair().codec.framing, resolve(pair().codec.parameters, {})
    cutter, held, base, found = Cutter(framing, parameters), b"", 0, []
    ends = iter([*sizes, len(capture)])
    while base < len(capture):
        held = capture[base : min(len(capture), base + len(held) + next(ends, len(capture)))]
        final = base + len(held) == len(capture)
        record = cutter.cut(held, 0, len(held), base=base, final=final)
        if record is not None:
            found.append((base, record.length, record.little and record.proven, record.error and record.error.reason))
            base, held = base + record.length, held[record.length :]
    whole = [
        (record.offset, record.length, record.little and record.proven, record.error and record.error.reason)
        for record in cuts(framing, capture, parameters)
    ]
    assert found == whole


@given(capture=captures, every=st.integers(1, 30))
def test_parts_give_the_orders_of_the_whole(capture: bytes, every: int) -> None:
    chosen = pair().options({})
    whole = pa.Table.from_batches(pair().decoder(chosen).capture(capture), pair().decoder(chosen).schema)
    stream = io.BytesIO(capture)
    parts = divided(pair().decoder(chosen), capture, every)
    assert [start for _, start in parts[:-1]] == [start for start, _ in parts[1:]]
    found = []
    for start, stop in parts:
        stream.seek(start)
        found += pair().decoder(chosen).stream(stream.readinto, start=start, stop=stop)
    assert pa.Table.from_batches(found, whole.schema).equals(whole)
    assert all(one[1] == other[0] for one, other in pairwise(parts))
