"""Programs read values at other places as the codec does, wherever these are, and accept those that are sound."""

from random import Random

from support import accelerator, compiled
from support.lockstep import Pair, records_alike

from wireloom.codec import DecodeError

SCATTERED = """
protocol: scattered
byte_order: big
record:
  length: 2 + size
  fields:
    - {name: size, type: u8, derive: size(body)}
    - {name: kind, type: u8}
    - {section: body, size: rest, trailing: left}
---
message: several
match: {kind: 1}
sections:
  body:
    - {name: first_at, type: u8, derive: offset(first)}
    - {name: second_at, type: u8}
    - {name: third_at, type: u8}
    - {name: first, type: u16, at: first_at}
    - {name: second, type: text, prefix: u8, at: second_at}
    - {name: third, type: bytes, size: 2, at: third_at, when: third_at != 0}
    - {name: peeked, type: u8, at: second_at + 1, shared: true, when: second_at < 9}
---
message: exact
match: {kind: 2}
sections:
  body:
    - {name: first_at, type: u8}
    - {name: second_at, type: u8}
    - section: inside
      size: rest
      fields:
        - {name: mark, type: u8}
        - {name: first, type: text, prefix: u8, at: first_at}
        - {name: second, type: text, prefix: u8, at: second_at}
"""


def several(random: Random) -> bytes:
    """A record with values anywhere in it, mostly where there is room for them."""
    with_third, text = random.random() < 0.5, b"ab" * random.randrange(3)
    parts = [b"\1\2", bytes([len(text)]) + text, *([b"\3\4"] if with_third else [])]
    places, at, body = [0, 0, 0], 5, b""
    gap = random.choice([None, 0, 1, 2, 3])
    for turn, number in enumerate(random.sample(range(len(parts)), len(parts))):
        filling = b"x" * (random.randrange(3) if turn == gap else 0)
        places[number] = at + len(body) + len(filling)
        body += filling + parts[number]
    body += b"y" * (random.randrange(3) if gap == len(parts) else 0)
    if random.random() < 0.3:
        places[random.randrange(3)] += random.randrange(-3, 4)
    return bytes([3 + len(body), 1, *(place & 0xFF for place in places)]) + body


def exact(random: Random) -> bytes:
    """A record of which nothing is left."""
    one, other = (b"\2ab", b"\1c") if random.random() < 0.5 else (b"\0", b"\3def")
    swapped, shift = random.random() < 0.5, random.choice([0, 0, 0, -1, 1])
    first, second = (5, 5 + len(one)) if not swapped else (5 + len(other), 5)
    content = b"m" + (other + one if swapped else one + other)
    return bytes([2 + len(content), 2, first, second + shift]) + content


@accelerator.off_and_on
def test_values_anywhere(accelerated: bool, accepted: list[int]) -> None:
    pair, random = Pair.of(compiled.of(SCATTERED).columnar), Random(1)
    for make in (several, exact):
        records = [make(random) for _ in range(400)]
        accepted.clear()
        records_alike(pair, records)
        sound = sum(1 for record in records if is_sound(pair, record))
        assert 100 < sound < 400
        assert max(accepted) > 0.9 * sound


def is_sound(pair: Pair, record: bytes) -> bool:
    """Whether the codec reads a record."""
    try:
        pair.codec.parse(record)
    except DecodeError:
        return False
    return True
