"""Programs write what the codec writes, and the loops that follow them are plain Python, which LLVM compiles."""

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from columnar.tables_to_encode import EVENT, OPTIONS, change
from support import accelerator
from support.accelerator import with_llvm
from support.cases import often
from support.lockstep import damaged, rows_alike, table_of
from support.worked import every, every_by_both, examples, few, pair_of

from wireloom.backends.llvm import backend as llvm_backend
from wireloom.backends.llvm import write_kernel
from wireloom.columnar import encoding as tabular
from wireloom.columnar.execution import encoding
from wireloom.loops import accel
from wireloom_protocols import couchbase_dcp, databus

MARKER = {"start_seqno": 0, "end_seqno": 8, "snapshot_type": 1}


def tables(name: str, *, also: int = 0) -> Iterator[tuple[dict[str, Any], pa.Table]]:
    """The examples of a protocol as tables, with their parameters; and so many damaged ones of each."""
    random = Random(name)
    for parameters, records in examples(name):
        many = [*records, *(changed for record in set(records) for changed in damaged(record, random, also))]
        told = {**OPTIONS.get(name, {}), **parameters}
        table = table_of(pair_of(name).codec).decode_columnar(b"".join(many), mode="PERMISSIVE", **told)
        yield told, table.combine_chunks()


@accelerator.on
@with_llvm
@every_by_both
def test_examples_and_damage(name: str, pays: int, monkeypatch: pytest.MonkeyPatch) -> None:
    accelerator.pay(monkeypatch, pays)
    for parameters, table in tables(name, also=often(2, 4)):
        rows_alike(pair_of(name), table, **parameters)


@few  # columnar/test_lockstep.py writes all of them by numpy
def test_examples_and_damage_by_numpy(name: str) -> None:
    for parameters, table in tables(name, also=often(2, 4)):
        rows_alike(pair_of(name), table, **parameters)


@accelerator.on
@with_llvm
@every
def test_changed_rows(name: str) -> None:
    """Values that are missing, or of other rows."""
    random = Random(name)
    for parameters, table in tables(name):
        rows = table.to_pylist()
        for message in dict.fromkeys(row["message"] for row in rows if row["message"]):
            others = pair_of(name).codec.messages.keys() - {message}
            left = [column for column in table.schema.names if column not in others]
            found = [{column: row[column] for column in left} for row in rows if row["message"] == message]
            schema = table.select(left).schema
            for _ in range(often(2, 8)):
                changed = deepcopy([*found, *found])
                change(random, changed)
                rows_alike(pair_of(name), pa.Table.from_pylist(changed, schema), **parameters)


@accelerator.of_all_and_own
@pytest.mark.parametrize("name", [pytest.param("couchbase_dcp", marks=pytest.mark.sweep), "databus", "memcached"])
def test_a_debugger_can_walk_through_the_loop(name: str, pays: int, monkeypatch: pytest.MonkeyPatch) -> None:
    accelerator.pay(monkeypatch, pays)
    written = tabular.Encoder._written
    sound: list[int] = []

    def noted(self: tabular.Encoder, *given: Any) -> Any:
        found = written(self, *given)
        sound.append(0 if found is None else np.count_nonzero(found[1]))
        return found

    monkeypatch.setattr(tabular.Encoder, "_written", noted)
    monkeypatch.setattr(write_kernel, "compiled", lambda: write_kernel.run)
    monkeypatch.setattr(llvm_backend, "compiled_loop", accelerator.as_python)
    rows = 0
    for parameters, table in tables(name):
        table = table.take([*range(len(table))][:: accelerator.stride(name, pays)])
        with monkeypatch.context() as patched:
            patched.setattr(accel, "ENABLED", True)
            rows_alike(pair_of(name), table, **parameters)
        rows += len(table)
    assert sum(sound) > rows / 2


@accelerator.on
@with_llvm
@pytest.mark.parametrize("enough", [1, tabular._ENOUGH])
def test_batches_stand_one_behind_the_other(enough: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that programs write, and those that the codec builds as their attributes are missing, of any sizes, also
    where they are put together.
    """
    built: list[int] = []
    monkeypatch.setattr(tabular, "_ENOUGH", enough)
    build = tabular.Encoder._built
    monkeypatch.setattr(tabular.Encoder, "_built", lambda *given: built.append(len(given[2])) or build(*given))
    for sizes in ([0, 9], [3000, 0, 1], [1, 2, 3, 4000], [70, 80]):
        tables, records = [], []
        for size in sizes:
            fields = {**EVENT, "value": bytes(range(7)) * size}
            rows = [{"message": "dbus_event", "dbus_event": {**fields, "sequence": size + each}} for each in range(3)]
            given = pa.Table.from_batches(databus.to_batches(rows))
            records += [databus.build(row) for row in rows]
            decoded = databus.decode_columnar(b"".join(records[-3:]), byte_order="big")
            tables += [given, decoded] if size % 2 else [decoded, given]
            records += records[-3:]
        table = pa.concat_tables(tables)
        for found in (table, pa.RecordBatchReader.from_batches(table.schema, table.to_batches())):
            assert databus.encode_columnar(found, byte_order="big").to_pybytes() == b"".join(records)
    apart = [3] * 2 * 11
    assert built == (apart if enough == 1 else [3 * batches for batches in (2, 3, 4, 2) for _ in range(2)])


def mixed(random: Random, count: int) -> list[bytes]:
    """Records of three messages, two of them in several variants."""
    moved = {"variant": "v2_0", "version": 0, "max_visible_seqno": 1, "high_completed_seqno": 2}
    event = {"by_seqno": 7, "manifest_uid": 4, "scope_id": 8, "version": 0, "key": "name"}
    rows: list[dict[str, Any]] = [
        {"message": "snapshot_marker", "snapshot_marker": MARKER},
        {
            "message": "snapshot_marker",
            "magic": 8,
            "frame_infos": [{"id": 2, "stream_id": 7}],
            "snapshot_marker": {**MARKER, **moved},
        },
        {"message": "system_event", "system_event": {**event, "variant": "create_scope_v0", "event": 3}},
        {"message": "system_event", "system_event": {**event, "variant": "drop_scope_v0", "event": 4, "key": ""}},
        {"message": "dcp_noop", "dcp_noop": {}},
    ]
    return [couchbase_dcp.build({**random.choice(rows), "opaque": number}) for number in range(count)]


@accelerator.on
@with_llvm
@accelerator.of_all_and_own
def test_programs_take_turns(pays: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few rows each has among those of others at its turn, perhaps none."""
    accelerator.pay(monkeypatch, pays)
    monkeypatch.setattr(tabular.Encoder, "_built", None)
    monkeypatch.setattr(encoding, "_TURN", 3)
    records = mixed(Random("turns"), 500)
    assert couchbase_dcp.encode_records(couchbase_dcp.decode_columnar(b"".join(records))).to_pylist() == records


@accelerator.on
@with_llvm
def test_a_message_has_one_program_for_all_of_its_variants(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    program = encoding.WritingPrograms._program
    monkeypatch.setattr(
        encoding.WritingPrograms,
        "_program",
        lambda self, number, outlines: made.append(number) or program(self, number, outlines),
    )
    encoding._writing.cache_clear()
    table = couchbase_dcp.decode_columnar(b"".join(mixed(Random("variants"), 100)))
    couchbase_dcp.encode_columnar(table)
    assert len(made) == len(set(made)) == 3
    rows = table.to_pylist()
    strange = next(row for row in rows if row["message"] == "system_event")
    for variant in ("drop_scope_v0", "create_scope_v0", "v1", None):
        strange["system_event"]["variant"] = variant
        rows_alike(pair_of("couchbase_dcp"), pa.Table.from_pylist(rows, table.schema))


@accelerator.on
@with_llvm
@accelerator.of_all_and_own
@pytest.mark.parametrize("number", [-1, 200, 1 << 16])
def test_numbers_that_do_not_fit_or_select_another_message(
    number: int, pays: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column of a table has room for more than the bytes that it is written to, from which no number is loaded."""
    accelerator.pay(monkeypatch, pays)
    for name, records in (
        ("couchbase_dcp", mixed(Random("numbers"), 20)),
        (
            "databus",
            [databus.build({"message": "dbus_event", "dbus_event": EVENT | {"sequence": 1, "value": b""}})] * 3,
        ),
    ):
        table = table_of(pair_of(name).codec).decode_columnar(b"".join(records), **OPTIONS.get(name, {}))
        for field in table.schema:
            if not pa.types.is_integer(field.type) or number >> field.type.bit_width - 1 not in (0, -1):
                continue
            rows = table.to_pylist()
            rows[2][field.name] = number
            rows_alike(pair_of(name), pa.Table.from_pylist(rows, table.schema), **OPTIONS.get(name, {}))
        fields = table.schema.field("dbus_event").type if name == "databus" else ()
        for field in fields:
            rows = table.to_pylist()
            if pa.types.is_integer(field.type) and number >> field.type.bit_width - 1 in (0, -1):
                rows[1]["dbus_event"][field.name] = number
                rows_alike(pair_of(name), pa.Table.from_pylist(rows, table.schema), **OPTIONS.get(name, {}))


@accelerator.on
@with_llvm
def test_items_of_lists_are_written_by_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    ways: list[str] = []
    monkeypatch.setattr(tabular.Encoder, "_built", lambda *_: ways.append("_built"))
    infos: list[dict[str, Any]] = [{"id": 2, "stream_id": 7}, {"id": 1, "durability_level": 1, "durability_timeout": 9}]
    log = [{"vb_uuid": number, "vb_seqno": 0} for number in range(5)]
    logs = (
        {"message": "failover_log_response", "status": 0, "failover_log_response": {"entries": log[:count]}}
        for count in (1, 5, 0)
    )
    markers = (
        {"message": "snapshot_marker", "magic": 8, "frame_infos": infos[:count], "snapshot_marker": MARKER}
        for count in (0, 1, 2, 1)
    )
    for rows in (markers, logs):
        records = [couchbase_dcp.build(row) for row in rows]
        table = couchbase_dcp.decode_columnar(b"".join(records))
        assert couchbase_dcp.encode_records(table).to_pylist() == records
    assert ways == []


@accelerator.on
@with_llvm
@accelerator.of_all_and_own
def test_documents_and_tables_of_flatbuffers_are_written_by_programs(
    pays: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Documents are packed or not; what they unpack to stands nowhere in the record, and is compared byte for byte."""
    accelerator.pay(monkeypatch, pays)
    told = {"collections": "true"}
    document = {
        "by_seqno": 1, "rev_seqno": 2, "flags": 0, "expiration": 0, "lock_time": 0, "nmeta": 0, "nru": 0,
        "collection_id": 300, "document_key": "order",
    }  # fmt: skip
    event = {"variant": "dropped_collection_flatbuffer", "by_seqno": 7, "event": 1, "version": 2, "key": ""}
    attributes = [{"key": f"_{number}", "value": "{}" * number} for number in range(4)]
    rows: list[dict[str, Any]] = []
    for number, datatype in enumerate((1, 3, 5, 7) * 16):
        fields = {**document, "json": f'{{"number":{number}}}' * number}
        if datatype & 4:
            fields["xattrs"] = {"pairs": attributes[: number % 5]}
        rows.append({"message": "mutation", "datatype": datatype, "mutation": fields})
        table = {"uid": number, "scopeId": 8, "collectionId": number, "systemCollection": number % 2 == 0}
        rows.append({"message": "system_event", "system_event": {**event, "dropped_collection": table}})
    records = [couchbase_dcp.build(row, **told) for row in rows]
    decoded = couchbase_dcp.decode_columnar(b"".join(records), **told)
    with monkeypatch.context() as patched:
        patched.setattr(tabular.Encoder, "_built", None)
        assert couchbase_dcp.encode_records(decoded, **told).to_pylist() == records
        lengths = [name for name in decoded.schema.names if name.endswith("_length")]
        assert couchbase_dcp.encode_records(decoded.drop_columns(lengths), **told).to_pylist() == records
    contradicting = decoded.to_pylist()
    for number in range(0, len(rows), 6):
        contradicting[number]["mutation"]["json"] += "!"
        contradicting[number + 1]["system_event"]["dropped_collection"]["uid"] += 1
    changed = pa.Table.from_pylist(contradicting, decoded.schema)
    rows_alike(pair_of("couchbase_dcp"), changed, **told)
