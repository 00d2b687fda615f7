#!/usr/bin/env bash
# Guess: fields that a shorter message does not have are absent from what pyubx2 reads, or None.
# What happens: u-blox 7 sends NAV-PVT of 84 bytes, without headVeh, magDec and magAcc. The three are read as 0.0, as if
# the receiver had measured no declination and no error.
# Version: pyubx2 1.4.0.
# Why it matters: a missing accuracy that becomes 0 looks perfect, in logs and in whatever is computed from them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyubx2==1.4.0
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from pyubx2 import GET, UBXMessage, UBXReader

data = UBXMessage("NAV", "NAV-PVT", GET, payload=bytes(84)).serialize()
message = UBXReader.parse(data)
found = {name: getattr(message, name, "absent") for name in ("headVeh", "magDec", "magAcc")}
print("guess: absent, or None")
print("version:", version("pyubx2"))
print("read in a payload of", message.length, "bytes:", found)
if any(type(value) is str or value != 0 for value in found.values()):
    sys.exit("these are no zeros: this has changed")
PYTHON
