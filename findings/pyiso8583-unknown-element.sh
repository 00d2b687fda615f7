#!/usr/bin/env bash
# Guess: a message with a data element that the specification given to pyiso8583 does not have raises its DecodeError, as
# its documentation says of every error of decoding, and names the field.
# What happens: it raises a bare KeyError, both when such a message is decoded and, for encode, in place of EncodeError.
# Version: pyiso8583 4.0.1.
# Why it matters: specifications list what one's own host sends. A program that catches the documented errors, to log a
# message that it does not understand and go on, ends at the first one from a newer host.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pyiso8583==4.0.1
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import iso8583
from iso8583.specs import default_ascii

known = {key: default_ascii[key] for key in ("h", "t", "p", "1", "3")}
document = {"t": "0200", "3": "000000", "39": "00"}
message, _ = iso8583.encode(dict(document), default_ascii)
print("guess: DecodeError, EncodeError")
print("version:", version("pyiso8583"))
seen = []
for attempt in (lambda: iso8583.decode(message, known), lambda: iso8583.encode(dict(document), known)):
    try:
        attempt()
    except Exception as error:
        seen.append(type(error).__name__)
print("seen:", ", ".join(seen))
if seen != ["KeyError", "KeyError"]:
    sys.exit("these are not two KeyErrors: this has changed")
PYTHON
