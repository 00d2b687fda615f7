"""A stream may end with a record without its terminator; bytes in front of a gap are no such record."""

from pathlib import Path

from support import compiled
from support.traffic import Flow, written

LINES = """
protocol: lines
byte_order: big
record:
  until: "0A"
  unterminated: allowed
  raw: line_end
  fields: [{section: body, size: rest}]
---
message: line
match: {}
sections: {body: [{name: text, type: text, size: rest}]}
"""
SENT = b"alpha\nbeta\ngamma\ndelta"


def found(path: Path) -> list[tuple[str | None, bytes | None, str | None]]:
    """Each row's text, what stands for its terminator, and the code of what is wrong with it."""
    rows = compiled.of(LINES).columnar.scan([path], mode="PERMISSIVE").read_all().to_pylist()
    return [
        (row["line"] and row["line"]["text"], row["line_end"], row["_corrupt_reason"] and row["_corrupt_reason"][:12])
        for row in rows
    ]


def test_the_last_record_of_a_stream_may_lack_its_terminator(tmp_path: Path) -> None:
    flow = Flow()
    segments = [flow.syn(), flow.segment(0, SENT[:8], number=1), flow.segment(8, SENT[8:], number=2)]
    lines = [("alpha", None, None), ("beta", None, None), ("gamma", None, None), ("delta", b"", None)]
    assert found(written(tmp_path / "whole.pcap", segments)) == lines


def test_bytes_in_front_of_a_gap_are_malformed(tmp_path: Path) -> None:
    flow = Flow()
    segments = [flow.syn(), flow.segment(0, SENT[:8], number=1), flow.segment(14, SENT[14:], number=3)]
    assert found(written(tmp_path / "gap.pcap", segments)) == [
        ("alpha", None, None),
        (None, None, "unterminated"),
        (None, None, "gap: record "),
        ("delta", b"", None),
    ]


def test_a_gap_between_records_leaves_them_sound(tmp_path: Path) -> None:
    flow = Flow()
    segments = [flow.syn(), flow.segment(0, SENT[:6], number=1), flow.segment(11, SENT[11:], number=3)]
    lines = found(written(tmp_path / "between.pcap", segments))
    assert lines[0] == ("alpha", None, None)
    assert lines[-1] == ("delta", b"", None)
    assert "unterminated" not in [code for _, _, code in lines]
