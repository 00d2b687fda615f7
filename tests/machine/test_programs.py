"""Programs say of records what the codec says, and the loops that follow them are plain Python, which LLVM compiles."""

import struct
from collections.abc import Iterator
from io import BytesIO
from random import Random
from typing import Any
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protocols.made_up_sessions import dcp_session
from support import accelerator, compiled, sums
from support.cases import often
from support.lockstep import Pair, assert_equal, capture_alike, damaged, records_alike
from support.worked import GENERATED, every, every_by_both, examples, orders, pair_of

from wireloom.codec.checksums import Crc
from wireloom.columnar import accel, decoder, memory, programmed, weighing
from wireloom.columnar import sums as registers
from wireloom.columnar.buffers import Array
from wireloom.columnar.checksums import told
from wireloom.columnar.compiled import crc_loop
from wireloom.columnar.copies import copy_all
from wireloom.columnar.machine import kernel, loops, passing, programs, spelling
from wireloom.columnar.machine.decoding import Machine
from wireloom.columnar.machine.passing import OnePass
from wireloom.columnar.scanning import Window
from wireloom.options import ReadOptions
from wireloom_generator.reading.catalogue import ALGORITHMS
from wireloom_protocols import couchbase_dcp

with_llvm = pytest.mark.skipif(not accelerator.THERE, reason="LLVM is not there")


@accelerator.on
@with_llvm
@every_by_both
def test_examples_and_damage(name: str, pays: int, monkeypatch: pytest.MonkeyPatch) -> None:
    accelerator.pay(monkeypatch, pays)
    random, pair = Random(name), pair_of(name)
    monkeypatch.setattr(decoder, "_MOSTLY", 0)
    for parameters, records in examples(name):
        capture_alike(pair, b"".join(records) * 3, **parameters)
        capture_alike(pair, b"".join(records), labels="false", in_pieces=False, **parameters)
        many = [
            *records,
            *(changed for record in dict.fromkeys(records) for changed in damaged(record, random, often(4, 8))),
        ]
        for little in orders(name):
            records_alike(pair, many, little=little, **parameters)


@pytest.fixture
def sound(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Programs are followed by plain Python; the list becomes the masks of the rows that each finds sound."""
    found: list[Any] = []
    decode = Machine.decode

    def noted(self: Machine, *given: Any) -> Any:
        part, good = decode(self, *given)
        found.append(good)
        return part, good

    monkeypatch.setattr(Machine, "decode", noted)
    monkeypatch.setattr(kernel, "compiled", lambda: kernel.run)
    monkeypatch.setattr(loops, "compiled_loop", accelerator.as_python)
    return found


@accelerator.of_all_and_own
@pytest.mark.parametrize("name", GENERATED)
def test_a_debugger_can_walk_through_the_loop(
    name: str, pays: int, sound: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    accelerator.pay(monkeypatch, pays)
    pair, read = pair_of(name), 0
    for parameters, records in examples(name):
        chosen = pair.options(parameters)
        records = records[:: accelerator.stride(name, pays)]
        capture = b"".join(records) * 2
        decoding = pair.decoder(chosen)
        expected = pa.Table.from_batches(decoding.capture(capture), decoding.schema)
        cuts = [cut for cut, _ in decoding.scanner().scan(Window(capture))]
        with monkeypatch.context() as patched:
            patched.setattr(accel, "ENABLED", True)
            found = [batch for cut in cuts for batch in decoding.cuts(cut, "")]
        assert_equal(pa.Table.from_batches(found, decoding.schema), expected)
        read += len(records)
    assert sum(map(np.count_nonzero, sound)) > read / 2


def test_without_a_source_for_its_own_loop_a_program_goes_on_in_that_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another version may have been installed in place of the one that runs."""
    accelerator.pay(monkeypatch, 0)
    asked = Mock(side_effect=RuntimeError("the source of step has changed since it was imported"))
    monkeypatch.setattr(loops, "compiled_loop", asked)
    own = loops.Loops(np.zeros(1, np.int64))
    assert own.follow(10) is own.follow(10) is None
    asked.assert_called_once()


@pytest.mark.parametrize("name", GENERATED)
def test_all_messages_of_ours_have_programs(name: str) -> None:
    left = programmed.left(pair_of(name).codec)
    assert list(left) == list(pair_of(name).codec.messages)
    assert not any(left.values())


def walked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Records are found, proven and decoded in one pass from the ninth on; the list has how many each pass found."""
    found: list[int] = []
    run = OnePass.run

    def noted(self: OnePass, *given: Any) -> Any:
        passed = run(self, *given)
        found.append(0 if passed is None else len(passed[0]))
        return passed

    monkeypatch.setattr(OnePass, "run", noted)
    accelerator.pay(monkeypatch, 0)
    monkeypatch.setattr(passing, "_LEAST", 1)
    monkeypatch.setattr(decoder, "BATCH_ROWS", 8)
    monkeypatch.setattr(decoder, "WHOLE_ROWS", 8)
    return found


@accelerator.on
@with_llvm
@every
def test_records_of_one_message_in_one_pass(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    random, pair = Random(name), pair_of(name)
    walked(monkeypatch)
    for parameters, records in examples(name):
        for record in list(dict.fromkeys(records))[: often(2, 3)]:
            alike = [record] * 40
            for changed in damaged(record, random, 4):
                alike[random.randrange(10, 40)] = changed
            capture_alike(pair, b"".join(alike), mode="PERMISSIVE", **parameters)


@accelerator.on
@with_llvm
@pytest.mark.parametrize(("rows", "first"), [(40, 40), (600, 600), (4000, 2992)])
def test_a_pass_ends_in_front_of_anything_else(rows: int, first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = walked(monkeypatch)
    monkeypatch.setattr(decoder, "PASS_ROWS", rows)
    many, other = xattrs(1, 2) * 3000, couchbase_dcp.build({"message": "dcp_noop", "opaque": 1})
    table = capture_alike(pair_of("couchbase_dcp"), many + other + many + many[:-1], in_pieces=False, mode="PERMISSIVE")
    assert len(table) == 9001
    assert found[0] == first
    assert max(found) == rows


@accelerator.off_and_on
@pytest.mark.parametrize("mostly", [0, 2])
def test_programs_have_larger_batches_of_what_is_in_memory(
    accelerated: bool, mostly: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decoder, "BATCH_ROWS", 8)
    monkeypatch.setattr(decoder, "WHOLE_ROWS", 20)
    monkeypatch.setattr(decoder, "_MOSTLY", mostly)
    fields = {"message": "buffer_acknowledgement", "opaque": 1, "buffer_acknowledgement": {"buffer_bytes": 5}}
    capture = (couchbase_dcp.build({"message": "dcp_noop", "opaque": 1}) + couchbase_dcp.build(fields)) * 25
    streaming, whole = (
        decoder.Decoder(couchbase_dcp.PROTOCOL, ReadOptions(), couchbase_dcp.arrow_schema) for _ in range(2)
    )
    eights = [8] * 6 + [2]
    assert [len(batch) for batch in streaming.stream(BytesIO(capture).readinto)] == eights
    larger = [20, 8, 8, 4, 8, 2] if mostly else [20, 20, 10]  # the plan reads what is left to it
    assert [len(batch) for batch in whole.capture(capture)] == (larger if accelerated else eights)


@accelerator.on
@with_llvm
def test_documents_of_all_kinds() -> None:
    for capture in dcp_session.make(200, 2).captures.values():
        capture_alike(pair_of("couchbase_dcp"), capture, in_pieces=False)


def xattrs(*sizes: int) -> bytes:
    """A mutation whose document has so many extended attributes, with keys and values of these sizes."""
    pairs = [{"key": "k" * size, "value": "1" * size} for size in sizes]
    fields = {"by_seqno": 1, "rev_seqno": 1, "flags": 0, "expiration": 0, "collection_id": 8, "document_key": "k"}
    document = {"xattrs": {"pairs": pairs}, "json": "{}"}
    return couchbase_dcp.build(
        {"message": "mutation", "datatype": 5, "vbucket": 1, "opaque": 0, "mutation": fields | document}
    )


@accelerator.on
@with_llvm
@pytest.mark.parametrize("heaviest", [weighing.LISTS, 200])
def test_long_lists_beside_short_ones(heaviest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighing, "LISTS", heaviest)
    short, long = xattrs(1, 2), xattrs(*range(100))
    found = capture_alike(pair_of("couchbase_dcp"), short * 20 + long * 2 + short + long[:-3], mode="PERMISSIVE")
    assert len(found) == 24


SEVERAL = """\
protocol: several
byte_order: big
record:
  length: size
  fields:
    - {name: size, type: u8}
    - {section: body, size: size - 1}
---
message: one
match: {}
sections:
  body:
    - {name: byte, type: u8}
    - {name: signed, type: i16}
    - {name: wide, type: u64, table_type: long}
    - {name: first, type: u8, when: "byte in [1, 3, 5, 200, 300]"}
    - {name: second, type: u8, when: "signed not in [-3, -1, 0, 100]"}
    - {name: third, type: u8, when: "wide in [0, 5, 6, 9223372036854775807]"}
    - {name: fourth, type: u8, when: "wide in [3, 5, 6, 250]"}
"""


@accelerator.of_all_and_own
def test_one_of_several_numbers(pays: int, sound: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    accelerator.pay(monkeypatch, pays)
    monkeypatch.setattr(accel, "ENABLED", True)
    numbers = [(byte, 7, 7) for byte in range(256)]
    numbers += [(0, signed, 7) for signed in (-(2**15), *range(-6, 3), 99, 100, 101, 2**15 - 1)]
    numbers += [(0, 7, wide) for wide in (*range(9), 249, 250, 251, 255, 256, 259, 2**63 - 1)]
    records = []
    for byte, signed, wide in numbers:
        body = struct.pack(">BhQ", byte, signed, wide) + b"1" * (byte in (1, 3, 5, 200))
        body += b"2" * (signed not in (-3, -1, 0, 100)) + b"3" * (wide in (0, 5, 6, 2**63 - 1))
        body += b"4" * (wide in (3, 5, 6, 250))
        records.append(bytes([len(body) + 1]) + body)
    table = capture_alike(Pair.of(compiled.of(SEVERAL).columnar), b"".join(records), in_pieces=False)
    assert len(table) == len(numbers)
    assert sound
    assert all(mask.all() for mask in sound)


ENDS = """\
protocol: ends
byte_order: big
record:
  length: size
  fields:
    - {name: size, type: u8}
    - {section: body, size: size - 1}
enums:
  - {name: Depth, values: [{name: Lowest, value: -9223372036854775808}]}
---
message: one
match: {}
sections:
  body:
    - {name: depth, type: i64}
    - {name: below, compute: depth < 9223372036854775807, type: bool}
    - {name: above, compute: depth > 9223372036854775807, type: bool}
    - {name: least, compute: depth <= -9223372036854775807, type: bool}
    - {name: most, compute: depth >= 9223372036854775807, type: bool}
"""


@accelerator.of_all_and_own
def test_numbers_at_the_ends_of_their_type(pays: int, sound: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    accelerator.pay(monkeypatch, pays)
    monkeypatch.setattr(accel, "ENABLED", True)
    depths = [end + step for end in (-(2**63), 0, 2**63) for step in range(-2, 3) if -(2**63) <= end + step < 2**63]
    capture = b"".join(struct.pack(">Bq", 9, depth) for depth in depths)
    table = capture_alike(Pair.of(compiled.of(ENDS).columnar), capture, in_pieces=False)
    assert table["one"].combine_chunks().field("below").to_pylist() == [depth < 2**63 - 1 for depth in depths]
    assert sound
    assert all(mask.all() for mask in sound)
    labelled = compiled.of(ENDS.replace("type: i64}", "type: i64, enum: Depth}"))
    table = capture_alike(Pair.of(labelled.columnar), capture, in_pieces=False)
    assert table["one"].combine_chunks().field("depth_name").to_pylist() == ["Lowest", *[None] * (len(depths) - 1)]


@st.composite
def reflected(draw: st.DrawFn) -> Crc:
    bits = draw(st.integers(3, 64))
    poly, init, last = (draw(st.integers(0, (1 << bits) - 1)) for _ in range(3))
    return Crc(bits, poly | 1, init, draw(st.booleans()), draw(st.booleans()), last)


def sums_of(crc: Crc, data: bytes, behind: Any) -> int:
    """The checksum by what gives the register behind bytes in memory."""
    held, tables = np.frombuffer(data + b"\0", np.uint8), registers.word_tables(crc)
    at, flipped = held.ctypes.data, 0 if crc.reflect_in else registers.FLIPPED.ctypes.data
    begun = int(np.uint64(crc.initial).astype(np.int64))
    found = behind(begun, at, at + len(data), tables.ctypes.data, flipped)
    kind = np.uint32 if crc.bits <= 32 else np.uint64
    return int(told(crc, np.array([found], np.int64).view(np.uint64).astype(kind))[0])


@settings(derandomize=True, max_examples=60)
@given(crc=reflected(), data=st.binary(max_size=100))
def test_crcs_in_memory(crc: Crc, data: bytes) -> None:
    assert sums_of(crc, data, registers.behind) == crc(data)


@settings(derandomize=True, max_examples=20)
@given(crc=reflected(), data=st.binary(max_size=100))
def test_crcs_in_memory_of_processors_that_cannot_fold(crc: Crc, data: bytes) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(registers, "folds", lambda: False)
        assert sums_of(crc, data, registers.behind) == crc(data)


LOADS = ("u1", "u2", "u4", "i8", "u2_big", "u4_big", "i8_big")


def numbers(at: int, found: Array) -> None:
    """What each way to load finds, and how numbers are shifted."""
    found[0], found[1], found[2], found[3] = memory.u1(at), memory.u2(at), memory.u4(at), memory.i8(at)
    found[4], found[5], found[6] = memory.u2_big(at), memory.u4_big(at), memory.i8_big(at)
    found[7] = memory.shifted(memory.i8(at), 5)


def copies(to: int, at: int) -> None:
    """What each way to store writes."""
    memory.put1(to, memory.i8(at))
    memory.put2(to + 1, memory.i8(at))
    memory.put4(to + 3, memory.i8(at))
    memory.put8(to + 7, memory.i8(at))
    memory.move32(to + 15, at)
    memory.move(to + 47, at, 9)
    memory.fetch(0, at)


@accelerator.on
@with_llvm
def test_memory_is_the_same_compiled() -> None:
    random = Random("memory")
    load, store = accel.compiled(numbers), accel.compiled(copies)
    for _ in range(40):
        data = np.frombuffer(random.randbytes(64), np.uint8)
        found, expected = np.zeros((2, 8), np.int64)
        written, wanted = np.zeros((2, 64), np.uint8)
        load(data.ctypes.data + 3, found)
        numbers(data.ctypes.data + 3, expected)
        store(written.ctypes.data, data.ctypes.data + 3)
        copies(wanted.ctypes.data, data.ctypes.data + 3)
        assert found.tolist() == expected.tolist()
        assert written.tolist() == wanted.tolist()


@accelerator.off_and_on
def test_all_bytes_are_copied_and_no_others(accelerated: bool) -> None:
    copy = accel.compiled(copy_all) if accelerated else copy_all
    data = np.frombuffer(Random("copies").randbytes(200), np.uint8)
    for size in range(150):
        written = np.zeros(200, np.uint8)
        copy(written.ctypes.data + 20, data.ctypes.data + 7, size)
        assert written.tobytes() == bytes(20) + data[7 : 7 + size].tobytes() + bytes(180 - size)


def spell(to: int, at: int, found: Array) -> None:
    """Bytes in each way that they are spelled, and how long that is."""
    found[0] = spelling.spelled(to, at, 0)
    found[1] = spelling.spelled(to + 64, at, 1)
    found[2] = spelling.spelled(to + 128, at, 2)
    found[3] = spelling.spelled(to + 192, at, 3)


def spelled(loop: Any, data: bytes) -> list[str]:
    """The same as texts."""
    texts, sizes = np.zeros((4, 64), np.uint8), np.zeros(4, np.int64)
    loop(texts.ctypes.data, np.frombuffer(data, np.uint8).ctypes.data, sizes)
    return [bytes(text[:size]).decode() for text, size in zip(texts, sizes.tolist(), strict=True)]


@accelerator.on
@with_llvm
def test_bytes_are_spelled_as_by_the_codec() -> None:
    random, loop = Random("spelling"), accel.compiled(spell)
    for _ in range(400):
        data = bytes(random.choice([0, 0, 0, 9, 10, 99, 100, random.randrange(256)]) for _ in range(16))
        wanted = [meaning().value(data[:size]) for meaning, size in zip(spelling.WAYS, (4, 16, 6, 16), strict=True)]
        assert spelled(spell, data) == spelled(loop, data) == wanted
        assert all(len(text) <= longest for text, longest in zip(wanted, spelling.LONGEST, strict=True))


def known() -> Iterator[Crc]:
    """The CRCs that specs can name."""
    for algorithm in map(sums.algorithm, ALGORITHMS):
        if isinstance(algorithm, Crc):
            yield algorithm


@accelerator.on
@with_llvm
def test_crcs_are_the_same_compiled() -> None:
    compiled_crc = accel.compiled(crc_loop)
    random = Random("sums")
    for crc in known():
        for size in (*range(0, 72, 3), 128, 1003):
            data = random.randbytes(size)

            def behind(register: int, at: int, stop: int, tables: int, flipped: int) -> int:
                found = np.zeros(1, np.int64)
                compiled_crc(np.array([at]), np.array([stop]), 1, tables, register, flipped, found)
                return int(found[0])

            assert sums_of(crc, data, behind) == crc(data)


@accelerator.on
@with_llvm
def test_values_of_messages_stand_in_the_same_memory() -> None:
    wide = [dict.fromkeys(("start_seqno", "end_seqno", "snapshot_type"), 1), {"by_seqno": 5}]
    rows = zip(("snapshot_marker", "seqno_advanced"), wide, strict=True)
    records = [couchbase_dcp.build({"message": name, "opaque": 1, name: each}) for name, each in rows]
    before = pa.total_allocated_bytes()
    table = couchbase_dcp.decode_columnar(b"".join(records) * 20_000)
    taken = pa.total_allocated_bytes() - before
    values = [table["snapshot_marker"].combine_chunks().field(name) for name in ("start_seqno", "end_seqno")]
    values.append(table["seqno_advanced"].combine_chunks().field("by_seqno"))
    assert [each.to_pylist()[index] for index, each in zip((0, 0, 1), values, strict=True)] == [1, 1, 5]
    held = [name for name in table.column_names if table[name].null_count < len(table)]
    assert taken < sum(table[name].nbytes for name in held)


@accelerator.on
@with_llvm
def test_the_same_columns_have_the_same_programs_in_every_call(monkeypatch: pytest.MonkeyPatch) -> None:
    capture = dcp_session.make(200, 2).captures.popitem()[1]
    expected = couchbase_dcp.decode_columnar(capture, columns=["message", "cas", "mutation"])

    def refuse(*_: Any, **__: Any) -> None:
        pytest.fail("a program is made again")

    monkeypatch.setattr(programs.Program, "of", refuse)
    assert couchbase_dcp.decode_columnar(capture, columns=["message", "cas", "mutation"]).equals(expected)
