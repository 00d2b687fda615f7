#!/usr/bin/env bash
# Guess: a reader of COMP and COMP-3 reads them with and without an S in the picture.
# What happens: coboljsonifier takes the usage of a picture without S for DISPLAY. It reads 65534 as 15, and raises
# ValueError for most others.
# Version: coboljsonifier 1.0.8.
# Why it matters: counts and identifiers seldom have a sign, and a wrong number looks like a right one.
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


def read(clauses: str, data: str) -> str:
    with TemporaryDirectory() as folder:
        path = Path(folder, "record.cob")
        path.write_text(f"       01 RECORD-1.\n          05 NUMBER-1              {clauses}.\n")
        parser = Parser(CopybookExtractor(str(path)).dict_book_structure, ParseType.BINARY_EBCDIC).build()
    try:
        parser.parse(bytes.fromhex(data))
    except ValueError as error:
        return f"ValueError: {error}"
    return str(parser.value["NUMBER-1"])


print("guess: 2, 65534, 12345, 12345")
print("version:", version("coboljsonifier"))
found = [
    read("PIC S9(4) COMP", "0002"),
    read("PIC 9(4) COMP", "fffe"),
    read("PIC S9(5) COMP-3", "12345c"),
    read("PIC 9(5) COMP-3", "12345f"),
]
print(*found, sep="\n")
if [found[0], found[1], found[2], found[3][:10]] != ["2", "15", "12345", "ValueError"]:
    sys.exit("this has changed")
PYTHON
