"""Programs read escaped bytes as the codec does, and leave to it what they would write otherwise."""

from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest
from support import accelerator, compiled
from support.lockstep import Pair, damaged, records_alike, tables_alike

from wireloom.codec import DecodeError
from wireloom.codec.escapes import ESCAPINGS, EscapePairs, Escaping
from wireloom.columnar.execution.decoding import Machine
from wireloom.programs.escapes import escape_table, escaping_of

ESCAPED = """
protocol: escaped
byte_order: big
record:
  length: 3 + size
  fields:
    - {{name: kind, type: u8}}
    - {{name: size, type: u16, derive: size(body)}}
    - {{section: body, size: rest}}
---
message: values
match: {{}}
sections:
  body:
    - {{name: data, type: bytes, prefix: u8, through: {{unescape: {escapes}}}, raw: data_raw}}
    - {{name: text, type: text, encoding: latin-1, prefix: u8, through: {{unescape: "{sometimes}"}}}}
    - section: fields
      size: rest
      through: {{unescape: {escapes}}}
      trailing: left
      fields:
        - {{name: number, type: u16}}
        - {{name: sum, type: u16, checksum: {{algorithm: crc16_gdl90, from: offset(number), to: offset(sum)}}}}
"""
KINDS = {name: name for name in ESCAPINGS} | {
    "table": '{escape: "01", codes: {"01": "01", "02": "00", "03": "01", "04": "41"}}'
}
TABLE = EscapePairs(1, {1: 1, 2: 0, 3: 1, 4: 0x41})


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def pair(kind: str) -> Pair:
    sometimes = f"{kind if kind in ESCAPINGS else 'slip'} if kind & 1 != 0 else none"
    return Pair(compiled.of(ESCAPED.format(escapes=KINDS[kind], sometimes=sometimes)).codec)


def special(random: Random, size: int) -> bytes:
    return bytes(random.choices(bytes.fromhex("00 01 02 10 20 41 7d 7e 5d c0 db dc dd e0 ff"), k=size))


def record(random: Random, kind: str) -> bytes:
    """One in three escapes what it need not, or is damaged in what is escaped."""
    escaping = ESCAPINGS.get(kind, TABLE)
    number = special(random, 2)
    fields = number + int(number.hex(), 16).to_bytes(2)  # two bytes are their own remainder
    first, second = special(random, random.choice((0, 1, 9, 60))), special(random, random.randrange(20))
    octet = random.getrandbits(8)
    texts = ESCAPINGS.get(kind, ESCAPINGS["slip"]).escape(second) if octet & 1 else second
    parts = [escaping.escape(first), texts, escaping.escape(fields + special(random, random.choice((0, 3))))]
    if random.random() < 0.3 and parts[0]:
        (parts[0],) = damaged(parts[0], random, 1)
    body = bytes([len(parts[0])]) + parts[0] + bytes([len(parts[1])]) + parts[1] + parts[2]
    return bytes([octet]) + len(body).to_bytes(2) + body


def is_sound(pair: Pair, data: bytes) -> bool:
    try:
        return bool(pair.codec.parse(data))
    except DecodeError:
        return False


def alike(pair: Pair, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found, decode = [0], Machine.decode

    def noted(self: Machine, *given: Any) -> Any:
        decoded = decode(self, *given)
        found[0] += np.count_nonzero(~decoded.doubtful)
        return decoded

    monkeypatch.setattr(Machine, "decode", noted)
    random = Random(kind)
    records = [record(random, kind) for _ in range(600)]
    records_alike(pair, records)
    assert found[0] > 300
    tables_alike(pair, b"".join(filter(partial(is_sound, pair), records[:60])))


def test_by_numpy(pair: Pair, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    alike(pair, kind, monkeypatch)


@accelerator.on
@pytest.mark.skipif(not accelerator.THERE, reason="LLVM is not there")
@pytest.mark.parametrize("pays", [0, 1 << 18])
def test_by_loops(pair: Pair, kind: str, pays: int, monkeypatch: pytest.MonkeyPatch) -> None:
    accelerator.pay(monkeypatch, pays)
    alike(pair, kind, monkeypatch)


@pytest.mark.parametrize("escaping", [*ESCAPINGS.values(), TABLE])
def test_tables_have_the_escapes_that_are_written(escaping: Escaping) -> None:
    again, random = escaping_of(escape_table(escaping).numbers), Random(1)
    for size in range(300):
        data = special(random, size)
        assert again.canonical(escaping.escape(data)) == data
