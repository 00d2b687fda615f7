#!/usr/bin/env bash
# Guess: a status text, which is "UTF-8 encoded" by its description in common.xml, is read as UTF-8.
# What happens: texts are read as ASCII; each byte of other characters becomes U+FFFD. Their bytes are kept in an
# attribute whose name begins with an underscore.
# Version: pymavlink 2.4.50.
# Why it matters: logs made with it lose what vehicles say in other languages than English.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pymavlink==2.4.50
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from pymavlink.dialects.v20 import common

sender = common.MAVLink(None, 1, 1)
packet = common.MAVLink_statustext_message(4, "Höhe".encode()).pack(sender)
text = common.MAVLink(None).decode(bytearray(packet)).text
print("guess: Höhe")
print("version:", version("pymavlink"))
print("read:", ascii(text))
if text != "H\ufffd\ufffdhe":
    sys.exit("texts are read otherwise: this has changed")
PYTHON
