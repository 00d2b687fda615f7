#!/usr/bin/env bash
# Guess: to_file counts packets from its argument seq_count on, and from 16383 goes on with 0, as the 14 bits of a
# sequence count do.
# What happens: it counts from 0 whatever the argument is, and fails at the 16385th packet.
# Version: ccsdspy 2.0.1.
# Why it matters: files that are written one after the other look like the same packets once more.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ccsdspy==2.0.1
ccsdspy_CONFIGDIR="$folder" "$folder/venv/bin/python" - "$folder/packets" <<'PYTHON'
import sys
from importlib.metadata import version

import numpy as np
from ccsdspy import FixedLength, PacketField
from ccsdspy.utils import read_primary_headers

path = sys.argv[1]
layout = FixedLength([PacketField(name="a", data_type="uint", bit_length=16)])
layout.to_file(path, 0, 5, 0, 3, {"a": np.zeros(2, int)}, seq_count=100)
counts = read_primary_headers(path)["CCSDS_SEQUENCE_COUNT"].tolist()
try:
    layout.to_file(path, 0, 5, 0, 3, {"a": np.zeros(16_385, int)})
    many = "written"
except Exception as error:
    many = str(error)
print("guess: 100 and 101; 16385 packets are written")
print("version:", version("ccsdspy"))
print("counts:", counts, "16385 packets:", many)
if counts != [0, 1] or "16384" not in many:
    sys.exit("it counts otherwise: this has changed")
PYTHON
