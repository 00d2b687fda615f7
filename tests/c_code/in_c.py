"""Protocols in C: generated, compiled with sanitizers, called in a process of their own, compared with the codec."""

import pickle
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

import pytest
from support.paths import ROOT

from c_code.driver import Answer, Described
from wireloom.codec import DecodeError, EncodeError, Protocol
from wireloom.codec.computed import Computed
from wireloom.contents import parts_of
from wireloom_generator import emitters, examples, model
from wireloom_generator.c_code import CType, Member, Translation, has_name, member_name, number_type
from wireloom_generator.reading import spec
from wireloom_generator.resolve import protocol_of, resolve

CC = shutil.which("cc")
needs_a_compiler = pytest.mark.skipif(CC is None, reason="no C compiler: there is no program cc")
FLAGS = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
_MADE = TemporaryDirectory(prefix="wireloom-c-")
_DRIVER = Path(__file__).with_name("driver.py")


@dataclass(frozen=True)
class InC:
    """A protocol, its codec, and its library."""

    protocol: model.Protocol
    codec: Protocol
    translation: Translation
    library: Path
    messages: dict[str, tuple[str, Described]]

    @property
    def computed(self) -> frozenset[str]:
        """The names of values that are in no bytes: C says where those are that they are computed from, or 0."""
        return frozenset(part.name for part in parts_of(self.codec) if isinstance(part, Computed))

    @property
    def two(self) -> bool:
        return len(self.translation.orders) > 1

    def ask(self, records: Iterable[tuple[bytes, bool]]) -> list[Answer]:
        """What the functions say of records in a byte order."""
        asked = str(self.library), self.translation.prefix, self.two, self.messages, list(records)
        found = subprocess.run([CC or "", "-print-file-name=libasan.so"], capture_output=True, check=True, text=True)
        env = {
            "LD_PRELOAD": found.stdout.strip(), "ASAN_OPTIONS": "detect_leaks=0", "PYTHONMALLOC": "malloc",
            "PYTHONDONTWRITEBYTECODE": "1", "UBSAN_OPTIONS": "print_stacktrace=1",
            "PYTHONPATH": str(_DRIVER.parents[1]),
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "c_code.driver"],
            input=pickle.dumps(asked),
            capture_output=True,
            env=env,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()[-4000:]
        return [Answer(*each) for each in pickle.loads(done.stdout)]


@cache
def of_folder(folder: Path) -> InC:
    """The protocol in a folder, in C."""
    (one,), found = spec.load([folder])
    assert not found, found
    return made(protocol_of(resolve(one)))


def made(protocol: model.Protocol) -> InC:
    """A protocol in C."""
    with examples.running(emitters.codec_modules(protocol)) as codec:
        translation = Translation(protocol, codec)
        files = list(translation.files())
    room = Path(_MADE.name)
    for file in files:
        room.joinpath(file.path.name).write_text(file.text, encoding="utf-8")
    library = room / f"{protocol.name}.so"
    compile_c(room / f"{protocol.name}.c", "-shared", "-fPIC", "-o", str(library))
    described = {}
    for each in translation.whole:
        name = translation.functions_of[each.said.name]
        described[each.said.name] = name, _message(translation, each.members, name)
    return InC(protocol, codec, translation, library, described)


def compile_c(source: Path, *options: str) -> None:
    done = subprocess.run([CC or "", *FLAGS, str(source), *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]


def _message(translation: Translation, members: dict[str, Member], name: str) -> Described:
    own = _struct(translation, members, name).members
    if not translation.header:
        return Described("struct", own or (("nothing", "", Described("bool")),))
    return Described(
        "struct", (("header", "", _struct(translation, translation.header, f"{translation.prefix}_header")), *own)
    )


def _struct(translation: Translation, members: Any, name: str) -> Described:
    told = []
    for each, one in members.items():
        there = has_name(each) if one.optional else ""
        told.append((member_name(each), there, _described(translation, one.kind, f"{name}_{each}")))
    return Described("struct", tuple(told))


def _described(translation: Translation, kind: CType, words: str) -> Described:
    if kind.number is not None:
        return Described(number_type(kind.number))
    if kind.variants:
        return Described("enum")
    name = translation.names.get(words.removeprefix(f"{translation.prefix}_"), "")
    if kind.members is not None:
        return _struct(translation, kind.members, name)
    if kind.item is not None:
        item = _described(translation, kind.item, f"{name}_item")
        if kind.item.members is not None:
            item = _struct(translation, kind.item.members, f"{name}_item")
        more = [("little", "bool")] * (len(translation.orders) > 1) + [("way", "int32_t")] * (kind.ways > 1)
        return Described("list", (("item", "", item),), name, len(kind.given), tuple(more))
    return Described("bytes")


def plain(kind: CType, value: Any) -> Any:
    """A value of the codec as the driver has it."""
    if kind.variants:
        return -1 if value is None else kind.variants.index(value)
    if value is None:
        return None
    if kind.members is not None:
        return {member_name(name): plain(one.kind, value.get(name)) for name, one in kind.members.items()}
    if kind.item is not None:
        return [plain(kind.item, each) for each in value]
    if kind.number is not None:
        if kind.number.floating:
            return value
        match value:
            case datetime():
                return (value - datetime(1970, 1, 1, tzinfo=value.tzinfo)) // timedelta(microseconds=1)
            case timedelta():
                return value // timedelta(microseconds=1)
        return value if kind.number.truth else int(value * kind.number.parts)
    if kind.about and isinstance(value, str):
        return _octets(kind.about, value)
    return value.encode() if isinstance(value, str) else bytes(value)


def _octets(about: str, text: str) -> bytes:
    if about.startswith("IP"):
        return ip_address(text).packed
    return UUID(text).bytes if about == "UUID" else bytes.fromhex(text.replace(":", ""))


def same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return (one != one and other != other) or struct.pack(">d", one) == struct.pack(">d", other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return bool(one == other)


@dataclass
class Compared:
    """How records compare: how many both accept and both refuse, how many only the codec reads, and what differs.

    ``elsewhere`` are errors that name another field than the codec's for no reason that is known, and ``astray`` those
    that name the same one at another byte.
    """

    accepted: int = 0
    refused: int = 0
    only: int = 0
    written: int = 0
    differ: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    astray: list[str] = field(default_factory=list)


def compared(found: InC, records: Sequence[bytes]) -> Compared:
    """What the functions and the codec say of records, with the default parameters."""
    told, orders = Compared(), found.translation.orders
    answers = found.ask([(record, little) for record in records for little in orders])
    for place, record in enumerate(records):
        mine = answers[place * len(orders) : (place + 1) * len(orders)]
        try:
            row = found.codec.parse(record)
        except DecodeError as error:
            _refused(told, mine, error, record, found.computed)
            continue
        order = found.codec.framing.byte_order
        one = mine[orders.index(row[order] == "little")] if found.two and order else mine[0]
        differs = _accepted(told, found, one, row, record)
        if differs:
            told.differ.append(f"{record.hex()}: {differs}")
    return told


def _refused(
    told: Compared, answers: Sequence[Answer], error: DecodeError, record: bytes, computed: frozenset[str]
) -> None:
    if any(one.values is not None for one in answers):
        told.differ.append(f"{record.hex()}: {error.reason}, but accepted")
        return
    told.refused += 1
    fields = [(one.field, one.text) for one in answers if one.field]
    if fields and not any(_is_same(error.field, *each) for each in fields):
        told.elsewhere.append(f"{record.hex()}: {error.reason}, not {fields}")
    same = [one for one in answers if error.field and one.field == re.sub(r"\[\d+\]", "[]", error.field)]
    is_nowhere = error.field.rpartition(".")[2] in computed
    if same and not is_nowhere and not any(one.at == error.offset or _is_inside(error, one) for one in same):
        told.astray.append(f"{record.hex()}: {error.reason}, not at {[one.at for one in same]}")


def _is_inside(error: DecodeError, one: Answer) -> bool:
    """Whether the codec's place is one in a FlatBuffers table or in a number of several groups, or that of a value that
    is in no bytes; or C does not know it, of what is derived and was read under another condition.
    """
    is_in_a_table = error.code == "flatbuffers" or (error.code == "text" and error.field.count(".") > 1)
    return is_in_a_table or "groups" in one.text or (error.code in ("range", "derived") and not one.at)


def _is_same(path: str, other: str, text: str) -> bool:
    """Whether an error is of the field that the codec has, or of what is around it; or it is one that comes before, as
    the programs check lengths first and lists last, and refuse texts, digits and packed bytes that the codec can keep.
    """
    path = re.sub(r"\[\d+\]", "[]", path)
    is_around = f"{path}.".startswith(f"{other}.") or f"{path}[".startswith(f"{other}[") or other.startswith(path)
    return is_around or other == "record" or "[]" in path or _keeps(text)


def _keeps(text: str) -> bool:
    """Whether an error is one of bytes that the codec keeps beside a value, or that it unpacks."""
    return any(word in text for word in ("no text", "in digits", "padding", "packed"))


def _accepted(told: Compared, found: InC, one: Answer, row: Any, record: bytes) -> str:
    """What differs for a record that the codec accepts; empty if nothing does."""
    whole = {each.said.name: each.members for each in found.translation.whole}
    name, header = row["message"], found.translation.header
    if one.message != name:
        return f"{name}, not {one.message}"
    if one.length not in (-1, len(record)):
        return f"of {one.length} bytes"
    if name not in whole:
        return ""
    if one.values is None:
        told.only += _keeps(one.text)
        return "" if _keeps(one.text) else f"refused: {one.field} {one.text}"
    expected = plain(CType(members=whole[name]), row[name])
    expected |= {"header": plain(CType(members=header), row)} if header else {} if expected else {"nothing": False}
    if not same(expected, one.values):
        return f"{expected}, not {one.values}"
    told.accepted += 1
    if one.written is None:
        return ""
    try:
        built = found.codec.build(row)
    except EncodeError as error:
        return "" if isinstance(one.written, tuple) else f"{error}, but written"
    told.written += 1
    return "" if built == one.written else f"written as {one.written!r}"


def folder(name: str) -> Path:
    found = ROOT / "specs" / name
    return found if found.is_dir() else ROOT / "examples" / "protocols" / name
