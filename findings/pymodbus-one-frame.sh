#!/usr/bin/env bash
# Guess: two frames in one buffer are read one by one; the first return value says how many bytes the first one took.
# What happens: the first frame is returned with the length of the whole buffer, so the second one is dropped, without an
# error or a warning. With a wrong checksum in the first frame, both are dropped.
# Version: pymodbus 3.16.1, FramerRTU.
# Why it matters: a recording of a line that is read in this way has one frame.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pymodbus==3.16.1
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from pymodbus.framer import FramerRTU
from pymodbus.pdu import DecodePDU
from pymodbus.pdu.register_message import ReadHoldingRegistersResponse

framer = FramerRTU(DecodePDU(False))
frames = [framer.buildFrame(ReadHoldingRegistersResponse(dev_id=1, registers=[number])) for number in (10, 20)]
used, first = framer.handleFrame(b"".join(frames), 0, 0)
damaged = framer.handleFrame(frames[0][:-1] + b"\0" + frames[1], 0, 0)
print("guess: 7 bytes used for the first frame")
print("version:", version("pymodbus"))
print("bytes of each frame:", len(frames[0]), "used:", used, "registers:", first.registers)
print("with a wrong checksum in the first: used", damaged[0], "frame", damaged[1])
if (len(frames[0]), used, damaged) != (7, 14, (14, None)):
    sys.exit("the frames are read one by one: this has changed")
PYTHON
