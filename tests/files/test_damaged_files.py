"""Compressed files that end too early or were changed: what was read is kept, and one malformed row, or the log, tells
the rest, whoever reads them.
"""

import bz2
import gzip
import json
import lzma
import zlib
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from click.testing import CliRunner, Result
from pyarrow import ipc
from support import compiled
from support.cases import often
from support.http_talk import Burst, recorded
from support.paths import ROOT

from wireloom.cli import app
from wireloom.codec import DecodeError
from wireloom.compressed import DamagedFileError
from wireloom.files import opened
from wireloom_protocols import couchbase_dcp, pcap


def frame(cas: int) -> bytes:
    """A frame that is known by its CAS, and has as many bytes of noise as that."""
    values = {"message": "unknown", "magic": 0x80, "opcode": 0xF0, "cas": cas}
    return couchbase_dcp.build({**values, "unknown": {"value": Random(cas).randbytes(cas)}})


FRAMES = [frame(number) for number in range(60)]
CAPTURE = b"".join(FRAMES)
ENDS = [sum(map(len, FRAMES[: number + 1])) for number in range(len(FRAMES))]
ALL = list(range(len(FRAMES)))


class Found(NamedTuple):
    """What a reader found: the CAS of sound frames, and the bytes and the reasons of malformed ones."""

    sound: list[int]
    malformed: list[bytes]
    reasons: list[str]


Reader = Callable[[Path, str], Found]


def _of_rows(rows: list[dict[str, Any]]) -> Found:
    bad = [row for row in rows if row["_corrupt_reason"]]
    records = [row["_corrupt_record"] for row in bad]
    return Found(
        [int(row["cas"]) for row in rows if not row["_corrupt_reason"]],
        [bytes.fromhex(each) if isinstance(each, str) else each for each in records],
        [row["_corrupt_reason"] for row in bad],
    )


def scanned(path: Path, mode: str) -> Found:
    return _of_rows(couchbase_dcp.scan(path, mode=mode, positions=True).read_all().to_pylist())


def by_message(path: Path, mode: str) -> Found:
    tables = couchbase_dcp.decode_by_message([str(path)], mode=mode)
    return _of_rows([row for table in tables.values() for row in table.to_pylist()])


def ran(*arguments: object) -> Result:
    done = CliRunner().invoke(app, [*map(str, arguments)], catch_exceptions=False)
    if done.exit_code:
        assert done.exit_code == 1, done.stderr
        raise DecodeError("failed", done.stderr)
    return done


def as_lines(path: Path, mode: str) -> Found:
    done = ran("decode", "couchbase_dcp", path, "--mode", mode)
    return _of_rows([json.loads(line) for line in done.stdout.splitlines()])


def as_arrow(path: Path, mode: str) -> Found:
    done = ran("decode", "couchbase_dcp", path, "--mode", mode, "--format", "arrow")
    return _of_rows(ipc.open_file(BytesIO(done.stdout_bytes)).read_all().to_pylist())


def in_sql(path: Path, mode: str) -> Found:
    done = ran("sql", f"select * from couchbase_dcp('{path}', mode := '{mode}')")
    return _of_rows([json.loads(line) for line in done.stdout.splitlines()])


def in_spark(path: Path, mode: str, **options: str) -> Found:
    """As a task reads it, without a session."""
    from wireloom.spark.sources import source_of

    source = source_of("couchbase_dcp")({"path": str(path), "mode": mode, **options})
    reader = source.reader(source.schema())
    batches = [batch for part in reader.partitions() for batch in reader.read(part)]
    return _of_rows(pa.Table.from_batches(batches).to_pylist() if batches else [])


def in_stream(path: Path, mode: str, **options: str) -> Found:
    """As a stream reads it, without a session."""
    from spark.stepwise_query import Query

    return _of_rows(Query(path, mode=mode, **options).trigger())


READERS: dict[str, Reader] = {
    each.__name__: each for each in (scanned, by_message, as_lines, as_arrow, in_sql, in_spark, in_stream)
}
every_reader = pytest.mark.parametrize("reader", READERS.values(), ids=READERS)


def packed(data: bytes, suffix: str) -> bytes:
    return gzip.compress(data, 1) if suffix == ".gz" else pa.Codec("zstd").compress(data, asbytes=True)


def cut(tmp_path: Path, suffix: str, size: int, data: bytes = CAPTURE) -> Path:
    """A compressed file without its last bytes."""
    path = tmp_path / f"cut.bin{suffix}"
    path.write_bytes(packed(data, suffix)[:-size])
    return path


def inflated(path: Path) -> bytes:
    """What is known of a file's content, by zlib alone."""
    return zlib.decompressobj(31).decompress(path.read_bytes())


@every_reader
def test_what_was_read_of_a_file_that_was_cut_off_is_kept(reader: Reader, tmp_path: Path) -> None:
    path = cut(tmp_path, ".gz", 900)
    content = inflated(path)
    whole = [number for number, end in zip(ALL, ENDS, strict=True) if end <= len(content)]
    assert 0 < len(whole) < len(ALL)
    found = reader(path, "PERMISSIVE")
    assert found.sound == whole
    assert found.malformed == [content[ENDS[whole[-1]] :]]
    (reason,) = found.reasons
    assert reason.startswith(f"damaged: record at byte {ENDS[whole[-1]]}: the file cannot be read from here on: ")
    assert reader(path, "DROPMALFORMED") == (whole, [], [])
    with pytest.raises((DecodeError, DamagedFileError), match="cannot be read from here on"):
        reader(path, "FAILFAST")


@every_reader
def test_a_file_that_was_cut_off_between_records_has_a_row_without_bytes(reader: Reader, tmp_path: Path) -> None:
    path = cut(tmp_path, ".gz", 4)  # a part of what is behind the content
    assert reader(path, "PERMISSIVE")[:2] == (ALL, [b""])
    assert reader(path, "DROPMALFORMED") == (ALL, [], [])


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_wherever_a_file_is_cut_off_or_changed_a_row_tells_it(tmp_path: Path, suffix: str) -> None:
    whole = packed(CAPTURE, suffix)
    path = tmp_path / f"a.bin{suffix}"
    for seed in range(often(25, 3000)):
        random = Random(seed)
        at = random.choice([random.randrange(len(whole)), random.randrange(20), len(whole) - random.randrange(1, 20)])
        data = random.choice([whole[:at], whole + b"any", whole[:at] + random.randbytes(9) + whole[at:]])
        path.write_bytes(data)
        for reader in (scanned, as_lines) if seed % often(5, 1) == 0 else (scanned,):
            found = reader(path, "PERMISSIVE")
            assert found.reasons[-1].startswith("damaged: "), (seed, reader)
            assert found.sound == ALL[: len(found.sound)] or len(data) > len(whole), (seed, reader)
            assert reader(path, "DROPMALFORMED").sound == found.sound


def test_a_byte_that_was_changed_costs_little_in_front_of_it(tmp_path: Path) -> None:
    """The decompressor of a small file meets the damage in its first piece."""
    whole = packed(CAPTURE, ".gz")
    path = tmp_path / "a.bin.gz"
    for at in range(len(whole) // 4, len(whole), len(whole) // 5):
        path.write_bytes(whole[:at] + b"\xff" * 40 + whole[at + 40 :])
        content = zlib.decompressobj(31).decompress(whole[: at - 10])
        found = scanned(path, "PERMISSIVE")
        sound = sum(end <= len(content) - 64 for end in ENDS)
        assert found.sound[:sound] == ALL[:sound]
        assert found.reasons


@pytest.mark.parametrize("suffix", [".gz", ".zst", ".xz", ".bz2"])
def test_a_file_that_was_cut_off_is_read_up_to_there(tmp_path: Path, suffix: str) -> None:
    """Not only up to the piece of a megabyte in which it ends, but up to the block that is not whole."""
    data = b"".join(number.to_bytes(4, "big") for number in range(600_000))
    pack = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress, ".zst": pa.Codec("zstd").compress}[suffix]
    whole = bytes(pack(data))
    path = tmp_path / f"a{suffix}"
    path.write_bytes(whole[: len(whole) * 9 // 10])
    kept = b""
    with opened(str(path)) as stream, suppress(DamagedFileError):
        while True:
            kept += stream.read(1 << 20)
    assert data.startswith(kept)
    block = {".bz2": 900_000, ".zst": 400_000}.get(suffix, 250_000)
    assert len(kept) > len(data) * 9 // 10 - block


def test_rows_before_the_damage_are_those_of_what_can_be_read_ahead(tmp_path: Path) -> None:
    """Also of a file that is larger than what is read at once."""
    data = b"".join(frame(10_000 + number) for number in range(200))
    path = cut(tmp_path, ".gz", 30_000, data)
    content = inflated(path)
    table = couchbase_dcp.decode_columnar(content, mode="PERMISSIVE")
    assert scanned(path, "PERMISSIVE").sound == [int(cas) for cas in table["cas"].to_pylist()[:-1]]


def test_a_record_that_is_all_of_a_file_is_not_sound_if_the_file_was_cut_off(tmp_path: Path) -> None:
    table = compiled.feature("length_rest").columnar.TABLE
    numbers = bytes.fromhex("01") + b"\xff\xff" * 5000
    path = cut(tmp_path, ".gz", 8, numbers)
    assert table.decode_columnar(numbers).num_rows == 1
    (row,) = table.scan(path, mode="PERMISSIVE").read_all().to_pylist()
    assert row["_corrupt_reason"].startswith("damaged: ")
    assert row["_corrupt_record"] == inflated(path)


def test_lines_of_a_textual_form_are_kept(tmp_path: Path) -> None:
    capture = ROOT / "examples/captures/databus/windows.bin"
    text = ran("decode", "databus", capture).stdout
    done = CliRunner().invoke(app, ["encode", "databus", "--form", "json"], input=text.encode())
    lines = [line for line in done.stdout_bytes.splitlines(keepends=True) if line.startswith(b"{")]
    path = tmp_path / "lines.json.gz"
    path.write_bytes(gzip.compress(b"".join(lines), 0)[:-300])
    kept = inflated(path)
    *sound, last = map(json.loads, ran("decode", "databus", path, "--form", "json").stdout.splitlines())
    assert [row["_corrupt_reason"] for row in sound] == [None] * kept.count(b"\n")
    assert last["_corrupt_reason"].startswith("damaged: ")
    assert bytes.fromhex(last["_corrupt_record"]) == kept[kept.rindex(b"\n") + 1 :]


@pytest.mark.parametrize("reader", [in_spark, in_stream])
@pytest.mark.parametrize("mode", ["PERMISSIVE", "FAILFAST"])
def test_the_rest_of_a_file_is_left_out_if_that_is_wanted(
    reader: Callable[..., Found], mode: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = cut(tmp_path, ".gz", 900)
    whole = [number for number, end in zip(ALL, ENDS, strict=True) if end <= len(inflated(path))]
    assert reader(path, mode, ignoreCorruptFiles="true") == (whole, [], [])
    assert "the rest is skipped, because it cannot be read" in caplog.text
    path, _ = traffic(tmp_path, 900)
    caplog.clear()
    assert reader(path, mode, ignoreCorruptFiles="true").sound[:9] == ALL[:9]
    assert "the rest is skipped, because it cannot be read" in caplog.text


# --- recorded packets


def traffic(tmp_path: Path, cut_off: int) -> tuple[Path, bytes]:
    data = recorded([Burst(False, CAPTURE)], lambda: 100)
    path = tmp_path / "trace.pcap.gz"
    path.write_bytes(gzip.compress(data, 1)[:-cut_off])
    return path, data


@every_reader
def test_the_packets_of_a_file_that_was_cut_off_are_read(
    reader: Reader, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, _ = traffic(tmp_path, 900)
    content = inflated(path)
    packets = [row for row in pcap.decode_columnar(content, mode="PERMISSIVE").to_pylist() if row["captured_length"]]
    sent = 100 * (len(packets) - 2 - (packets[-1]["packet"] is None))
    sound = [number for number, end in zip(ALL, ENDS, strict=True) if end <= sent]
    found = reader(path, "DROPMALFORMED")
    assert found == (sound, [], [])
    assert "cannot be read from here on" in caplog.text
    with pytest.raises((DecodeError, DamagedFileError), match="cannot be read from here on"):
        reader(path, "FAILFAST")


@pytest.mark.parametrize("cut_off", [4, 900])
def test_a_summary_tells_of_damage(tmp_path: Path, cut_off: int) -> None:
    path, _ = traffic(tmp_path, cut_off)
    (row,) = couchbase_dcp.summary(path).to_pylist()
    assert "damaged: " in row["damage"]
    assert row["damage"].startswith("damaged") == (cut_off == 4)
    (row,) = couchbase_dcp.summary(cut(tmp_path, ".zst", cut_off)).to_pylist()
    assert row["first_reason"].startswith("damaged: ")
    assert row["malformed"] == 1


@pytest.mark.parametrize("kept", [0, 12, 1000])
def test_the_next_file_of_a_recording_goes_on(tmp_path: Path, kept: int) -> None:
    first, data = traffic(tmp_path, 1)
    first.write_bytes(first.read_bytes()[:kept])
    (tmp_path / "trace2.pcap").write_bytes(data)
    files = [first, tmp_path / "trace2.pcap"]
    table = couchbase_dcp.scan(files, mode="PERMISSIVE", rotated=True).read_all()
    sound = table.filter(pc.is_null(table["_corrupt_reason"]))
    assert [int(cas) for cas in sound["cas"].to_pylist()] == ALL
    (row,) = couchbase_dcp.summary(files, rotated=True).to_pylist()
    assert "damaged: " in row["damage"]
    with pytest.raises((DecodeError, OSError), match="cannot be read from here on"):
        couchbase_dcp.scan(files, rotated=True).read_all()


def test_inspect_shows_what_there_is(tmp_path: Path) -> None:
    shown = ran("inspect", "couchbase_dcp", cut(tmp_path, ".gz", 900)).stdout
    assert "damaged: " in shown
    assert "damaged: " in ran("inspect", "couchbase_dcp", cut(tmp_path, ".gz", 4)).stdout


# --- what is damaged, and what could not be read


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_file_that_cannot_be_read_is_not_a_damaged_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    from wireloom import files

    class Failing(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell() > 1000:
                raise OSError("the network is down")
            return super().read(min(size or 0, 600))

    class Remote:
        def reader(self, name: str, ahead: int) -> BytesIO:
            return Failing(packed(CAPTURE, suffix))

    monkeypatch.setattr(files, "located", lambda path: (Remote(), path))
    with opened(f"any{suffix}") as stream, pytest.raises(OSError, match="the network is down") as error:
        list(iter(lambda: stream.read(1000), b""))
    assert not isinstance(error.value, DamagedFileError)
