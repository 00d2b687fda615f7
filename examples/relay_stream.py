"""Makes what a Databus relay streams, and knows what must come out of it: windows of events, damage in the middle.

    python examples/relay_stream.py FILE [--windows 5000] [--order big] [--seed 7] [--clean]

Events of both versions follow one another. Between windows are checkpoints, errors, and markers that the sequence
goes back, which it then does. Some events are damaged, bytes are lost between others or come on top, and the stream
breaks off inside an event. ``Stream.events`` are those that no damage has touched. The same bytes for the same seed.
"""

import argparse
import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path
from typing import NamedTuple

import databus_events as databus
from databus_events import Event, Part

WINDOWS, SEED = 5_000, 7
BEGINNING = 1_357_000_000_000_000_000
"""When it all begins, in nanoseconds since 1970."""
ORDERS = {"big": ">", "little": "<"}
_SCHEMAS = {source: md5(f"source {source}".encode()).digest() for source in (40, 41, 42, 70_000)}


class Window(NamedTuple):
    """A window: its sequence, how many data events are in it, and whether its end is."""

    sequence: int
    events: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Stream:
    """The bytes, and what is in them."""

    data: bytes
    events: dict[int, Event]
    """All sound events in order, by where each begins."""
    windows: list[Window]
    """All windows in order, according to sound events."""
    damages: int
    """How many times the stream was damaged."""


class Harmed(NamedTuple):
    """An event after damage to it or beside it."""

    data: bytes
    whole: bool = False
    gone: int = 0
    """How many bytes are gone of the next event."""


def make(windows: int = WINDOWS, order: str = "big", seed: int = SEED, *, damaged: bool = True) -> Stream:
    """A stream of so many windows, in byte order ``big`` or ``little``."""
    chance = random.Random(f"{seed} damage")
    data = bytearray()
    sound: dict[int, Event] = {}
    damages = gone = 0
    for event in _events(windows, random.Random(seed)):
        packed = event.packed(ORDERS[order])
        found = Harmed(packed[gone:], whole=not gone)
        if damaged and found.whole and chance.random() < 0.01:
            found = _harmed(packed, len(event.value.data), chance)
            damages += 1
        if found.whole:
            sound[len(data)] = event
        gone = found.gone
        data += found.data
    if damaged:
        data += Event(2, 40, 1, BEGINNING, value=Part(1, bytes(16), bytes(200))).packed(ORDERS[order])[:-150]
    return Stream(bytes(data), sound, _windows(sound.values()), damages)


def _harmed(packed: bytes, value_size: int, chance: random.Random) -> Harmed:
    place = chance.randrange(5, 40)  # in the header; no checksum covers the version and the magic before it
    some = chance.randrange(1, 9)
    match chance.randrange(7):
        case 0:  # a bit is flipped, anywhere
            place = chance.randrange(5, len(packed))
            return Harmed(packed[:place] + bytes([packed[place] ^ 1 << some - 1]) + packed[place + 1 :])
        case 1:  # some bytes are turned over
            turned = bytes(byte ^ 0xFF for byte in packed[place : place + some])
            return Harmed(packed[:place] + turned + packed[place + some :])
        case 2:  # a length is nonsense
            return Harmed(packed[:5] + chance.randbytes(16) + packed[21:])
        case 3:  # bytes of the header are gone
            return Harmed(packed[:place] + packed[place + some :])
        case 4:  # all after a place in the header is gone, and so is the start of the next event with its checksum
            return Harmed(packed[:place], gone=12 + some)
        case 5 if value_size > 2 * some:  # bytes of the value are gone
            return Harmed(packed[: -2 * some] + packed[-some:])
    # followed by bytes that look like the start of an event
    return Harmed(packed + packed[:place], whole=True)


def _events(windows: int, chance: random.Random) -> Iterator[Event]:
    """All events in order."""
    sequence = 1_000_000
    for number in range(windows):
        sequence += chance.randrange(1, 9)
        time = BEGINNING + number * 1_000_000_000
        for _ in range(chance.randrange(12)):
            time += chance.randrange(1, 1_000_000)
            yield _change(sequence, time, chance)
        yield Event(chance.choice((0, 2)), databus.END_OF_PERIOD, sequence, time)
        if number % 20 == 19:
            yield _control(databus.CHECKPOINT, 0, _checkpoint(sequence), time, chance)
        if number % 50 == 30:
            error = {"error": {"cause": None, "message": "no relay"}, "errorId": databus.PULLER_RETRIES_EXPIRED}
            yield _control(databus.PULLER_RETRIES_EXPIRED, sequence, error, time, chance)
        if number % 100 == 60:
            sequence -= chance.randrange(20, 40)
            yield _control(databus.SCN_REGRESS, sequence, _checkpoint(sequence), time, chance)


def _checkpoint(sequence: int) -> dict[str, object]:
    positions = {"prevScn": sequence - 1, "windowScn": sequence, "windowOffset": -1, "snapshot_offset": -1}
    return {**positions, "consumption_mode": "ONLINE_CONSUMPTION"}


def _control(source: int, sequence: int, value: object, time: int, chance: random.Random) -> Event:
    part = Part(0, bytes(16), json.dumps(value, separators=(",", ":")).encode())
    return Event(chance.choice((0, 2)), source, sequence, time, value=part, partition=-1)


def _change(sequence: int, time: int, chance: random.Random) -> Event:
    """One change of one row, in one of the versions."""
    version = chance.choice((0, 2))
    source = chance.choice((40, 41, 42, 70_000) if version else (40, 41, 42))
    member = chance.randrange(1, 100_000)
    opcode = databus.DELETE if chance.random() < 0.2 else databus.UPSERT
    row = (
        b""
        if opcode == databus.DELETE
        else f'{{"member":{member},"at":{sequence}}}'.encode() + b" " * (member % 60) + b"."
    )
    key: int | bytes | Part = member if source != 41 else f"member-{member}".encode()
    metadata = None
    if version and member % 7 == 0:
        metadata = Part(2, chance.randbytes(4) if member % 2 else _SCHEMAS[40], b'{"region":"eu"}')
    if version and member % 11 == 0:
        key = Part(3, _SCHEMAS[source], str(member).encode())
    return Event(
        version,
        source,
        sequence,
        time,
        key,
        opcode,
        Part(5 if version else 0, _SCHEMAS[source], row),
        metadata,
        logical_partition=0 if version else member % 64,
        trace=chance.random() < 0.05,
        replicated=chance.random() < 0.1,
    )


def _windows(events: Iterable[Event]) -> list[Window]:
    """The windows that events make up: data events of one sequence, and an end that also has it."""
    found: list[Window] = []
    sequence, count = None, 0
    for event in events:
        if event.source in (databus.CHECKPOINT, databus.PULLER_RETRIES_EXPIRED, databus.SCN_REGRESS):
            continue
        if count and event.sequence != sequence:
            found.append(Window(sequence or 0, count, complete=False))
            count = 0
        sequence = event.sequence
        if event.source == databus.END_OF_PERIOD:
            found.append(Window(sequence, count, complete=True))
            count = 0
        else:
            count += 1
    if count:
        found.append(Window(sequence or 0, count, complete=False))
    return found


def main() -> None:
    """Write the stream, and describe it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--windows", type=int, default=WINDOWS)
    parser.add_argument("--order", choices=ORDERS, default="big")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--clean", action="store_true", help="without damage")
    options = parser.parse_args()
    stream = make(options.windows, options.order, options.seed, damaged=not options.clean)
    options.file.parent.mkdir(parents=True, exist_ok=True)
    options.file.write_bytes(stream.data)
    complete = sum(window.complete for window in stream.windows)
    print(f"{options.file} ({len(stream.data):,} bytes)")
    print(f"{len(stream.events):,} sound events in {complete:,} complete windows; damaged {stream.damages} times")


if __name__ == "__main__":
    main()
