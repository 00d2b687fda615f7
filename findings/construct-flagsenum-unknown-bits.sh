#!/usr/bin/env bash
# Parsing a byte of flags with construct, of which one bit has no name, and building it again.
# Guess: the same byte: Enum keeps a number that has no name, and gives it back.
# What happens: FlagsEnum gives the names alone. The bit without a name is gone, and the byte that is built is another.
# Version: construct 2.10.70.
# Why it matters: a record that was read and is written unchanged is not the same, and its checksum no longer holds. Flags of a
#   later version of a protocol are what this happens to.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "construct==2.10.70"
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import construct

print("guess: 07 from 07, as from an Enum")
print("construct", construct.__version__)
flags = construct.FlagsEnum(construct.Byte, ready=1, urgent=2)
number = construct.Enum(construct.Byte, ready=1, urgent=2)
found = {kind: each.build(each.parse(b"\x07")) for kind, each in (("Enum", number), ("FlagsEnum", flags))}
for kind, octets in found.items():
    print(f"{kind}: 07 becomes {octets.hex()}")
sys.exit(found != {"Enum": b"\x07", "FlagsEnum": b"\x03"})
PYTHON
