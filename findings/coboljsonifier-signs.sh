#!/usr/bin/env bash
# Guess: a reader of COMP-3 takes every sign nibble that z/Architecture takes: a, c, e and f for plus, b and d for minus.
# What happens: coboljsonifier reads c, d and f, and raises ValueError for a, b and e.
# Version: coboljsonifier 1.0.8.
# Why it matters: data of other compilers and of older machines has them, and one such field costs the whole record.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check coboljsonifier==1.0.8
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from coboljsonifier.config.parser_type_enum import ParseType
from coboljsonifier.copybookextractor import CopybookExtractor
from coboljsonifier.parser import Parser

COPYBOOK = """\
       01 RECORD-1.
          05 AMOUNT              PIC S9(5) COMP-3.
"""
with TemporaryDirectory() as folder:
    path = Path(folder, "record.cob")
    path.write_text(COPYBOOK)
    parser = Parser(CopybookExtractor(str(path)).dict_book_structure, ParseType.BINARY_EBCDIC).build()
found = {}
for sign in "abcdef":
    try:
        parser.parse(bytes.fromhex(f"12345{sign}"))
        found[sign] = str(parser.value["AMOUNT"])
    except ValueError as error:
        found[sign] = f"ValueError: {error}"
print("guess: six numbers")
print("version:", version("coboljsonifier"))
for sign, read in found.items():
    print(f"  12345{sign}: {read}")
if [sign for sign, read in found.items() if read.startswith("ValueError")] != ["a", "b", "e"]:
    sys.exit("other signs are refused: this has changed")
PYTHON
