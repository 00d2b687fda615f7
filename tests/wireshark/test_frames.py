"""Frames of DCP in recorded packets: Wireshark's own dissector for Couchbase finds the same ones at its port."""

import subprocess
from collections import defaultdict
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from support.tapped import conversation, tool
from support.traffic import NUMBERS, PORT, Flow, disordered, written
from support.tshark import program
from traffic.talks import SESSIONS, joined

from wireloom_protocols import couchbase_dcp

pytestmark = pytest.mark.wireshark

Frame = tuple[int, int, bytes | None, int | None]
"""The opcode, the opaque, the key without its collection, and the seqno, where the codec has it."""


def ours(path: Path) -> dict[bool, list[Frame]]:
    """What the rows have, by whether the client sent it."""
    found: dict[bool, list[Frame]] = defaultdict(list)
    for row in couchbase_dcp.decode_columnar(path, mode="PERMISSIVE", connections=True).to_pylist():
        assert row["_corrupt_reason"] is None
        fields = row[row["message"]]
        key = fields.get("document_key")
        seqno = fields.get("by_seqno")
        found[row["_from_client"]].append((row["opcode"], row["opaque"], key and key.encode(), seqno))
    return found


def theirs(path: Path) -> dict[bool, list[Frame]]:
    """What tshark shows, which has to put segments in order first."""
    told = ("-o", "tcp.reassemble_out_of_order:TRUE", "-J", "couchbase tcp", "-T", "pdml")
    done = subprocess.run([program(), "-n", "-r", str(path), *told], capture_output=True, check=True)
    found: dict[bool, list[Frame]] = defaultdict(list)
    for packet in ElementTree.fromstring(done.stdout).iter("packet"):
        trees = [proto for proto in packet.iter("proto") if proto.get("name") == "couchbase"]
        if not trees:
            continue
        from_client = any(
            field.get("name") == "tcp.dstport" and field.get("show") == str(PORT) for field in packet.iter("field")
        )
        found[from_client] += map(frame, trees)
    return found


SHOWN = ("opcode", "opaque", "extras.by_seqno", "key.logical_key")


def frame(tree: ElementTree.Element) -> Frame:
    names = {f"couchbase.{name}": name for name in SHOWN} | {f"couchbase.server.{name}": name for name in SHOWN}
    values = {
        names[field.get("name", "")]: bytes.fromhex(field.get("value", ""))
        for field in tree.iter("field")
        if field.get("name") in names
    }
    opcode, opaque, seqno = (int.from_bytes(values[name], "big") if name in values else None for name in SHOWN[:3])
    assert opcode is not None
    assert opaque is not None
    return opcode, opaque, values.get("key.logical_key"), seqno


@pytest.mark.parametrize(
    ("damage", "size"), [("intact", 1460), ("pcapng", 8960), ("disordered", 1460), ("reordered", 8960)]
)
def test_the_dissector_for_couchbase_finds_the_same_frames(tmp_path: Path, size: int, damage: str) -> None:
    random, path = Random(f"{damage} {size}"), tmp_path / "talk.pcap"
    client = Flow("10.0.0.7", "10.0.0.1", 50000, PORT, NUMBERS - random.randrange(1000), size)
    talk = conversation(joined(SESSIONS[couchbase_dcp][0]), client)
    packets = talk.packets
    if damage in ("disordered", "reordered"):
        packets = packets[:3] + disordered(packets[3:-2], random, 4) + packets[-2:]
    written(path, packets)
    if damage == "pcapng":
        tool("editcap", "-F", "pcapng", path, path := tmp_path / "talk.pcapng")
    elif damage == "reordered":
        tool("reordercap", path, path := tmp_path / "ordered.pcap")
    expected, found = ours(path), theirs(path)
    assert {way: len(frames) for way, frames in found.items()} == {way: len(frames) for way, frames in expected.items()}
    for way, frames in expected.items():
        for mine, shown in zip(frames, found[way], strict=True):
            known = tuple(value if mine[number] is not None else None for number, value in enumerate(shown))
            assert known == mine
