#!/usr/bin/env bash
# Guess: a bit field of 64 bits, `uint64_t x : 64`, is the whole number.
# What happens: it is read as 0 or as its highest bit alone, and any number but 0 is refused: "0 <= x <= 0".
# Version: cffi 2.1.1.
# Why it matters: such fields are rare, and valid C; what is read is wrong without an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check cffi==2.1.1
"$folder/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import cffi

ffi = cffi.FFI()
ffi.cdef("struct s { uint64_t x : 64; };")
data = bytearray(b"\x01\x02\x03\x04\x05\x06\x07\x08")
struct = ffi.cast("struct s *", ffi.from_buffer(data))
read = struct.x
print("guess: 0x807060504030201")
print("version:", version("cffi"))
print(f"read: {read:#x}")
if read == 0x0807060504030201:
    sys.exit("it is the whole number: this has changed")
PYTHON
