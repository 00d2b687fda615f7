#!/usr/bin/env bash
# Guess: ctypes lays out bit fields as the C compiler of the machine does.
# What happens: a field of another type begins a unit of its own or widens the one before it, and _pack_ packs no bits.
# Version: Python 3.11 to 3.13; 3.14 has `_layout_ = "gcc-sysv"`.
# Why it matters: sizes and offsets of what follows differ from those of the program that wrote the bytes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/main.c" <<'C'
#include <stdint.h>
#include <stdio.h>
struct next { uint32_t bits : 4; uint8_t byte; };
struct __attribute__((packed)) tight { uint32_t first : 20; uint32_t second : 20; };
int main(void) { printf("%zu %zu\n", sizeof(struct next), sizeof(struct tight)); return 0; }
C
cc -o "$folder/main" "$folder/main.c"
compiled=$("$folder/main")
python3 - "$compiled" <<'PYTHON'
import sys
from ctypes import Structure, c_uint8, c_uint32, sizeof


class Next(Structure):
    _fields_ = [("bits", c_uint32, 4), ("byte", c_uint8)]


class Tight(Structure):
    _pack_ = 1
    _fields_ = [("first", c_uint32, 20), ("second", c_uint32, 20)]


said = f"{sizeof(Next)} {sizeof(Tight)}"
print("guess: the sizes are those of the compiler,", sys.argv[1])
print("version: Python", sys.version.split()[0])
print("ctypes:", said)
if said == sys.argv[1]:
    sys.exit("they are the same: this has changed")
PYTHON
