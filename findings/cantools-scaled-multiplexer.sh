#!/usr/bin/env bash
# Guess: m1 selects a signal if the number of the multiplexer is 1, as the bits are: the DBC format compares numbers.
# What happens: the number is scaled first. With a factor of 2, a frame with the number 1 is refused, and the number 2 is
# never compared with 2 but with 4.
# Version: cantools 45.1.0.
# Why it matters: the signals of such a message are those of another page, or the frame is refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check cantools==45.1.0
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import cantools

DBC = """VERSION ""
BU_: A
BO_ 1 Pages: 1 A
 SG_ Page M : 0|4@1+ (2,0) [0|0] "" A
 SG_ Value m1 : 4|4@1+ (1,0) [0|0] "" A
"""
message = cantools.database.load_string(DBC, "dbc").get_message_by_name("Pages")
try:
    said = str(message.decode(b"\x51"))
except cantools.database.DecodeError as error:
    said = str(error)
print("guess: {'Page': 2, 'Value': 5}")
print("version:", version("cantools"))
print("decoded:", said)
if said != "expected multiplexer id 1, but got 2":
    sys.exit("the number is compared: this has changed")
PYTHON
