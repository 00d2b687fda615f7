"""A small protocol and captures of it, worked by hand."""

from pathlib import Path

from wireloom_generator.lab.capture_bytes import FileBytes
from wireloom_generator.lab.session import Session
from wireloom_generator.lab.workspace import SpecDrafts

PROTOCOL = """\
protocol: meter
title: Meter
byte_order: big
record:
  length: 4 + size
  proof: {valid: magic == 0xca}
  resync: true
  fields:
    - {name: magic, type: u8, const: 0xca, doc: Begins a record.}
    - {name: kind, type: u8}
    - {name: size, type: u16, derive: size(body)}
    - {section: body, size: size, trailing: more}
"""
LEVEL = """\
message: level
match: {kind: 1}
sections:
  body:
    - name: tank
      type: u8
      doc: Which <b>tank</b>.
    - {name: millimetres, type: u16}
    - {name: at, type: u32, as: {timestamp: {unit: s}}}
"""
ALARM = """\
message: alarm
match: {kind: 2}
sections:
  body:
    - {name: text, type: text, size: rest}
"""

FIRST = bytes.fromhex("ca 01 0007 05 0100 00000e10")
"""Tank 5, 256 mm, an hour after the Unix epoch."""
SECOND = bytes.fromhex("ca 02 0004 6c65616b")
"""An alarm: ``leak``."""
THIRD = bytes.fromhex("ca 01 0007 06 0003 00001c20")
"""Tank 6, 3 mm, two hours after the Unix epoch."""
NOISE = bytes(range(0x10, 0x20))
"""Sixteen bytes of no record."""


def specs(folder: Path) -> Path:
    """Write the specs into a folder of their own."""
    made = folder / "meter"
    made.mkdir(parents=True)
    for name, text in (("protocol", PROTOCOL), ("level", LEVEL), ("alarm", ALARM)):
        (made / f"{name}.yaml").write_text(text)
    return made


def opened(folder: Path, capture: bytes) -> Session:
    """A session with the specs in a new folder, and a capture, whose records are all found."""
    file = folder / "capture.bin"
    file.write_bytes(capture)
    session = Session(SpecDrafts([specs(folder)]), FileBytes(file))
    decoded(session)
    return session


def decoded(session: Session) -> None:
    """Check the drafts, and find all records."""
    index = session.adopt(session.check())
    if index is not None:
        index.build()
