#!/usr/bin/env bash
# Unpacking a buffer of two frames, as a rotated capture has that was appended to another, with zstandard and lz4.
# Guess: both frames are unpacked, as gzip, bz2 and lzma of the standard library unpack all members of theirs, and as both
#   formats say that frames one after the other are the content of one file.
# What happens: the functions that take bytes unpack the first frame and return, without an error; the functions that open a
#   file, of the same packages, unpack both.
# Version: zstandard 0.25.0, lz4 4.4.5.
# Why it matters: what is read depends on how it is read, and the rest of a capture is missing without a word. Compare the size
#   that was consumed, or read through the file functions.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "zstandard==0.25.0" "lz4==4.4.5"
"$folder/venv/bin/python" - <<'PYTHON'
import gzip
import io
import sys

import lz4.frame
import zstandard

print("guess: firstsecond, in each way")
print("zstandard", zstandard.__version__, "lz4", lz4.__version__)
frames = {each.__name__: each.compress(b"first") + each.compress(b"second") for each in (gzip, zstandard, lz4.frame)}
found = {
    "gzip.decompress": gzip.decompress(frames["gzip"]),
    "zstandard.decompress": zstandard.decompress(frames["zstandard"]),
    "zstandard.open": zstandard.open(io.BytesIO(frames["zstandard"])).read(),
    "lz4.frame.decompress": lz4.frame.decompress(frames["lz4.frame"]),
    "lz4.frame.open": lz4.frame.open(io.BytesIO(frames["lz4.frame"])).read(),
}
for way, octets in found.items():
    print(f"{way}: {octets.decode()}")
first = [way for way, octets in found.items() if octets == b"first"]
sys.exit(first != ["zstandard.decompress", "lz4.frame.decompress"])
PYTHON
