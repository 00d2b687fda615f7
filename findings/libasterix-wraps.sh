#!/usr/bin/env bash
# Guess: a quantity that an item cannot hold is an error, or becomes the largest that it can.
# What happens: it is written as another number, without an error or a warning: what is left when the highest bits are cut
# off. Letters that have no code, such as small ones, are written as code 0, and vanish in reading.
# Version: libasterix 0.36.3.
# Why it matters: a track that is known to 2 nautical miles is written as one that is known exactly.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check libasterix==0.36.3
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from asterix.base import Bits
from asterix.generated import Cat_048_1_32 as Category

written = {"210": ((2.0, "NM"), (1.0, "NM"), 0, 0), "240": "dlh65A"}
block = Category.create([Category.cv_record.create(written)]).unparse().to_bytes()
(record,) = Category.cv_uap.parse(Bits.from_bytes(block[3:]))
sigma = record.get_item("210").variation.get_item("SIGX").variation.content.as_quantity("NM")
name = record.get_item("240").variation.content.as_string()
print("guess: an error, or 1.99 NM and DLH65A")
print("version:", version("libasterix"))
print("written: 2.0 NM and dlh65A; read:", sigma, "NM and", repr(name))
if (sigma, name) != (0.0, "65A  "):
    sys.exit("these are other values: this has changed")
PYTHON
