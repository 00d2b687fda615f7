#!/usr/bin/env bash
# Guess: a position behind the end of a line is its end, also on the last line: the Language Server Protocol says that a
#   character beyond the length of a line defaults back to that length. So an insertion there appends.
# What happens: on a line without a line break, which only the last one can be, the text goes before the last character.
# Version: pygls 2.1.1, with lsprotocol 2025.0.0.
# Why it matters: an editor that selects "to the end" by a large number garbles the server's copy of a file that does not
#   end in a line break; what the server then says is about a text that nobody sees.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pygls==2.1.1 lsprotocol==2025.0.0
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from lsprotocol import types
from pygls.workspace import TextDocument


def appended(text: str, line: int) -> str:
    document = TextDocument("file:///a.txt", text)
    there = types.Position(line, 100)
    document.apply_change(types.TextDocumentContentChangePartial(range=types.Range(there, there), text="!"))
    return document.source


print("guess: 'one!\\ntwo\\n', 'one\\ntwo!'")
print("version:", version("pygls"))
with_break, without = appended("one\ntwo\n", 0), appended("one\ntwo", 1)
print(f"seen: {with_break!r}, {without!r}")
assert with_break == "one!\ntwo\n"
if without != "one\ntw!o":
    sys.exit("the end of the last line is another place: this has changed")
PYTHON
