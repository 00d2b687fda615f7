"""The command that writes rows as recorded packets."""

import json
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from pyarrow import parquet

from traffic.recorded_frames import FRAMES, PLAIN
from traffic.written_packets import ENDS, KINDS, SENT, lines, read, recorded, run, sent
from wireloom_protocols import couchbase_dcp


@pytest.mark.parametrize("kind", KINDS)
def test_the_command_writes_what_the_function_does(kind: str, tmp_path: Path) -> None:
    table = sent(PLAIN, Random(8))
    expected = recorded(tmp_path / f"expected.{kind}", couchbase_dcp, table).read_bytes()
    (tmp_path / "rows.jsonl").write_bytes(lines(table, couchbase_dcp))
    parquet.write_table(table, tmp_path / "rows.parquet")
    for source in ("rows.jsonl", "rows.parquet"):
        target = tmp_path / f"{source}.{kind}"
        run("encode", "couchbase_dcp", tmp_path / source, "--capture", kind, "--output", target)
        assert target.read_bytes() == expected
    piped = run("encode", "couchbase_dcp", "--capture", kind, stdin=lines(table, couchbase_dcp))
    assert piped.stdout_bytes == expected


def test_the_command_writes_malformed_rows_and_how_they_were_sent(tmp_path: Path) -> None:
    table = sent(couchbase_dcp.decode_columnar(FRAMES[0] + FRAMES[1][:-3], mode="PERMISSIVE"), Random(9), ENDS[:1])
    table = table.set_column(table.schema.names.index("_from_client"), "_from_client", pa.array([True, False]))
    printed = run("encode", "couchbase_dcp", "--capture", "pcap", stdin=lines(table, couchbase_dcp)).stdout_bytes
    (tmp_path / "trace.pcap").write_bytes(printed)
    assert read(tmp_path / "trace.pcap", couchbase_dcp).select(SENT).equals(table.select(SENT))


def test_rows_that_were_sent_are_written_end_to_end_too(tmp_path: Path) -> None:
    table = sent(PLAIN, Random(10))
    assert run("encode", "couchbase_dcp", stdin=lines(table, couchbase_dcp)).stdout_bytes == b"".join(FRAMES)
    assert couchbase_dcp.encode_columnar(table).to_pybytes() == b"".join(FRAMES)
    assert couchbase_dcp.build({**couchbase_dcp.parse(FRAMES[0]), **dict.fromkeys(SENT)}) == FRAMES[0]


@pytest.mark.parametrize(
    ("options", "status", "what"),
    [
        (["--capture", "cap"], 2, "unknown capture 'cap'; did you mean 'pcap'?"),
        (["--capture", "pcap", "--hex"], 2, "--capture pcap writes bytes; leave out --hex and --form"),
        (["--capture", "pcap"], 1, "standard input: line 1: _connection: expected two ends, such as"),
    ],
)
def test_the_command_says_what_is_wrong(options: list[str], status: int, what: str) -> None:
    row = json.dumps({"_corrupt_record": "00", "_connection": "here"}).encode()
    assert what in run("encode", "couchbase_dcp", *options, stdin=row, status=status).stderr
