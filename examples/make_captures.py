"""Makes the sample captures: what the specs show as examples, and invented sessions written by the builders.

    python examples/make_captures.py [DIRECTORY]

The same bytes every time. Records that do not belong in a clean capture are in them on purpose: unknown ones, malformed
ones, one that is cut off.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import gps_drive
import recorded_session
import yaml

from wireloom_protocols import couchbase_dcp, databus, memcached

HERE = Path(__file__).parent
SPECS = HERE.parent / "specs"
CAPTURES = HERE / "captures"


def make(target: Path = CAPTURES) -> list[Path]:
    """Write all captures below ``target``; the files."""
    files = {
        "couchbase_dcp/session.bin": b"".join(dcp_session()),
        "memcached/session.bin": b"".join(memcached_session()),
        "databus/windows.bin": b"".join(databus_windows()),
        "traffic/session.pcap": recorded_session.make().data,
        "ubx/drive.ubx": gps_drive.make(),
        "databus_json/windows.json": json_lines(databus, "json", b"".join(databus_windows(damaged=False))),
    }
    for protocol in (couchbase_dcp, databus, memcached):
        files |= examples(protocol)
    for name, data in files.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return [target / name for name in files]


def examples(protocol: ModuleType) -> dict[str, bytes]:
    """The worked examples of a protocol's spec: those of one record in one capture, each other in its own."""
    name = protocol.PROTOCOL.name
    files: dict[str, bytes] = {f"{name}/examples.bin": b""}
    for spec in _specs(name):
        for example in yaml.safe_load(spec.read_text()).get("examples", ()):
            data = from_hex(example["hex"])
            rows = list(protocol.iter_records(data, "PERMISSIVE", **example.get("parameters", {})))
            if len(rows) == 1:
                files[f"{name}/examples.bin"] += data
            else:  # its lengths are wrong, so nothing after it can be found
                slug = "".join(letter if letter.isalnum() else "_" for letter in example["name"].lower())
                files[f"{name}/{spec.stem}_{slug}.bin"] = data
    return files


def _specs(name: str) -> list[Path]:
    """The files of a protocol, and those of messages that it takes from libraries."""
    protocol = yaml.safe_load((SPECS / name / "protocol.yaml").read_text())
    libraries = (path for library in protocol.get("imports", ()) for path in (SPECS / library).rglob("*.yaml"))
    taken = [path for path in libraries if path.stem in protocol.get("messages", ())]
    return sorted([*(SPECS / name).rglob("*.yaml"), *taken], key=lambda path: path.name)


def from_hex(text: str) -> bytes:
    """Hex text as the specs have it, comments and all."""
    return bytes.fromhex(" ".join(line.partition("#")[0] for line in text.splitlines()))


def dcp_session() -> Iterator[bytes]:
    """A consumer learns the histories of four vbuckets, and streams them: snapshots, collections, documents."""
    build = couchbase_dcp.build
    for vbucket in range(4):
        header = {"vbucket": vbucket, "opaque": 100 + vbucket}
        yield build({"message": "failover_log_request", **header})
        entries = [{"vb_uuid": 0xA1B2C3 + 7919 * (vbucket + age), "vb_seqno": 400 - 150 * age} for age in range(3)]
        answer = {"variant": "success", "entries": entries[vbucket % 3 :]}
        header = {"status": 0, "opaque": 100 + vbucket}
        yield build({"message": "failover_log_response", **header, "failover_log_response": answer})
    yield build({"message": "dcp_noop", "opaque": 1, "dcp_noop": {}})
    yield build({"message": "unknown", "magic": 0x80, "opcode": 0xB6, "opaque": 2, "unknown": {}})
    for number, (vbucket, key) in enumerate([(0, "orders"), (1, "customers"), (2, "invoices"), (3, "returns")]):
        yield from _collection(vbucket, key, number)
    yield build({"message": "snapshot_marker", "vbucket": 0, "opaque": 200, "snapshot_marker": _marker(16, 25)})[:30]


def _collection(vbucket: int, key: str, number: int) -> Iterator[bytes]:
    """One vbucket's stream: a snapshot, a collection created, documents, and now and then the collection dropped."""
    build = couchbase_dcp.build
    header = {"vbucket": vbucket, "opaque": 200 + vbucket}
    yield build({"message": "snapshot_marker", **header, "snapshot_marker": _marker(1, 8, disk=True)})
    created = {"by_seqno": 1, "event": 0, "key": key, "manifest_uid": 2 + number, "scope_id": 0}
    created |= {"collection_id": 8 + number, **({"version": 1, "max_ttl": 72_000} if number % 2 else {"version": 0})}
    yield build({"message": "system_event", **header, "system_event": created})
    for seqno in range(2, 8):
        document = {"by_seqno": seqno, "rev_seqno": 1, "flags": 0, "expiration": 0, "collection_id": 8 + number}
        document |= {"document_key": f"{key}:{seqno}", "json": f'{{"{key}": {100 * number + seqno}}}'}
        yield build({"message": "mutation", "datatype": 1, "cas": 10**18 + seqno, **header, "mutation": document})
    if number == 1:
        yield _failover_log_and_four_bytes()
    if number == 2:
        dropped = {"by_seqno": 8, "event": 1, "version": 0, "key": "", "manifest_uid": 9, "scope_id": 0}
        yield build({"message": "system_event", **header, "system_event": dropped | {"collection_id": 8 + number}})
    yield build({"message": "snapshot_marker", **header, "snapshot_marker": _marker(9, 15)})


def _failover_log_and_four_bytes() -> bytes:
    answer = {"variant": "success", "entries": [{"vb_uuid": 1, "vb_seqno": 0}]}
    data = couchbase_dcp.build({"message": "failover_log_response", "status": 0, "failover_log_response": answer})
    return data[:8] + (20).to_bytes(4, "big") + data[12:] + bytes(4)


def _marker(start: int, end: int, *, disk: bool = False) -> dict[str, Any]:
    fields = {"start_seqno": start, "end_seqno": end, "max_visible_seqno": end, "high_completed_seqno": 0}
    return {"variant": "v2_0", "version": 0, "snapshot_type": 6 if disk else 1, **fields}


def memcached_session() -> Iterator[bytes]:
    """A client and its server in turns: items are stored, found or not, counted; then it speaks the text protocol."""
    yield _request("version", 0x0B)
    yield _response("version_response", 0x0B, version="1.6.18")
    for number in range(4):
        yield _request("set", 0x11, number, key=f"user:{number}", value=b"name%d" % number, flags=0, expiration=3600)
    for number in (1, 4):
        yield _request("get", 0x0C, number, key=f"user:{number}")
    yield _response("get_response", 0x0C, 1, key="user:1", value=b"name1", flags=0)
    yield _response("get_response", 0x0C, 4, status=1, key="user:4", error="")
    yield _request("increment", 0x05, key="visits", delta=1, initial=1, expiration=0)
    yield _response("increment_response", 0x05, counter=1)
    yield _request("unknown", 0x50)
    yield memcached.build({"message": "unknown", "magic": 0x81, "opcode": 0x50, "status": 0x81, "unknown": {}})
    yield b"get user:0\r\n"


def _request(message: str, opcode: int, opaque: int = 0, **fields: Any) -> bytes:
    return memcached.build({"message": message, "magic": 0x80, "opcode": opcode, "opaque": opaque, message: fields})


def _response(message: str, opcode: int, opaque: int = 0, status: int = 0, **fields: Any) -> bytes:
    return memcached.build({"message": message, "opcode": opcode, "opaque": opaque, "status": status, message: fields})


def databus_windows(*, damaged: bool = True) -> Iterator[bytes]:
    """Six windows of changes, keys of both kinds; one event in the middle has a flipped byte, the last is cut off."""
    for window in range(6):
        sequence = 100 + 10 * window
        for number in range(1 + window % 4):
            data = databus.build(_change(sequence, number))
            if damaged and (window, number) == (3, 1):
                data = data[:-3] + bytes([data[-3] ^ 0x40]) + data[-2:]
            yield data
        end = {"src_id": -2, "opcode": None, "key": 0, "value": b"", "schema_id": bytes(16)}
        yield databus.build({"dbus_event": _change(sequence, 0)["dbus_event"] | {"key_bytes": None} | end})
    if damaged:
        yield databus.build(_change(160, 0))[:40]


def _change(sequence: int, number: int) -> dict[str, Any]:
    member = 1000 + 7 * sequence + number
    key = {"key_bytes": f"member-{member}".encode()} if number % 2 else {"key": member}
    event = {
        "sequence": sequence,
        "physical_partition_id": 1,
        "logical_partition_id": number,
        "nano_timestamp": 1_357_000_000_000_000_000 + 1_000_000_000 * sequence + number,
        "src_id": 40,
        "schema_id": bytes(range(0x40, 0x50)),
        "opcode": 2 if number == 2 else 1,
        "value": f'{{"member": {member}, "window": {sequence}}}'.encode(),
    }
    return {"dbus_event": event | key}


def json_lines(protocol: ModuleType, form: str, data: bytes) -> bytes:
    """The capture ``data`` in a textual form."""
    write = protocol.PROTOCOL.form(form).write
    return "".join(f"{write(row)}\n" for row in protocol.iter_records(data)).encode()


if __name__ == "__main__":
    for file in make(Path(sys.argv[1]) if len(sys.argv) > 1 else CAPTURES):
        print(f"{file} ({file.stat().st_size:,} bytes)")
