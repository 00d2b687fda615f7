#!/usr/bin/env bash
# Guess: a packet that is cut off at the end of a file is left out, as by FixedLength, or an error.
# What happens: VariableLength gives a row for it in which everything is 0, the identifier of the process as well, and
# nothing marks it but a line in the log.
# Version: ccsdspy 2.0.1.
# Why it matters: files end so whenever a pass ends, and zeros look like measurements.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ccsdspy==2.0.1
ccsdspy_CONFIGDIR="$folder" "$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version
from io import BytesIO

from ccsdspy import FixedLength, PacketField, VariableLength

fields = [PacketField(name="a", data_type="uint", bit_length=16)]
data = bytes.fromhex("0005c00000010007" "0005c00100010008" "0005c002000100")
found = [kind(fields).load(BytesIO(data))["a"].tolist() for kind in (FixedLength, VariableLength)]
print("guess: [7, 8] from both")
print("version:", version("ccsdspy"))
print("FixedLength:", found[0], "VariableLength:", found[1])
if found != [[7, 8], [7, 8, 0]]:
    sys.exit("the rows are others: this has changed")
PYTHON
