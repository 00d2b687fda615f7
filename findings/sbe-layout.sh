#!/usr/bin/env bash
# Guess: what a schema says about the layout of a message is followed or refused: the offset of a field, the length of a
# type that is not char, the byte order; and a message without blockLength, which may be left out, has that of its fields.
# What happens: all four are ignored. Fields are one after the other, an array is its first item, integers are in little
# endian, and the header says that the block has 0 bytes.
# Version: sbe 0.4.3 (Python).
# Why it matters: values are read from other bytes, without an error. Readers that follow the header find no fields.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sbe==0.4.3
"$folder/venv/bin/python" - <<'PYTHON'
import struct
import sys
from importlib.metadata import version
from io import StringIO

import sbe

SCHEMA = """<messageSchema package="p" id="1" version="0" byteOrder="ORDER"><types>
<composite name="messageHeader"><type name="blockLength" primitiveType="uint16"/><type name="templateId" primitiveType="uint16"/>
<type name="schemaId" primitiveType="uint16"/><type name="version" primitiveType="uint16"/></composite>
<type name="number" primitiveType="uint8"/><type name="four" primitiveType="uint8" length="4"/>
</types><message name="m" id="1">FIELDS</message></messageSchema>"""


def schema(fields: str, order: str = "littleEndian") -> sbe.Schema:
    return sbe.Schema.parse(StringIO(SCHEMA.replace("FIELDS", fields).replace("ORDER", order)))


def read(fields: str) -> dict:
    return schema(fields).decode(struct.pack("<4H", 5, 1, 1, 0) + bytes((1, 2, 3, 4, 5))).value


number = '<field name="a" id="1" type="number"/>'
offset = read('<field name="a" id="1" type="number" offset="4"/>')
length = read('<field name="a" id="1" type="four"/><field name="b" id="2" type="number"/>')
big = schema(number, "bigEndian")
written = big.encode(big.messages[1], {"a": 7})
print("guess: a at offset 4 is 5; b after four bytes is 5; the header is 0001 0001 0001 0000")
print("version:", version("sbe"))
print(f"offset: {offset}; length: {length}; big endian, no blockLength: {written.hex(' ', -2)}")
if (offset, length["b"], written.hex()) != ({"a": 1}, 2, "000001000100000007"):
    sys.exit("the layout is followed: this has changed")
PYTHON
