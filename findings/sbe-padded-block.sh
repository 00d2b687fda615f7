#!/usr/bin/env bash
# Guess: a message whose schema gives a blockLength above the sum of its fields is padded to it.
# What happens: the header says the schema's blockLength, but zeros are added only where a group follows. A message
# without groups ends too early, and what stands after it in a stream is read as a part of its block.
# Version: sbe 0.4.3 (Python).
# Why it matters: schemas leave such room for alignment and for later fields.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check sbe==0.4.3
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version
from io import StringIO

import sbe

SCHEMA = """<sbe:messageSchema xmlns:sbe="http://fixprotocol.io/2016/sbe" package="p" id="1" version="0" byteOrder="littleEndian">
<types>
<composite name="messageHeader"><type name="blockLength" primitiveType="uint16"/><type name="templateId" primitiveType="uint16"/>
<type name="schemaId" primitiveType="uint16"/><type name="version" primitiveType="uint16"/></composite>
<type name="number" primitiveType="uint8"/>
</types>
<sbe:message name="m" id="1" blockLength="8"><field name="a" id="1" type="number"/></sbe:message>
</sbe:messageSchema>"""
schema = sbe.Schema.parse(StringIO(SCHEMA))
data = schema.encode(schema.messages[1], {"a": 5})
said, there = int.from_bytes(data[:2], "little"), len(data) - 8
print("guess: as many bytes follow the header as its blockLength says")
print("version:", version("sbe"))
print(f"blockLength: {said}; bytes after the header: {there}; message: {data.hex()}")
if (said, there) != (8, 1):
    sys.exit("the block is padded: this has changed")
PYTHON
