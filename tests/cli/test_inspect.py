"""``wireloom inspect`` as somebody at a terminal meets it.

``inspected/PROTOCOL/NAME.txt`` is what it prints of the capture ``NAME.hex``. Adding a test is adding such a pair,
once its lines were read against the spec.
"""

import gzip
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.calls import CUT_OFF, MARKER, PROGRAM, STREAM, UNKNOWN, run
from wireloom.cli import incremental
from wireloom.cli.inspect import PAGE_RECORDS
from wireloom.codec import Protocol
from wireloom.codec.cutting import Cutter, cuts
from wireloom.inspection.wording import worded
from wireloom.options import resolve
from wireloom_protocols import couchbase_dcp, databus

INSPECTED = Path(__file__).with_name("expected")
GOLDEN = sorted(INSPECTED.glob("*/*.hex"))


def heads(output: str) -> list[str]:
    """The first lines of the records."""
    return [line for line in output.splitlines() if line.startswith("record")]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_is_printed(path: Path) -> None:
    result = run("inspect", path.parent.name, path, "--hex")
    assert result.stdout == path.with_suffix(".txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_is_expected_shows_the_bytes_that_it_is_about(path: Path) -> None:
    shown: dict[int, str] = {}
    for line in path.with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        found = re.match(r"  ([0-9a-f]{8})  ((?:[0-9a-f]{2} )*[0-9a-f]{2})(?:  |$)", line)
        if found:
            shown |= {int(found[1], 16) + at: byte for at, byte in enumerate(found[2].split())}
    text = re.sub(r"#.*", "", path.read_text(encoding="utf-8"))
    assert [shown[at] for at in sorted(shown)] == text.split()
    assert list(shown) == sorted(shown)


def test_record_shows_that_record_alone(capture: Path) -> None:
    result = run("inspect", "couchbase_dcp", capture, "--record", "1")
    assert heads(result.stdout) == ["record 1 at 0x2c: unknown, 24 bytes"]


def test_a_record_that_is_not_there_is_an_error_that_tells_the_last(capture: Path) -> None:
    result = run("inspect", "couchbase_dcp", capture, "--record", "3", status=1)
    assert result.stderr == f"wireloom: {capture}: there is no record 3; the last one is 2, counted from 0\n"


@pytest.mark.parametrize("offset", ["44", "0x2c", "0X2C"])
def test_offset_is_where_the_first_record_begins(capture: Path, offset: str) -> None:
    result = run("inspect", "couchbase_dcp", capture, "--offset", offset)
    assert heads(result.stdout)[0] == "record 0 at 0x2c: unknown, 24 bytes"
    assert result.stderr == f"wireloom: {capture}: started at byte 44; the bytes before it were skipped\n"


def test_offset_inside_a_record_shows_what_is_skipped_to_the_next() -> None:
    result = run("inspect", "databus", STREAM, "--offset", "1")
    assert heads(result.stdout)[:2] == [
        "record 0 at 0x1: 67 bytes, malformed",
        "record 1 at 0x44: dbus_event long_key, 61 bytes, big byte order",
    ]


@pytest.mark.parametrize("offset", ["-1", "1k", "", "0x", "1e3"])
def test_an_offset_that_is_no_number_is_refused(capture: Path, offset: str) -> None:
    result = run("inspect", "couchbase_dcp", capture, f"--offset={offset}", status=2)
    assert result.stderr == f"wireloom: --offset must be a number of bytes, such as 64 or 0x40, not {offset!r}\n"


def test_an_offset_behind_the_end_is_refused(capture: Path) -> None:
    result = run("inspect", "couchbase_dcp", capture, "--offset", "112", status=2)
    assert "has 111 bytes" in result.stderr


def test_only_shows_the_records_of_that_message(capture: Path) -> None:
    result = run("inspect", "couchbase_dcp", capture, "--only", "snapshot_marker")
    assert heads(result.stdout) == [
        "record 0 at 0x0: snapshot_marker v1, 44 bytes",
        "record 2 at 0x44: snapshot_marker, 43 bytes, malformed",
    ]


def test_only_of_a_message_there_is_not_tells_the_closest(capture: Path) -> None:
    result = run("inspect", "couchbase_dcp", capture, "--only", "snapshot_markr", status=2)
    assert "did you mean 'snapshot_marker'?" in result.stderr


def test_no_record_of_a_message_is_an_error(capture: Path) -> None:
    result = run("inspect", "couchbase_dcp", capture, "--only", "system_event", status=1)
    assert result.stderr == f"wireloom: {capture}: no record is a system_event\n"


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    result = run("inspect", "databus", path, status=1)
    assert result.stderr == f"wireloom: {path}: there is no record: the capture is empty\n"


@pytest.mark.parametrize("protocol", ["couchbase_dcp", "databus"])
@pytest.mark.parametrize("data", [b"\0", b"\x80", bytes(1 << 20), bytes(range(256)) * 64], ids=len)
def test_bytes_that_are_no_records_are_shown_as_such(protocol: str, data: bytes) -> None:
    result = run("inspect", protocol, "-", stdin=data)
    assert heads(result.stdout)[0].endswith("malformed")
    assert len(result.stdout.splitlines()) < 50


def test_standard_input_and_compressed_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "capture.bin.gz"
    path.write_bytes(gzip.compress(MARKER))
    expected = ["record 0 at 0x0: snapshot_marker v1, 44 bytes"]
    assert heads(run("inspect", "couchbase_dcp", path).stdout) == expected
    assert heads(run("inspect", "couchbase_dcp", "-", stdin=MARKER).stdout) == expected


def test_parameters_change_what_is_read() -> None:
    path = INSPECTED / "databus" / "big_endian.hex"
    result = run("inspect", "databus", path, "--hex", "-P", "repl_dbus=true")
    assert re.search(r"  61 62  +schema_version  +24930$", result.stdout, re.MULTILINE)


def test_a_wrong_parameter_is_misuse(capture: Path) -> None:
    result = run("inspect", "databus", capture, "-P", "byte_ordr=big", status=2)
    assert "did you mean 'byte_order'?" in result.stderr


# colours


@pytest.fixture
def in_colour(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Make the program believe in a terminal so many columns wide."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    return lambda width: monkeypatch.setenv("COLUMNS", str(width))


def without_colours(output: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", output)


def test_a_wide_terminal_has_fields_beside_bytes(capture: Path, in_colour: Callable[[int], None]) -> None:
    in_colour(140)
    result = run("inspect", "couchbase_dcp", capture, "--record", "0")
    assert "\x1b[" in result.stdout
    assert re.search(r"^  00000000  80 56 .*magic  0x80  ClientRequest", without_colours(result.stdout), re.MULTILINE)


def test_a_narrow_terminal_has_fields_below_bytes(capture: Path, in_colour: Callable[[int], None]) -> None:
    in_colour(100)
    shown = without_colours(run("inspect", "couchbase_dcp", capture, "--record", "0").stdout)
    assert re.search(r"^  magic  0x80  ClientRequest", shown, re.MULTILINE)


def test_a_field_and_its_bytes_have_the_same_colour(capture: Path, in_colour: Callable[[int], None]) -> None:
    in_colour(100)
    shown = run("inspect", "couchbase_dcp", capture, "--record", "0").stdout
    colours = {
        text: re.search(rf"\x1b\[(?:[0-9;]*;)?(3\d)m{text}\x1b", shown) for text in ("magic", "80", "opcode", "56")
    }
    assert {text: found and found[1] for text, found in colours.items()} == {
        "magic": "36",
        "80": "36",
        "opcode": "35",
        "56": "35",
    }


def test_the_wrong_bytes_are_marked(capture: Path, in_colour: Callable[[int], None]) -> None:
    in_colour(100)
    shown = run("inspect", "couchbase_dcp", capture, "--record", "2").stdout
    assert shown.count(";41m00\x1b") == 3  # white on red: what is left of the last field


def test_without_colours_a_terminal_has_the_plain_form(
    capture: Path, in_colour: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    in_colour(140)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("inspect", "couchbase_dcp", capture).stdout


# pages


def test_html_writes_a_page_and_prints_nothing(capture: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run("inspect", "couchbase_dcp", capture, "--html", page)
    assert result.output == ""
    assert page.read_text(encoding="utf-8").count('<section class="wl-record') == 3


def test_a_page_has_so_many_records_and_says_where_the_others_begin(tmp_path: Path) -> None:
    capture, page = tmp_path / "capture.bin", tmp_path / "page.html"
    capture.write_bytes(UNKNOWN * (PAGE_RECORDS + 1))
    result = run("inspect", "couchbase_dcp", capture, "--html", page)
    told = f"only the first {PAGE_RECORDS} records; --offset {24 * PAGE_RECORDS} shows the next ones"
    assert result.stderr == f"wireloom: {page}: {told}\n"
    written = page.read_text(encoding="utf-8")
    assert written.count('<section class="wl-record') == PAGE_RECORDS
    assert told in written


def test_no_page_is_written_of_no_record(capture: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run("inspect", "couchbase_dcp", capture, "--record", "9", "--html", page, status=1)
    assert not page.exists()


def test_a_capture_is_not_written_over_by_its_page(capture: Path) -> None:
    assert "would be overwritten" in run("inspect", "couchbase_dcp", capture, "--html", capture, status=2).stderr


# streams


def test_a_record_is_shown_before_the_next_is_there() -> None:
    arriving = iter([MARKER])
    found = incremental.pieces(lambda size: next(arriving), Cutter(couchbase_dcp.PROTOCOL.framing, {}), 0)
    assert next(found).data == MARKER


@given(st.lists(st.integers(1, 90)), st.sampled_from([couchbase_dcp.PROTOCOL, databus.PROTOCOL]))
def test_pieces_of_any_size_give_the_records_of_the_whole(sizes: list[int], protocol: Protocol) -> None:
    capture = STREAM.read_bytes() + MARKER + b"something else" + STREAM.read_bytes() + CUT_OFF
    parameters = resolve(protocol.parameters, {})
    steps, at = iter(sizes), 0

    def read(size: int) -> bytes:
        nonlocal at
        piece = capture[at : at + next(steps, size)]
        at += len(piece)
        return piece

    found = list(incremental.pieces(read, Cutter(protocol.framing, parameters), 0))
    whole = cuts(protocol.framing, capture, parameters)
    assert [(piece.offset, len(piece.data)) for piece in found] == [(cut.offset, cut.length) for cut in whole]
    assert b"".join(piece.data for piece in found) == capture


@pytest.mark.program
def test_whoever_reads_the_output_may_stop(tmp_path: Path) -> None:
    path = tmp_path / "capture.bin"
    path.write_bytes(MARKER * 5000)
    command = [*PROGRAM, "inspect", "couchbase_dcp", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ)) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"record 0 at 0x0: snapshot_marker v1, 44 bytes\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.parametrize(
    ("data", "shown"), [(b"", "0 bytes"), (b"\xca\xfe", "cafe"), (bytes(16), "00" * 16), (bytes(17), "17 bytes")]
)
def test_a_few_bytes_are_shown_as_they_are(data: bytes, shown: str) -> None:
    assert worded(data).text == shown
