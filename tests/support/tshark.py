"""Captures for tshark, and what it makes of them with generated dissectors.

A capture is written here, packet by packet, as if it had crossed the loopback interface; nothing is sent.
"""

import copy
import math
import os
import re
import shutil
import struct
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from ipaddress import ip_address
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from wireloom.characters import characters
from wireloom.codec import Bits, Column, Protocol
from wireloom.codec.columns import ColumnType, ListOf, StructOf
from wireloom.contents import parts_of
from wireloom_generator.reading.vocabulary import ENCODINGS

Values = Mapping[str, Any]

PORT = 40000
"""The port of the protocol that is spoken, the first of them."""
_SENDER = 50000
_SHORTENED = [each for each in ENCODINGS if characters(each) is None and not each.startswith("utf")]
"""The encodings whose text is shown up to its first character that is not ASCII."""


@dataclass(frozen=True, slots=True)
class Record:
    """What tshark shows of a record or of a range that is none: its tree, and the number of its packet from 0."""

    packet: int
    tree: ElementTree.Element

    @property
    def length(self) -> int:
        """How many bytes it has."""
        return int(self.tree.get("size", ""))

    @property
    def reason(self) -> str | None:
        """Why it is malformed."""
        path = f"{self.tree.get('name')}._corrupt_reason"
        return next((field.get("show") for field in self.tree.iter("field") if field.get("name") == path), None)


def program() -> str:
    """Where tshark is; without it the test is skipped, as on a machine that ``make test`` did not set up."""
    found = shutil.which("tshark")
    if found is None:
        pytest.skip("tshark is not on PATH; install it with: sh scripts/setup.sh tshark")
    return found


def udp(payloads: Iterable[bytes], port: int = PORT) -> list[bytes]:
    """A packet for each payload."""
    return [_ip(17, struct.pack(">4H", _SENDER, port, 8 + len(data), 0) + data) for data in payloads]


def tcp(segments: Iterable[bytes], connection: int = 0, port: int = PORT) -> list[bytes]:
    """A connection from its beginning, and a packet for each segment."""
    packets, sequence = [], 1000
    for number, data in enumerate([b"", *segments]):
        flags = 0x18 if number else 0x02
        ports = (_SENDER + connection, port)
        head = struct.pack(">2H2I2B3H", *ports, sequence, 1, 5 << 4, flags, 0xFFFF, 0, 0)
        packets.append(_ip(6, head + data))
        sequence = sequence + max(1, len(data)) & 0xFFFFFFFF
    return packets


def _ip(protocol: int, data: bytes) -> bytes:
    address = bytes([127, 0, 0, 1])
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(data), 0, 0x4000, 64, protocol, 0) + address * 2 + data


def dissected(packets: Sequence[bytes], scripts: Mapping[str, Path], folder: Path, *options: str) -> list[Record]:
    """What tshark shows of the packets, which it is told to decode with the dissectors of the protocols ``scripts``.

    The first of them has the port ``PORT``, the others those behind it.
    """
    ports = {name: PORT + number for number, name in enumerate(scripts)}
    told = [f"-d{way}.port=={port},{name}" for name, port in ports.items() for way in ("tcp", "udp")]
    return undirected(packets, scripts, folder, *told, *options)


def undirected(packets: Sequence[bytes], scripts: Mapping[str, Path], folder: Path, *options: str) -> list[Record]:
    """As ``dissected``, but for what tshark is told of ports."""
    given = [option for script in scripts.values() for option in ("-X", f"lua_script:{script}")]
    trees = enumerate(shown(packets, folder, *given, *options, "-J", " ".join(scripts)))
    return [Record(number, tree) for number, one in trees for tree in one.iter("proto") if tree.get("name") in scripts]


def shown(packets: Sequence[bytes], folder: Path, *options: str) -> list[ElementTree.Element]:
    """What tshark shows of each packet."""
    capture = folder / "capture.pcap"
    with capture.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 0x40000, 228))
        for number, packet in enumerate(packets):
            file.write(struct.pack("<IIII", number, 0, len(packet), len(packet)) + packet)
    return opened(capture, folder, *options)


def opened(capture: Path, folder: Path, *options: str) -> list[ElementTree.Element]:
    """What tshark shows of each packet in a file."""
    done = subprocess.run(
        [program(), "-n", "-r", str(capture), "-T", "pdml", *options],
        capture_output=True,
        check=False,
        env={**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)},
    )
    said = done.stderr.decode(errors="replace")
    assert done.returncode == 0, said
    assert not re.search("[Ll]ua.*(error|rror:)", said), said
    assert b"Lua Error" not in done.stdout, done.stdout[done.stdout.index(b"Lua Error") :][:1000]
    return list(ElementTree.fromstring(done.stdout).iter("packet"))


def differences(row: Values, found: Record, protocol: Protocol, tables: frozenset[str]) -> list[str]:
    """What tshark shows otherwise than the codec's ``row`` has it; the structs ``tables`` it shows as bytes alone.

    Of a malformed record it can show more than the row has.
    """
    shown = _by_name(_without_bitmaps(found.tree, protocol))
    name, told = found.tree.get("name"), []
    reason = row["_corrupt_reason"]
    code = found.reason and found.reason.partition(":")[0]
    if reason and (reason.startswith("flatbuffers:") or (code is None and _is_inside(reason, tables))):
        return []  # it does not look into tables, and so may find something else, or nothing
    if reason and any(f": not {encoding} at " in reason for encoding in _SHORTENED):
        return []
    if code != (reason and reason.partition(":")[0]):
        return [f"{reason!r} expected, found {found.reason!r}"]
    experts = [field.get("name") for field in found.tree.iter("field") if f"{name}.Malformed." in field.get("name", "")]
    if experts != ([f"{name}.Malformed.{code}"] if code else []):
        told.append(f"expert information {experts}")
    columns = [column for column in protocol.header if reason is None or row[column.name] is not None]
    told += _compared(row, shown, name, columns, tables)
    message = row["message"]
    if message is not None:
        if [field.get("show") for field in shown.get(f"{name}.message", [])] != [message]:
            told.append(f"{message} expected")
        if reason is None:
            told += _compared(row[message], shown, f"{name}.{message}", protocol.messages[message].columns, tables)
    if reason is None:
        order = f"{name}.{protocol.framing.byte_order}"  # which is shown, be it a column or not
        told += _strange(shown.keys() - {order}, name, protocol.header)
        told += _strange(shown, f"{name}.{message}", protocol.messages[message].columns)
        of_messages = [path for path in shown if path.count(".") == 2 and path.split(".")[1] in protocol.messages]
        told += [f"{path}: there is no such field" for path in of_messages if not path.startswith(f"{name}.{message}.")]
    return told


def _is_inside(reason: str, tables: frozenset[str]) -> bool:
    """Whether a reason is about something in a table."""
    return not tables.isdisjoint(reason.split(" ")[1].split("."))


def _without_bitmaps(tree: ElementTree.Element, protocol: Protocol) -> ElementTree.Element:
    """The tree without the bits of bitmaps, which are shown, although they have no columns."""
    parts = (part for part in parts_of(protocol) if isinstance(part, Bits) and part.bitmap)
    hidden = {name for part in parts for name, *_ in part.fields}
    found = copy.deepcopy(tree) if hidden else tree
    for field in [*found.iter()] if hidden else ():
        for inner in field.findall("field"):
            if inner.get("name", "").rpartition(".")[2] in hidden:
                field.remove(inner)
    return found


def _by_name(tree: ElementTree.Element) -> dict[str, list[ElementTree.Element]]:
    """The fields right in a tree, and in the sections in it, by name."""
    found: dict[str, list[ElementTree.Element]] = {}
    for field in tree.findall("field"):
        path = field.get("name", "")
        parts = _by_name(field).items() if ".Section." in path else [(path, [field])]
        for name, fields in parts:
            found.setdefault(name, []).extend(fields)
    return found


def _compared(
    values: Values,
    shown: Mapping[str, list[ElementTree.Element]],
    owner: str,
    columns: Iterable[Column],
    tables: frozenset[str],
) -> list[str]:
    told = []
    plain = [column for column in columns if not column.label and column.name not in tables]
    for column in plain:
        fields, value = shown.get(f"{owner}.{column.name}", []), values[column.name]
        expected = value if isinstance(column.type, ListOf) else [] if value is None else [value]
        kind = column.type.element if isinstance(column.type, ListOf) else column.type
        if column.type == "binary" and isinstance(value, bytes):
            expected = list(_pieces(value, fields))  # what is left over in several places
        if len(fields) != len(expected or []):
            told.append(f"{owner}.{column.name}: {value!r} expected, found {len(fields)} fields")
            continue
        for item, field in zip(expected or [], fields, strict=True):
            told += _value(item, field, kind, column.name, tables)
        for number, field in enumerate(fields):
            told += _labels(_of_item(values, column, number), field, column.name)
    return told


def _pieces(value: bytes, fields: Iterable[ElementTree.Element]) -> Iterator[bytes]:
    """The value in pieces as long as those that are shown; what they leave is one more."""
    for field in fields:
        size = int(field.get("size", "0"))
        yield value[:size]
        value = value[size:]
        if not value:
            return
    yield value


def _strange(shown: Iterable[str], owner: str, columns: Iterable[Column]) -> list[str]:
    """What is shown of an owner and is none of its columns."""
    known = {f"{owner}.{name}" for name in (*(column.name for column in columns), "message")}
    return [f"{path} is no column" for path in shown if path.rpartition(".")[0] == owner and path not in known]


def _of_item(values: Values, column: Column, number: int) -> Values:
    """The values, of whose lists of labels one is that of an item."""
    names = values.get(f"{column.name}_name")
    return {**values, f"{column.name}_name": names[number]} if isinstance(names, list) else values


def _labels(values: Values, field: ElementTree.Element, name: str) -> list[str]:
    inner = [part for part in field.findall("field") if part.get("name", "").startswith(f"{field.get('name')}")]
    path, told = field.get("name"), []
    label = [part.get("show") for part in inner if part.get("name") == f"{path}_name"]
    expected = values.get(f"{name}_name")
    if f"{name}_name" in values and label != ([] if expected is None else [expected]):
        told.append(f"{path}_name: {expected!r} expected, found {label}")
    if label and label[0] not in field.get("showname", ""):
        told.append(f"{path}: {label[0]} is not in {field.get('showname')!r}")
    is_set = [part.get("showname", "") for part in inner if part.get("show") in ("1", "True")]
    flags = [re.sub(r"^[.01 ]+ = ", "", shown).rpartition(": ")[0] for shown in is_set]
    expected = values.get(f"{name}_flags")
    if f"{name}_flags" in values and flags != expected:
        told.append(f"{path}_flags: {expected!r} expected, found {flags}")
    return told


def _octets(value: str) -> bytes | None:
    """The bytes of a UUID or an address; None of any other text."""
    try:
        return ip_address(value).packed
    except ValueError:
        digits = re.sub("[:-]", "", value)
    return bytes.fromhex(digits) if re.fullmatch("([0-9a-f]{2})+", digits) else None


def _orders(data: bytes) -> Iterator[bytes]:
    """The bytes of a big-endian number in each byte order: ABCD, DCBA, CDAB and BADC."""
    for one in (data, b"".join(data[at : at + 2] for at in range(0, len(data), 2)[::-1])):
        yield from (one, one[::-1])


def _is_packed(text: str, data: bytes) -> bool:
    """Whether the characters of a text are somewhere in bytes, of up to 8 bits each, and each always the same."""
    highest = "".join(f"{byte:08b}" for byte in data)
    lowest = "".join(f"{byte:08b}"[::-1] for byte in data)
    for bits, width in product((highest, lowest, highest[::-1], lowest[::-1]), range(1, 9)):
        for first in range(len(bits) - width * len(text) + 1):
            codes = [bits[at : at + width] for at in range(first, first + width * len(text), width)]
            if len(set(zip(codes, text, strict=True))) == len(set(codes)) == len(set(text)):
                return True
    return False


def _value(value: Any, field: ElementTree.Element, kind: ColumnType, name: str, tables: frozenset[str]) -> list[str]:
    text, raw = field.get("show", ""), field.get("unmaskedvalue", field.get("value", ""))
    data = bytes.fromhex(raw)
    if isinstance(kind, StructOf):
        shown = _by_name(field)
        owner = next(iter(shown), "").rpartition(".")[0]
        return [*_compared(value, shown, owner, kind.columns, tables), *_strange(shown, owner, kind.columns)]
    match kind:
        case "binary":
            right = data == value
        case "boolean":
            right = text in (("1", "True") if value else ("0", "False"))
        case "float" | "double":
            close = math.isnan(value) if "nan" in text.lower() else math.isclose(float(text), value, rel_tol=1e-5)
            code = {2: "e", 4: "f"}.get(len(data), "d")
            right = close and (
                math.isnan(value)
                or (kind == "double" and math.isclose(float(text), value, rel_tol=1e-14))  # a scaled number
                or data in _orders(struct.pack(f">{code}", value))
            )
        case "timestamp":
            text = re.sub(r", (\d+) ", lambda year: f", {year[1]:0>4} ", text[:-7] + text[-4:])
            right = datetime.strptime(text, "%b %d, %Y %H:%M:%S.%f UTC").replace(tzinfo=UTC) == value
        case "interval day to second":
            right = Decimal(text) == Decimal(value // timedelta(microseconds=1)) / 1_000_000
        case "string":
            read = not data or value in [data.decode(encoding, "replace") for encoding in ENCODINGS]
            read = read or data == _octets(value) or _is_packed(value, data)
            ascii_alone = value in [data.decode(encoding, "replace") for encoding in _SHORTENED]
            shown = [value, *([re.sub(r"[^\x00-\x7f].*", "\ufffd", value)] if ascii_alone else [])]
            right = read and (text in shown or not value.isprintable())
        case _ if isinstance(value, Decimal):
            right = text == str(value)
        case _:
            right = int(text, 0) == value
    return [] if right else [f"{field.get('name')}: {value!r} expected, found {text!r} of {data.hex()}"]


def explained(script: Path, folder: Path) -> dict[str, str]:
    """The fields of a dissector by name, and the words beside each."""
    command = [program(), "-G", "fields", "-X", f"lua_script:{script}"]
    environment = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    lines = subprocess.run(command, capture_output=True, check=True, env=environment).stdout.decode().splitlines()
    rows = (line.split("\t") for line in lines if line.startswith("F\t"))
    return {row[2]: row[-1] for row in rows}


def listening(script: Path, folder: Path) -> dict[str, str]:
    """Who is asked at the ports of each kind, as ``tcp.port 80``."""
    command = [program(), "-G", "decodes", "-X", f"lua_script:{script}"]
    environment = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    lines = subprocess.run(command, capture_output=True, check=True, env=environment).stdout.decode().splitlines()
    rows = (line.split("\t") for line in lines if ".port\t" in line)
    return {f"{row[0]} {row[1]}": row[2] for row in rows}


def printed(script: Path, folder: Path) -> str:
    """What a script prints when it is loaded."""
    environment = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    command = [program(), "-G", "protocols", "-X", f"lua_script:{script}"]
    done = subprocess.run(command, capture_output=True, check=True, env=environment)
    assert b"ua: " not in done.stderr, done.stderr.decode()
    return done.stdout.decode()
