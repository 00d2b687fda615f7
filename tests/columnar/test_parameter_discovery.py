"""What captures tell of parameters, looked for in many records at once: as the codec finds it, one by one."""

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import accelerator, compiled
from support.cases import often
from support.lockstep import Pair, capture_alike, small

from wireloom.codec import cutting
from wireloom.codec.cutting import Ahead, Cutter
from wireloom.columnar import parameter_discovery
from wireloom.columnar.parameter_discovery import BulkAhead
from wireloom.options import resolve

TEXT = re.sub(r"examples:\n.*\n", "", compiled.FEATURES["found"].read_text(encoding="utf-8"))


def varied(*changes: tuple[str, str]) -> Pair:
    """The feature with other lines instead of some."""
    text = TEXT
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return Pair.of(compiled.of(text).columnar)


@dataclass(frozen=True)
class Case:
    """A protocol, and how a record of a kind is written in either byte order."""

    pair: Pair
    record: Callable[[int, bytes, bool], bytes]
    header: bytes = b""


def short(kind: int, body: bytes, _: bool) -> bytes:
    return bytes([0x5A, kind, len(body)]) + body


def in_an_order(kind: int, body: bytes, little: bool) -> bytes:
    return struct.pack("<HBH" if little else ">HBH", 0x5A5A, kind, len(body)) + body


def ended(kind: int, body: bytes, _: bool) -> bytes:
    return bytes([0x5A, kind, len(body)]) + body.replace(b"\n", b" ") + b"\n"


RESYNC = ("  proof: {valid: mark == 0x5a}\n  resync: true\n", "")
ORDERS = (
    (
        "byte_order: big\nparameters:",
        "byte_order: order\nparameters:\n  - {name: order, type: text, choices: [auto, big, little], default: auto}",
    ),
    ("length: 3 + size", "length: 5 + size"),
    ("valid: mark == 0x5a", "valid: mark == 0x5a5a and size < 256"),
    ("type: u8, const: 0x5a", "type: u16, const: 0x5a5a"),
    ("name: size, type: u8", "name: size, type: u16"),
)
CASES = {
    "one order": Case(varied(), short),
    "two orders": Case(varied(*ORDERS), in_an_order),
    "nothing recovers": Case(varied(RESYNC), short),
    "doubts": Case(varied(("valid: mark == 0x5a}", "valid: mark == 0x5a, doubt: size > 9}")), short),
    "behind a header": Case(
        varied(("record:\n", "capture:\n  fields: [{name: version, type: u8, valid: version < 3}]\nrecord:\n")),
        short,
        b"\1",
    ),
    "a terminator": Case(varied(RESYNC, ("length: 3 + size", "until: 0a")), ended),
}


def looked(ahead: Ahead, capture: bytes, sizes: list[int]) -> list[tuple[object, ...]]:
    """What is known behind each of these bytes of a capture, and at its end."""
    found: list[tuple[object, ...]] = []
    base = 0
    for size in (*sorted(size for size in sizes if size < len(capture)), len(capture)):
        final = size == len(capture)
        listener = ahead.look(capture[base:size], 0, size - base, base, final=final)
        if listener is not None:
            return [*found, (size, listener.values, set(listener.open))]
        assert ahead.position is not None
        found.append((size, dict(ahead.listener.values), set(ahead.listener.open), ahead.position))
        base = ahead.position
    return found


BODIES = st.sampled_from(
    [(1, b"\1"), (1, b"\2"), (1, b"\x08\2"), (1, b""), (2, b"\0"), (2, b"\1"), (2, b""), (3, b"\0\5\xff")]
)
NOTES = st.tuples(st.integers(1, 60), st.binary(max_size=12))


@st.composite
def captures(draw: st.DrawFn, case: Case) -> bytes:
    """Runs of notes with others between them, and bytes that were damaged or lost."""
    data, little = bytearray(case.header), draw(st.booleans())
    for _ in range(draw(st.integers(1, 6))):
        count, note = draw(NOTES)
        data += case.record(4, note, little) * count
        if draw(st.booleans()):
            data += case.record(*draw(BODIES), little)
        if draw(st.integers(0, 5)) == 0:
            little = not little
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(data) - 1))
        data[place : place + draw(st.integers(0, 2))] = draw(st.binary(max_size=2))
    return bytes(data)


@accelerator.off_and_on
@pytest.mark.parametrize("name", CASES)
@settings(max_examples=often(8, 200))
@given(data=st.data())
def test_it_is_what_the_codec_finds(name: str, data: st.DataObject, accelerated: bool) -> None:
    case = CASES[name]
    capture = data.draw(captures(case))
    sizes = data.draw(st.lists(st.integers(0, len(capture)), max_size=4))
    within = data.draw(st.just(cutting.WITHIN) | st.integers(0, len(capture)))
    rows = data.draw(st.integers(1, 99))
    options = case.pair.options({})
    with pytest.MonkeyPatch.context() as patch, small(piece=1 << 20, rows=rows, size=1 << 20):
        for module in (cutting, parameter_discovery):
            patch.setattr(module, "WITHIN", within)
        cutter = Cutter(case.pair.codec.framing, resolve(case.pair.codec.parameters, {}))
        bulk = case.pair.decoder(options).scanner().cutter.ahead
        assert isinstance(bulk, BulkAhead)
        assert cutter.ahead is not None
        bulk.single = data.draw(st.integers(0, 3))
        assert looked(bulk, capture, sizes) == looked(cutter.ahead, capture, sizes)


@accelerator.on
@pytest.mark.parametrize("name", CASES)
@settings(max_examples=often(7, 150))
@given(data=st.data())
def test_what_is_proven_in_one_pass_is_what_the_codec_cuts(name: str, data: st.DataObject) -> None:
    case = CASES[name]
    capture = data.draw(captures(case))
    with small(piece=1 << 20, rows=data.draw(st.integers(1, 99)), size=data.draw(st.integers(1, 1 << 10))):
        capture_alike(case.pair, capture, mode="PERMISSIVE", positions=True)
