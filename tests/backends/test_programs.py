"""Programs say of records what the codec says, and the loops that follow them are plain Python, which LLVM compiles."""

import struct
from io import BytesIO
from random import Random
from typing import Any
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pytest
from protocols.made_up_sessions import dcp_session
from support import accelerator, compiled
from support.accelerator import with_llvm
from support.cases import often
from support.lockstep import Pair, assert_equal, capture_alike, damaged, records_alike
from support.worked import GENERATED, every, every_by_both, examples, few, orders, pair_of

from wireloom.backends.llvm import backend as llvm_backend
from wireloom.backends.llvm import kernel
from wireloom.backends.numpy import reader as numpy_reader
from wireloom.backends.numpy import writer as numpy_writer
from wireloom.columnar import decoder, memory_budget
from wireloom.columnar.execution import fused_scan, programs
from wireloom.columnar.execution.decoding import Machine
from wireloom.columnar.execution.fused_scan import FusedScan
from wireloom.columnar.scanning import Window
from wireloom.loops import accel
from wireloom.options import ReadOptions
from wireloom.programs import opcodes as op
from wireloom.programs import write_opcodes as writing
from wireloom.programs.support import unread
from wireloom_protocols import couchbase_dcp


def read_alike(name: str) -> None:
    """The examples of a protocol, and damaged ones, are read as the codec reads them."""
    random, pair = Random(name), pair_of(name)
    for parameters, records in examples(name):
        capture_alike(pair, b"".join(records) * 3, **parameters)
        capture_alike(pair, b"".join(records), labels="false", in_pieces=False, **parameters)
        many = [
            *records,
            *(changed for record in dict.fromkeys(records) for changed in damaged(record, random, often(4, 8))),
        ]
        messages = list(pair.codec.messages)
        for little in orders(name):
            records_alike(pair, many, little=little, **parameters)
            for message in random.sample(messages, min(2, len(messages))):  # which judges the headers of all
                records_alike(pair, many, little=little, message=message, **parameters)


@accelerator.on
@with_llvm
@every_by_both
def test_examples_and_damage(name: str, pays: int, monkeypatch: pytest.MonkeyPatch) -> None:
    accelerator.pay(monkeypatch, pays)
    read_alike(name)


@few  # columnar/test_lockstep.py reads all of them by numpy
def test_examples_and_damage_by_numpy(name: str) -> None:
    read_alike(name)


def test_numpy_follows_every_instruction() -> None:
    instructions = {*range(op.STORE_LIST + 1)}
    assert numpy_reader.METHODS.keys() == instructions
    assert numpy_writer.WRITING_METHODS.keys() - instructions == {*range(writing.ROW, writing.PAD + 1)}


@pytest.fixture
def sound(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Programs are followed by plain Python; the list becomes the masks of the rows that each finds sound."""
    found: list[Any] = []
    decode = Machine.decode

    def noted(self: Machine, *given: Any) -> Any:
        decoded = decode(self, *given)
        found.append(~decoded.doubtful)
        return decoded

    monkeypatch.setattr(Machine, "decode", noted)
    monkeypatch.setattr(kernel, "compiled", lambda: kernel.run)
    monkeypatch.setattr(llvm_backend, "compiled_loop", accelerator.as_python)
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
    monkeypatch.setattr(llvm_backend, "compiled_loop", asked)
    own = llvm_backend.LlvmRunner(np.zeros((1, 1), np.int64), 1)
    assert own.reading(10) is own.reading(10) is None
    asked.assert_called_once()


@pytest.mark.parametrize("name", GENERATED)
def test_all_messages_of_ours_have_programs(name: str) -> None:
    left = unread(pair_of(name).codec)
    assert list(left) == list(pair_of(name).codec.messages)
    assert not any(left.values())


def walked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Records are found, proven and decoded in one pass from the ninth on; the list has how many each pass found.

    Only what makes such a pass is compiled: others are read by the loop for all programs, which compiles once.
    """
    found: list[int] = []
    run = FusedScan.run

    def noted(self: FusedScan, *given: Any) -> Any:
        passed = run(self, *given)
        found.append(0 if passed is None else len(passed[0]))
        return passed

    monkeypatch.setattr(FusedScan, "run", noted)
    accelerator.pay(monkeypatch, 0)
    monkeypatch.setattr(llvm_backend.LlvmRunner, "reading", lambda *_: None)
    monkeypatch.setattr(fused_scan, "_LEAST", 1)
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
def test_programs_have_larger_batches_of_what_is_in_memory(accelerated: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoder, "BATCH_ROWS", 8)
    monkeypatch.setattr(decoder, "WHOLE_ROWS", 20)
    fields = {"message": "buffer_acknowledgement", "opaque": 1, "buffer_acknowledgement": {"buffer_bytes": 5}}
    capture = (couchbase_dcp.build({"message": "dcp_noop", "opaque": 1}) + couchbase_dcp.build(fields)) * 25
    streaming, whole = (
        decoder.Decoder(couchbase_dcp.PROTOCOL, ReadOptions(), couchbase_dcp.arrow_schema) for _ in range(2)
    )
    eights = [8] * 6 + [2]
    assert [len(batch) for batch in streaming.stream(BytesIO(capture).readinto)] == eights
    assert [len(batch) for batch in whole.capture(capture)] == ([20, 20, 10] if accelerated else eights)


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
@pytest.mark.parametrize("heaviest", [memory_budget.LISTS, 200])
def test_long_lists_beside_short_ones(heaviest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_budget, "LISTS", heaviest)
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
