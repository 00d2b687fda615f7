#!/usr/bin/env bash
# Headers in front of UDP that Scapy itself builds, and what it makes of the bytes when it reads them.
# Guess: what Scapy writes with known fields in front (a next header, an EtherType), it also finds again when it reads.
# What happens: behind IPsec's AH over IPv4, MACsec without encryption, and LLC in a Linux cooked capture, it stops: all that
#   follows is one layer Raw, without a warning, while behind PPP over Ethernet and MPLS it finds UDP.
# Version: Scapy 2.8.0.
# Why it matters: a test that compares packets with Scapy's reading of its own packets passes without UDP being looked at.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "scapy==2.8.0"
"$folder/venv/bin/python" - 2>"$folder/log" <<'PYTHON' || { tail -5 "$folder/log"; exit 1; }
import sys

import scapy
from scapy.contrib.macsec import MACsec
from scapy.contrib.mpls import MPLS
from scapy.layers.inet import IP, UDP
from scapy.layers.ipsec import AH
from scapy.layers.l2 import LLC, SNAP, CookedLinux, Ether
from scapy.layers.ppp import PPP, PPPoE

head, inner = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02"), IP() / UDP(sport=1, dport=2) / b"text"
built = {
    "PPPoE": head / PPPoE() / PPP() / inner,
    "MPLS": head / MPLS(s=1) / inner,
    "AH": head / IP() / AH(nh=17, payloadlen=4, icv=bytes(12)) / UDP(sport=1, dport=2) / b"text",
    "MACsec": head / MACsec(SC=0, E=0, C=0, PN=1, type=0x0800) / inner,
    "LLC, cooked": CookedLinux(proto=4) / LLC(dsap=0xAA, ssap=0xAA, ctrl=3) / SNAP() / inner,
}
found = {name: UDP in type(packet)(bytes(packet)) for name, packet in built.items()}
print("guess: UDP is found behind all of them")
print("scapy", scapy.VERSION)
for name, there in found.items():
    print(name, "UDP" if there else "Raw")
sys.exit(found != {"PPPoE": True, "MPLS": True, "AH": False, "MACsec": False, "LLC, cooked": False})
PYTHON
