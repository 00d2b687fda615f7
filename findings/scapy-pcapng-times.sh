#!/usr/bin/env bash
# Guess: Scapy counts the time of a pcapng packet as its interface says: microseconds if it says nothing, with its if_tsoffset added;
#   and a Simple Packet Block, which has no time, is a packet without a time that is as long as the block says.
# What happens: an interface that says no unit has that of the interface described before it, also of another section. if_tsoffset is
#   ignored. A simple packet of an interface whose snap length is 0, which means no limit, is read as no bytes at all: an empty packet,
#   built with Scapy's defaults, and with the time of reading as its time.
# Version: Scapy 2.8.0. tshark and tcpdump read the units, the offset and the bytes.
# Why it matters: valid recordings get wrong times, and packets that nobody sent stand for those that were.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check scapy==2.8.0
cat > "$folder/look.py" <<'PY'
import io
import logging
import struct
import sys

logging.getLogger("scapy").setLevel(logging.CRITICAL)
import scapy
from scapy.utils import PcapNgReader, RawPcapNgReader

SECOND = 1_700_000_000


def block(kind, body):
    size = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + size + body + size


def option(code, value):
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def interface(*options):
    return block(1, struct.pack("<HHI", 101, 0, 0) + b"".join(options) + (option(0, b"") if options else b""))


IP = bytes.fromhex("450000140001000040006ae70a0000010a000002")
SIMPLE = block(3, struct.pack("<I", len(IP)) + IP)
SECTION = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))


def packet(number, stamp):
    return block(6, struct.pack("<IIIII", number, stamp >> 32, stamp & 0xFFFFFFFF, len(IP), len(IP)) + IP)


def times(file):
    return [float(each.time) for each in PcapNgReader(io.BytesIO(file))]


units = SECTION + interface(option(9, b"\x09")) + packet(0, SECOND * 10**9)
units += SECTION + interface() + packet(0, SECOND * 10**6)
offset = SECTION + interface(option(14, struct.pack("<q", SECOND))) + packet(0, 10**6)
(simple,) = [data for data, _ in RawPcapNgReader(io.BytesIO(SECTION + interface() + SIMPLE))]
found = times(units), times(offset), len(simple)
print("guess: [1700000000.0, 1700000000.0], [1700000001.0], 20 bytes")
print(f"Scapy {scapy.VERSION}: {found[0]}, {found[1]}, {found[2]} bytes")
sys.exit(found != ([1_700_000_000.0, 1_700_000.0], [1.0], 0))
PY
"$folder/env/bin/python" "$folder/look.py"
