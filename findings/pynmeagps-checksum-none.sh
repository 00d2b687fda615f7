#!/usr/bin/env bash
# Guess: a sentence that is made of a list of values gets its checksum, whatever its name.
# What happens: where pynmeagps does not know the name (an equipment maker's, or one that a newer standard has), the line
# ends with the text *None in place of a checksum, without an error or a warning.
# Version: pynmeagps 1.1.8.
# Why it matters: receivers drop such a line in silence; those that do not check take it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pynmeagps==1.1.8
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from pynmeagps import GET, NMEAMessage

known = NMEAMessage("GP", "TXT", GET, payload=["01", "01", "02", "hello"]).serialize()
unknown = NMEAMessage("GP", "XYZ", GET, payload=["1"]).serialize()
print("guess: two hexadecimal digits after the asterisk of both")
print("version:", version("pynmeagps"))
print(known, unknown)
if unknown != b"$GPXYZ,1*None\r\n":
    sys.exit("the checksum is not None: this has changed")
PYTHON
