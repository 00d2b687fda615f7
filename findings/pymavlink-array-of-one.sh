#!/usr/bin/env bash
# Guess: a field of the type uint16_t[1] is a list of one number, as one of uint16_t[2] is a list of two.
# What happens: it is packed from a list and read as a number, so a message that was read cannot be packed again.
# Version: pymavlink 2.4.50.
# Why it matters: programs that forward messages fail with a TypeError, for the dialects that have such a field.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pymavlink==2.4.50
cd "$folder"
cat > own.xml <<'XML'
<mavlink><messages><message id="1" name="ONE"><description>One.</description><field type="uint16_t[1]" name="a">A list</field></message></messages></mavlink>
XML
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from pymavlink.generator import mavgen

options = mavgen.Opts("own", wire_protocol="2.0", language="Python3", validate=False)
assert mavgen.mavgen(options, ["own.xml"])
sys.path.insert(0, ".")
import own

message = own.MAVLink(None).decode(bytearray(own.MAVLink_one_message([500]).pack(own.MAVLink(None))))
print("guess: [500]")
print("version:", version("pymavlink"))
print("read:", message.a)
try:
    message.pack(own.MAVLink(None))
    sys.exit("what was read is packed: this has changed")
except TypeError as error:
    print("packed again:", error)
PYTHON
