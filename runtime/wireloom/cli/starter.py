"""``wireloom init``: the specs to start from."""

import keyword
import re
from pathlib import Path

import click

from wireloom.cli.diagnostics import MisuseError
from wireloom.cli.specs import compiler

_SPECS = Path("specs")


@click.command
@click.argument("name", help="The protocol's name: lower-case letters, digits and _.")
def init(name: str) -> None:
    """Create a small protocol to start from, in specs/NAME, with an example that runs as a test."""
    if keyword.iskeyword(name):
        raise MisuseError(f"{name!r} cannot be the name of a protocol: it is a keyword of Python")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise MisuseError(
            f"{name!r} cannot be the name of a protocol; use lower-case letters, digits and _, with a letter first"
        )
    if name in compiler("naming").IMPORTED:
        raise MisuseError(f"{name!r} is a package that generated modules import; choose a more specific name")
    folder = _SPECS / name
    if folder.exists():
        raise MisuseError(f"{folder} already exists; choose another name, or edit it")
    written = texts(name)
    schema = _SPECS / "schema.json"
    if not schema.exists():
        written[schema] = compiler("emitters.json_schema").schema()
    compiler("on_disk").put(written)
    for path in written:
        print(f"wrote {path}{', for completion and checks in editors' if path == schema else ''}")
    print("Edit these files, then run:")
    print("  wireloom check")
    print("  wireloom generate --out my_protocols")
    print(f"  wireloom decode my_protocols.{name} CAPTURE")


def texts(name: str) -> dict[Path, str]:
    """The specs of a small protocol to start from, by the files that they are for."""
    folder, title = _SPECS / name, name.replace("_", " ").capitalize()
    specs = {folder / "protocol.yaml": _PROTOCOL, folder / "reading.yaml": _MESSAGE}
    return {path: text.replace("NAME", name).replace("TITLE", title) for path, text in specs.items()}


_PROTOCOL = """\
# yaml-language-server: $schema=../schema.json
# What all records of the protocol share. One message is one more file in this folder; reading.yaml is the first.
protocol: NAME
title: TITLE
doc: What the records are, who writes them and who reads them.
# source: {document: the document this is transcribed from, section: ..., revision: ...}

byte_order: big # or little

# Numbers with names. A number that is not listed stays a number.
enums:
  - name: Quality
    doc: How far a reading can be trusted.
    values:
      - {name: Good, value: 0, doc: Within the accuracy of the sensor.}
      - {name: Suspect, value: 1, doc: Out of the range of the last minutes.}

record:
  doc: Every record is a header of five bytes and a body.
  # The length of a record, and what must hold before it is trusted.
  length: 5 + body_length
  proof: {valid: magic == 0x574c} # if records have a checksum, name its field instead: checksum: FIELD
  resync: true # after a damaged record, search for the next one
  fields:
    - {name: magic, type: u16, const: 0x574c, doc: Marks the start of a record.}
    - {name: kind, type: u8, doc: Selects the message. Unknown kinds are kept.}
    - {name: body_length, type: u16, unit: bytes, derive: size(body), doc: Checked when read; filled in when written.}
    # Messages fill the body. Bytes that a message does not describe are kept in the trailing column.
    - {section: body, size: body_length, trailing: trailing_body, doc: The fields of the message.}
"""

_MESSAGE = """\
# yaml-language-server: $schema=../schema.json
message: reading
title: Reading
doc: One measurement of one sensor.

match: {kind: 1}

sections:
  body:
    - {name: sensor_id, type: u32, doc: The sensor.}
    - {name: taken_at, type: i64, unit: milliseconds, doc: "When it was measured, since the Unix epoch."}
    - {name: temperature, type: f32, unit: degrees Celsius, doc: The temperature.}
    - {name: quality, type: u8, enum: Quality, doc: How far it can be trusted.}
    - {name: place, type: text, size: rest, doc: Where the sensor is.}

# `wireloom check` decodes each example, compares the result with this one, and encodes it again.
examples:
  - name: A warm attic
    hex: |
      57 4c  01  00 16                                        # magic, kind, body_length
      00 00 00 07  00 00 01 8b cf e5 68 00                    # sensor_id, taken_at
      41 ac 00 00  00  61 74 74 69 63                         # temperature, quality, place
    decoded:
      {kind: 1, sensor_id: 7, taken_at: 1700000000000, temperature: 21.5, quality: 0, quality_name: Good, place: attic}
  - name: Cut off
    hex: 57 4c 01 00 16 00 00
    malformed: truncated
"""
