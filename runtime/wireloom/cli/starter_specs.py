"""The specs to start from: of framed records, of a file with a header, and of a file of which nothing is known."""

from collections.abc import Mapping
from pathlib import Path

FOLDER = Path("specs")
"""The folder of all specs."""


def framed_records(name: str) -> dict[Path, str]:
    """A small protocol of records that say how long they are, by the files that its specs are for."""
    return _named(name, {"protocol": _PROTOCOL, "reading": _READING})


def headed_file(name: str) -> dict[Path, str]:
    """A small format of files: a header, and records of the size that it says."""
    return _named(name, {"protocol": _FILE_PROTOCOL, "entry": _ENTRY})


def unknown_file(name: str) -> dict[Path, str]:
    """A format of which nothing is known yet: a file is one record, and all of it are bytes."""
    return _named(name, {"protocol": _UNKNOWN_PROTOCOL, "content": _CONTENT})


def _named(name: str, specs: Mapping[str, str]) -> dict[Path, str]:
    title = name.replace("_", " ").capitalize()
    return {
        FOLDER / name / f"{file}.yaml": text.replace("NAME", name).replace("TITLE", title)
        for file, text in specs.items()
    }


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

_READING = """\
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

_FILE_PROTOCOL = """\
# yaml-language-server: $schema=../schema.json
# What all files of the format share. The records are described in entry.yaml.
protocol: NAME
title: TITLE
doc: What the files are, who writes them and who reads them.
# source: {document: the document this is transcribed from, section: ..., revision: ...}

byte_order: little # or big

# Numbers with names. A number that is not listed stays a number.
enums:
  - name: Quality
    doc: How far an entry can be trusted.
    values:
      - {name: Good, value: 0, doc: Within the accuracy of the sensor.}
      - {name: Suspect, value: 1, doc: Out of the range of the last minutes.}

# The header, once at the beginning of the file. Records use its values by name, as entry_size below.
capture:
  doc: Every file begins with 16 bytes.
  fields:
    - {name: magic, type: bytes, size: 4, const: 4c4f4731, doc: The letters LOG1.}
    - {name: version, type: u16, valid: version == 1, doc: The version of the format.}
    - {name: entry_size, type: u16, unit: bytes, doc: Size of each entry.}
    - {name: station, type: text, size: 8, pad: "00", doc: Where the sensor is.}

# Records follow until the file ends. If something follows them, make the whole file one record instead: put all
# fields into it, with length: rest, and the entries as a list of a type.
record:
  length: entry_size
  fields:
    # Bytes that later versions append to entries are kept in the trailing column.
    - {section: body, size: rest, trailing: trailing_body, doc: One entry.}
"""

_ENTRY = """\
# yaml-language-server: $schema=../schema.json
message: entry
title: Entry
doc: One measurement.

match: {} # all records are alike; {kind: 1} if a field of the record says which message it is

sections:
  body:
    - {name: taken_at, type: u32, as: {timestamp: {unit: s}}, doc: When it was measured.}
    - {name: temperature, type: i16, as: {decimal: {scale: 0.01}}, unit: degrees Celsius, doc: The temperature.}
    - {name: quality, type: u8, enum: Quality, doc: How far it can be trusted.}

# `wireloom check` decodes each example, compares the result with this one, and encodes it again. An example is a record
# alone; parameters are values of the header.
examples:
  - name: A warm attic
    hex: |
      00 f1 53 65  66 08  00                                  # taken_at, temperature, quality
    parameters: {entry_size: 7}
    decoded: {taken_at: "2023-11-14T22:13:20Z", temperature: "21.50", quality: 0, quality_name: Good}
  - name: Cut off
    hex: 00 f1 53 65
    parameters: {entry_size: 7}
    malformed: truncated
"""

_UNKNOWN_PROTOCOL = """\
# What all files of the format share. Their fields are in content.yaml.
protocol: NAME
title: TITLE

byte_order: little # or big

# The whole file is one record.
record:
  length: rest
  fields:
    - {section: body, size: rest}
"""

_CONTENT = """\
# Write a field to a line, above unknown_bytes.
message: content
match: {}

sections:
  body:
    - {name: magic, type: bytes, size: 4}
    - {name: unknown_bytes, type: bytes, size: rest}
"""
