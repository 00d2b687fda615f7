#!/usr/bin/env bash
# Guess: a flight level below zero, as of an aircraft on the ground when the pressure is high, is read as such with every
# edition of category 048.
# What happens: I048/090 has a sign only in edition 1.32. With the others, -2 is written without an error and read as 4094.
# Version: libasterix 0.36.3.
# Why it matters: the aircraft that are lowest appear as the highest; the bits are the same in all editions.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check libasterix==0.36.3
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from asterix.base import Bits
from asterix.generated import manifest

found = {}
for edition in manifest["CATS"][48]:
    block = edition.create([edition.cv_record.create({"090": (0, 0, (-2.0, "FL"))})]).unparse().to_bytes()
    (record,) = edition.cv_uap.parse(Bits.from_bytes(block[3:]))
    level = record.get_item("090").variation.get_item("FL").variation.content.as_quantity("FL")
    found[edition.cv_edition] = (block.hex(), level)
print("guess: -2.0 in all editions")
print("version:", version("libasterix"))
for edition, (block, level) in found.items():
    print("edition", edition, "block", block, "flight level", level)
if len({block for block, _ in found.values()}) != 1 or {level for _, level in found.values()} != {-2.0, 4094.0}:
    sys.exit("the levels are others: this has changed")
PYTHON
