#!/usr/bin/env bash
# Guess: in message 1020 all fields come in the units of the document, as the coordinates do, which are kilometres.
# What happens: five fields stay whole numbers: gamma (DF121), tau (DF124), delta tau (DF125), tau_c (DF133) and tau_GPS
# (DF135). They are to be multiplied by 2**-40, 2**-30, 2**-30, 2**-31 and 2**-30. Nothing in the result tells the two
# kinds of fields apart, but that one is a float and the other an int.
# Version: pyrtcm 1.2.1.
# Why it matters: a satellite's clock that is used as seconds is wrong by a factor of a thousand million.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyrtcm==1.2.1
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from pyrtcm import RTCMMessage, RTCMReader

LAYOUT = [(1020, 12), (7, 6), (13, 5), (0, 4), (0, 12), (0, 2), (10, 7)]  # up to tb
ORBIT = [(1, 24), (2048, 27), (1, 5)] * 3  # velocity, coordinate of 2048 * 2**-11 km, acceleration
REST = [(0, 1), (512, 11), (0, 3), (1024, 22), (3, 5), (0, 5), (0, 1), (0, 4), (0, 11), (0, 2), (0, 1), (0, 11),
        (1024, 32), (0, 5), (1024, 22), (0, 1), (0, 7)]
bits = "".join(f"{number:0{width}b}" for number, width in LAYOUT + ORBIT + REST)
payload = int(bits, 2).to_bytes(len(bits) // 8, "big")
message = RTCMReader.parse(RTCMMessage(payload=payload).serialize())
scaled = {name: getattr(message, name) for name in ("DF112", "DF115", "DF118")}
whole = {name: getattr(message, name) for name in ("DF121", "DF124", "DF125", "DF133", "DF135")}
print("guess: all in the units of the document")
print("version:", version("pyrtcm"))
print("coordinates, 2048 in steps of 2**-11 km:", scaled)
print("clock, whole numbers in steps of 2**-40 to 2**-30 s:", whole)
if set(scaled.values()) != {1.0} or whole != {"DF121": 512, "DF124": 1024, "DF125": 3, "DF133": 1024, "DF135": 1024}:
    sys.exit("these are other numbers: this has changed")
PYTHON
