"""``wireloom sql``: what a query may say, what comes out, and how it fails."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from pyarrow import parquet

from wireloom.cli import app
from wireloom.columnar.tables import Table
from wireloom_protocols import couchbase_dcp

UNKNOWN = couchbase_dcp.build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "cas": 2**64 - 1, "unknown": {}})
MARKER = couchbase_dcp.build({"snapshot_marker": {"start_seqno": 1, "end_seqno": 8, "snapshot_type": 1}})


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    path = tmp_path / "trace's.bin"
    path.write_bytes(UNKNOWN + MARKER + UNKNOWN + MARKER[:-1])
    return path


def ran(query: str, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["sql", query, *arguments])


def rows(query: str) -> list[Any]:
    done = ran(query)
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def call(path: Path, more: str = "") -> str:
    escaped = str(path).replace("'", "''")
    return f"couchbase_dcp('{escaped}'{more})"


def test_a_protocol_is_a_table(capture: Path) -> None:
    found = rows(f"select opcode, count(*) as n from {call(capture)} group by all order by n, opcode")
    assert found == [{"opcode": 0x56, "n": 2}, {"opcode": 0xB6, "n": 2}]


def test_a_call_may_stand_anywhere_and_more_than_once(capture: Path) -> None:
    table = call(capture, ", columns := ['opcode', 'message']")
    query = f"with t as (from {table}) select count(*) as a, (select count(*) from {table}) as b, "
    assert rows(f"{query} (select count(*) from t where opcode = 86) as c from t -- {table}") == [
        {"a": 4, "b": 4, "c": 2}
    ]
    assert rows(f"select count(*) as n from {table} x join {table} as y using (opcode)") == [{"n": 8}]


QUERIES = {
    "select count(*) as n from T ": ["message"],
    "select vbucket from T ": ["vbucket"],
    "select opcode from T where message = 'unknow'": ["message", "opcode"],
    "select opcode from T where message = 'snapshot_marker'": ["message", "opcode"],
    "select opcode from S where message = 'snapshot_marker'": ["message", "opcode", "snapshot_marker"],
    "select _corrupt_reason as r from T where snapshot_marker.end_seqno > 1": ["snapshot_marker", "_corrupt_reason"],
    "select opcode from T where message is null or cas > 5 order by opcode": ["message", "opcode", "cas"],
    "select snapshot_marker from T where message in ('other', 'snapshot_marker')": ["message", "snapshot_marker"],
    "select a.opcode, b.cas from T a join T b using (opcode) where b.vbucket = 0 order by all": [
        "opcode",
        "vbucket",
        "cas",
    ],
    "from T where opcode = 86": couchbase_dcp.arrow_schema.names,
}
"""The columns that each needs; to count, one will do. The table S has no dictionaries: only then does DuckDB pass on a
filter, in which a text may be the name of a column.
"""


@pytest.mark.parametrize("query", QUERIES)
def test_only_what_a_query_needs_is_decoded(
    capture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    asked: set[str] = set()

    def scan(self: Table, *given: Any, **options: Any) -> pa.RecordBatchReader:
        asked.update(options.get("columns") or ())
        return scanned(self, *given, **options)

    scanned = Table.scan
    monkeypatch.setattr(Table, "scan", scan)
    given = query.replace("T ", f"{call(capture)} ")
    given = given.replace("S ", call(capture, ", types := 'spark'") + " ")
    done = ran(given, "--format", "arrow", "--output", str(tmp_path / "found.arrow"))
    assert done.exit_code == 0, done.output
    assert asked == set(QUERIES[query])
    with duckdb.connect() as connection:
        connection.register("T", couchbase_dcp.scan(capture, mode="PERMISSIVE").read_all())
        expected = connection.sql(query.replace("S ", "T ")).to_arrow_table().to_pylist()
    assert pa.ipc.open_file(tmp_path / "found.arrow").read_all().to_pylist() == expected
    assert bool(expected) is ("unknow" not in query)


def test_columns_that_are_named_are_all_there_is(capture: Path) -> None:
    given = ", columns := ['snapshot_marker.end_seqno', 'opcode', 'snapshot_marker.start_seqno']"
    (row,) = rows(f"select snapshot_marker from {call(capture, given)} where snapshot_marker is not null")
    assert row == {"snapshot_marker": {"start_seqno": 1, "end_seqno": 8}}


def test_what_only_looks_like_a_call_is_left_alone(capture: Path) -> None:
    quoted = call(capture).replace("'", "''")
    assert rows(f"select '{quoted}' as text, 1 as couchbase_dcp") == [{"text": call(capture), "couchbase_dcp": 1}]


def test_arguments_are_those_of_scan(capture: Path) -> None:
    given = ", message := 'snapshot_marker', columns := ['end_seqno'], mode := 'DROPMALFORMED'"
    (row,) = rows(f"from {call(capture, given)}")
    assert row == {"end_seqno": 8}
    escaped = str(capture).replace("'", "''")
    query = f"select count(*) as n from couchbase_dcp(['{escaped}', '{escaped}'], positions := true) where _offset > 0"
    assert rows(query) == [{"n": 3}]


def test_values_are_as_decode_prints_them(capture: Path) -> None:
    decoded = CliRunner().invoke(app, ["decode", "couchbase_dcp", str(capture)])
    assert ran(f"from {call(capture)}").stdout == decoded.stdout


@pytest.mark.parametrize(
    ("given", "expected"),
    [("", (pa.uint8(), pa.uint64())), (", types := 'spark'", (pa.int16(), pa.decimal128(20, 0)))],
)
def test_columns_have_the_types_of_duckdb_unless_others_are_asked_for(
    capture: Path, tmp_path: Path, given: str, expected: tuple[pa.DataType, ...]
) -> None:
    path = tmp_path / "out.arrow"
    done = ran(f"select magic, cas from {call(capture, given)}", "--format", "arrow", "--output", str(path))
    assert done.exit_code == 0, done.output
    table = pa.ipc.open_file(path).read_all()
    assert tuple(table.schema.types) == expected
    assert table["cas"].to_pylist() == [2**64 - 1, 0, 2**64 - 1, 0]


def test_values_that_only_queries_make_are_json() -> None:
    found = rows(
        "select 1.5::float as f, 1.50::decimal(5,2) as d, date '2020-01-01' as t, 'nan'::double as n, sum(1) as s"
    )
    assert found == [{"f": 1.5, "d": "1.50", "t": "2020-01-01", "n": "NaN", "s": 1}]
    assert rows("select map(['a'], [blob 'x']) as m, interval 65536 milliseconds as i") == [
        {"m": [["a", "78"]], "i": "PT65.536S"}
    ]


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_results_are_written_to_files(capture: Path, tmp_path: Path, form: str) -> None:
    path = tmp_path / f"out.{form}"
    done = ran(f"select opcode from {call(capture)}", "--format", form, "--output", str(path))
    assert done.exit_code == 0, done.output
    table = parquet.read_table(path) if form == "parquet" else pa.ipc.open_file(path).read_all()
    assert sorted(table["opcode"].to_pylist()) == [0x56, 0x56, 0xB6, 0xB6]


def test_what_a_file_cannot_hold_is_told(tmp_path: Path) -> None:
    done = ran("select interval 1 day as i", "--format", "parquet", "--output", str(tmp_path / "out.parquet"))
    assert (done.exit_code, len(done.stderr.splitlines())) == (1, 1)
    assert done.stderr.startswith("wireloom: parquet cannot hold this; cast it: ")


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ("selec 1", 2, "Parser Error: syntax error"),
        ("select x from couchbase_dcp('HERE')", 2, "Binder Error: "),
        ("from nosuch('HERE')", 2, "Catalog Error: "),
        ("from couchbase_dcp()", 2, "couchbase_dcp() needs a path: couchbase_dcp('trace.bin')"),
        ("from couchbase_dcp('nosuch.bin')", 2, "there is no file or directory nosuch.bin"),
        ("from couchbase_dcp('HERE', mod := 'x')", 2, "unknown option 'mod'; did you mean 'mode'?"),
        ("from couchbase_dcp('HERE', mode := 'FAILFAST')", 1, "HERE: truncated: record at byte "),
        ("select 1 as a, 2 as b, 3 as a", 2, "two columns are called 'a'; rename one with AS"),
    ],
)
def test_it_fails_with_one_sentence(tmp_path: Path, query: str, status: int, said: str) -> None:
    (tmp_path / "a.bin").write_bytes(UNKNOWN + UNKNOWN[:-1])
    done = ran(query.replace("HERE", f"{tmp_path}/a.bin"))
    assert done.exit_code == status
    assert done.stderr.startswith(f"wireloom: {said.replace('HERE', f'{tmp_path}/a.bin')}")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("text", ["é", "日本語", "😀 ' || '"])
def test_a_query_may_have_any_letters_before_a_call(capture: Path, text: str) -> None:
    expected = [{"x": text.replace("' || '", ""), "n": 4}]
    assert rows(f"/* {text} */ select '{text}' as x, count(*) as n from {call(capture)} -- {text}") == expected
    path = capture.rename(capture.with_name("é 日.bin"))
    assert rows(f'select count(*) as "é" from {call(path)} as ü where ü.opcode > 0') == [{"é": 4}]


@pytest.mark.parametrize("query", ["", ";", " ", "-- nothing", "select '\udcff'"])
def test_what_is_no_query_is_told(query: str) -> None:
    done = CliRunner().invoke(app, ["sql", "--", query])
    assert done.exit_code == 2
    assert "the query" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("NULL", "path must be text"),
        ("5", "path must be text"),
        ("['a', NULL]", "path must be text"),
        ("'a', columns := 7", "columns must be a list of names"),
        ("'a', columns := [NULL]", "columns must be a list of names"),
        ("'a', filters := 7", "filters must be a list of tuples"),
    ],
)
def test_arguments_of_a_wrong_type_are_told(arguments: str, told: str) -> None:
    done = ran(f"from couchbase_dcp({arguments})")
    assert done.exit_code == 2
    assert told in done.stderr


@pytest.mark.parametrize("value", ["'infinity'::timestamp", "'-infinity'::date", "'290000-01-01'::date"])
def test_a_time_that_has_no_text_in_json_is_told(value: str) -> None:
    done = ran(f"select {value} as t")
    assert done.exit_code == 1
    assert "cast it to varchar" in done.stderr
    assert rows(f"select ({value})::varchar like '%-01-01' or true as t") == [{"t": True}]


def test_a_file_that_cannot_be_read_is_told_in_its_own_words(tmp_path: Path) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(b"no gzip")
    strictly = call(path, ", mode := 'FAILFAST'")
    done = ran(f"from {strictly}")
    assert done.exit_code == 1
    assert done.stderr.startswith(f"wireloom: {tmp_path}")
    (row,) = rows(f"from {call(path)}")
    assert row["_corrupt_reason"].startswith("damaged: ")


@pytest.mark.program
def test_the_program_says_nothing_else(tmp_path: Path) -> None:
    """Not even when it ends and DuckDB looks for what was left."""
    path = tmp_path / "a.bin"
    path.write_bytes(MARKER)
    command = [sys.executable, "-m", "wireloom", "sql", f"select count(*) as n from {call(path)}"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b'{"n":1}\n', b"")
