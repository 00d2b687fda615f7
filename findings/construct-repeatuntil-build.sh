#!/usr/bin/env bash
# Building a list whose end is the first 0 with construct, from items that have a 0 in the middle.
# Guess: an error, because the list that is built is not the one that was given; Array refuses a list of another length.
# What happens: RepeatUntil writes the items up to the first that ends the list, and drops the others without an error.
# Version: construct 2.10.70.
# Why it matters: what is written is a valid record that says something else. Compare what was built by parsing it again.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "construct==2.10.70"
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import construct
from construct import obj_

print("guess: an error for [5, 0, 7, 0]")
print("construct", construct.__version__)
items = construct.RepeatUntil(obj_ == 0, construct.Byte)
found = items.build([5, 0, 7, 0])
print("RepeatUntil:", found.hex())
try:
    construct.Array(2, construct.Byte).build([5, 0, 7, 0])
    refused = False
except construct.RangeError as error:
    print("Array:", type(error).__name__)
    refused = True
sys.exit(not (found == b"\x05\x00" and refused))
PYTHON
