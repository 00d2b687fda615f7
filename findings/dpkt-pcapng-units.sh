#!/usr/bin/env bash
# Guess: dpkt counts the time of a pcapng packet in the unit of the interface that recorded it, and gives every packet of a file.
# What happens: all interfaces of a file have the unit of the first one, so with nanoseconds on the first interface and microseconds
#   on the second, packets of the second are a thousand times too early: in 1970. Simple Packet Blocks are passed over in silence.
# Version: dpkt 1.9.8. tshark and tcpdump give both packets the same time, and read the simple packet.
# Why it matters: recordings on several interfaces have such files; times, orders and counts are wrong without an error.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check dpkt==1.9.8
cat > "$folder/look.py" <<'PY'
import io
import struct
import sys

import dpkt


def block(kind, body):
    size = struct.pack("<I", 12 + len(body))
    return struct.pack("<I", kind) + size + body + size


def interface(unit):
    option = struct.pack("<HHBxxx", 9, 1, unit) + struct.pack("<HH", 0, 0)
    return block(1, struct.pack("<HHI", 1, 0, 0) + option)


def packet(number, stamp):
    return block(6, struct.pack("<IIIII", number, stamp >> 32, stamp & 0xFFFFFFFF, 60, 60) + bytes(60))


second = 1_700_000_000
simple = block(3, struct.pack("<I", 60) + bytes(60))
file = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)) + interface(9) + interface(6)
file += packet(0, second * 10**9) + packet(1, second * 10**6) + simple
found = [float(time) for time, _ in dpkt.pcapng.Reader(io.BytesIO(file))]
print("guess: 3 packets, the first two at 1700000000.0 s")
print(f"dpkt {dpkt.__version__}: {len(found)} packets, at {found}")
sys.exit(found != [1_700_000_000.0, 1_700_000.0])
PY
"$folder/env/bin/python" "$folder/look.py"
