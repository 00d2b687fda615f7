"""Dissectors that tests run, what they are shown, and what they show otherwise than the codec."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from support import compiled, vectors
from support.cases import often
from support.compiled import Compiled
from support.paths import ROOT
from support.tshark import Record, differences

from wireloom.codec import Protocol
from wireloom_generator import model
from wireloom_generator.emitters import wireshark
from wireloom_generator.reading import spec
from wireloom_generator.resolve import protocol_of, resolve
from wireloom_generator.types import FlatBuffers
from wireloom_protocols import couchbase_dcp, databus, memcached

OWN: dict[str, Protocol] = {each.PROTOCOL.name: each.PROTOCOL for each in (couchbase_dcp, databus, memcached)}
SCRIPTS = {name: ROOT / "generated" / "wireshark" / f"{name}.lua" for name in OWN}
LONGEST = 60_000
"""Bytes that are put into one packet at most."""
Rows = list[Mapping[str, Any]]


@cache
def protocol_in(name: str) -> model.Protocol:
    """One of our protocols as the compiler has it."""
    (one,), _ = spec.load([ROOT / "specs" / name])
    return protocol_of(resolve(one))


def tables(protocol: model.Protocol) -> frozenset[str]:
    """The FlatBuffers fields, which are shown as bytes."""
    return frozenset(field.name for nodes in _lists(protocol) for field in nodes if _is_table(field))


def _is_table(node: model.Node | model.Otherwise) -> bool:
    return isinstance(node, model.Field) and isinstance(node.wire.type, FlatBuffers)


def _lists(protocol: model.Protocol) -> Iterator[list[Any]]:
    messages = protocol.messages
    found: list[Iterable[Any]] = [protocol.record.nodes, *(shared.nodes for shared in protocol.structs)]
    found += [nodes for message in messages for nodes in message.sections.values()]
    found += [nodes for message in messages for one in message.variants for nodes in one.sections.values()]
    for nodes in found:
        yield list(_flat(nodes))


def _flat(nodes: Iterable[Any]) -> Iterator[Any]:
    for node in nodes:
        yield node
        yield from _flat([*getattr(node, "nodes", ()), *getattr(node, "alternatives", ())])


def rows_of(protocol: Protocol, data: bytes, **parameters: Any) -> Rows:
    """What the codec makes of a capture, malformed records and ranges included."""
    return list(protocol.iter_records(data, "PERMISSIVE", positions=True, **parameters))


def compared(rows: Rows, found: list[Record], protocol: Protocol, skipped: frozenset[str] = frozenset()) -> list[str]:
    """What tshark shows otherwise than the codec."""
    lengths, shown = [row["_length"] for row in rows], [record.length for record in found]
    if lengths != shown:
        return [f"records of {lengths} bytes expected, found {shown}"]
    pairs = zip(rows, found, strict=True)
    return [what for row, record in pairs for what in differences(row, record, protocol, skipped)]


def preferences(name: str, parameters: Mapping[str, Any]) -> list[str]:
    """The options with which tshark takes parameters for a protocol."""
    told = {
        key: f"{value:d}" if type(value) is not bool and isinstance(value, int) else value
        for key, value in parameters.items()
    }
    return [option for key, value in told.items() for option in ("-o", f"{name}.{key}:{value}")]


def of_packets(found: list[Record], count: int) -> list[list[Record]]:
    """The records of each packet."""
    packets: list[list[Record]] = [[] for _ in range(count)]
    for record in found:
        packets[record.packet].append(record)
    return packets


@cache
def captures(name: str) -> tuple[bytes, ...]:
    """The bytes of every example of a protocol, and of all vectors of its format, but what is packed."""
    protocol = protocol_in(name)
    found = [example.data for _, example in compiled.worked(protocol)]
    folders = [vectors.COMMITTED, *([Path(vectors.EXTERNAL)] if vectors.EXTERNAL else [])]
    for path in (path for folder in folders for path in sorted(folder.glob(f"{name}*/*.jsonl"))):
        for line in path.read_text(encoding="utf-8").splitlines():
            found += _bytes_in(json.loads(line))
    return tuple(data for data in dict.fromkeys(found) if 0 < len(data) <= LONGEST and not is_packed(name, data))


def is_packed(name: str, data: bytes) -> bool:
    """Whether it is a DCP frame whose value went through Snappy, which is shown as bytes."""
    return name == "couchbase_dcp" and len(data) > 5 and data[5] & couchbase_dcp.Datatype.Snappy != 0


def _bytes_in(value: object) -> Iterator[bytes]:
    """All that a vector has in hex under such a key, in whatever object inside it."""
    match value:
        case dict():
            for key, inner in value.items():
                if key in ("hex", "repaired_hex") and isinstance(inner, str):
                    yield bytes.fromhex(inner)
                else:
                    yield from _bytes_in(inner)
        case list():
            for inner in value:
                yield from _bytes_in(inner)


@cache
def sound(name: str) -> tuple[bytes, ...]:
    """Those of the captures that are one good record, or as many of them as are enough."""
    some = dict.fromkeys((*captures(name)[:20], *sampled(captures(name), often(200, 10_000))))
    found = [(data, rows_of(OWN[name], data)) for data in some]
    return tuple(data for data, rows in found if len(rows) == 1 and rows[0]["_corrupt_reason"] is None)


def sampled(data: Sequence[bytes], most: int) -> Sequence[bytes]:
    """About so many of them at most, from everywhere."""
    return data[:: len(data) // most | 1]


def emitted(found: Compiled, folder: Path, name: str = "") -> Path:
    """The dissector of a protocol, written into a folder; under another name, if one is given."""
    return installed(replace(found.protocol, name=name or found.protocol.name), folder)


def installed(protocol: model.Protocol, folder: Path) -> Path:
    """A protocol's dissector in a folder, with wireloom.lua beside it."""
    for file in wireshark.emit(protocol):
        (folder / file.path.name).write_text(file.text, encoding="utf-8")
    return folder / f"{protocol.name}.lua"


def library() -> str:
    """The text of wireloom.lua up to what it returns, so that a script can go on with all its functions."""
    return (ROOT / "generated" / "wireshark" / "wireloom.lua").read_text(encoding="utf-8").rpartition("\nreturn {")[0]
