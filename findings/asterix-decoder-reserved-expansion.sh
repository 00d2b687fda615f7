#!/usr/bin/env bash
# Guess: a target report of category 048 with a reserved expansion field (RE) is one record, with that field or without.
# What happens: its definition of the category has no RE. All items of the report are dropped, without an error, and the
# field is read as more records: here one with a flight level that no aircraft reported, and an empty one.
# Version: asterix_decoder 0.7.11 (needs a C++ compiler).
# Why it matters: radars with Mode 5 send RE with every report, and the false records look like others.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check asterix_decoder==0.7.11
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import asterix

# 010 (0102) and RE, of four bytes with its length; as a record, these are 090 (0590) and a field specification of zeros
block = bytes.fromhex("300000" "81010102" "0102" "04059000")
records = asterix.parse(block[:1] + len(block).to_bytes(2) + block[3:])
items = [sorted(name for name in record if name.startswith("I")) for record in records]
print("guess: one record, with item 010")
print("version:", version("asterix_decoder"))
print("records and their items:", items)
if items != [[], ["I090"], []]:
    sys.exit("the records are others: this has changed")
PYTHON
