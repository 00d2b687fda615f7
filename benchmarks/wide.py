"""Protocols of 1, 16, 60 and 242 messages over the same bytes: what it costs to know messages that do not occur.

They are invented, a receiver's: a header with a group and a kind, some numbers in each message, and lists of structs
that hold bits. All declare the first messages alike: the bytes are of one of them, or of sixteen by turns. Last come
those of all messages by turns.
"""

import json
import os
import random
import struct
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import apart
import captures
import protocols
import yaml
from apart import Task
from captures import Block, Capture
from growth import MEGABYTE
from in_process import Effort
from report import Report, of_rates, spread
from resident import peak
from rivals import RIVALS, SWITCH

from wireloom import columnar
from wireloom.columnar.decoder import Decoder
from wireloom.options import ReadOptions
from wireloom.views import View

OCCURRING = 16
"""How many messages occur in a stream that has many."""
BY_MESSAGE = ("by_message", "by_message_accelerated")
ALLOWED = 1.5
"""How much more a row may cost where messages are known that do not occur."""
SIZE = 20
"""Megabytes of which memory is told."""
RECORDS, SOME = 50_000, 10_000
"""Records a call, since each call has its price, too; and of all messages, which take ``iter_records`` a second."""
_TYPES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i32": "i", "i64": "q"}
_STATES = ("none", "found", "tracked", "decoded", "used")
_HEAD = struct.Struct("<BBBHH")
_SEEN = struct.Struct("<BbH")


def name(count: int) -> str:
    """What the protocol of so many messages is called."""
    return f"wide_{count}"


def write(folder: Path, counts: Sequence[int]) -> None:
    """The specs, below ``folder``."""
    for count in counts:
        made = folder / name(count)
        made.mkdir(parents=True)
        documents = {"protocol": {"protocol": name(count), **_PROTOCOL}}
        documents |= {f"kind_{index}": _message(index) for index in range(count)}
        for file, document in documents.items():
            made.joinpath(f"{file}.yaml").write_text(yaml.safe_dump(document, sort_keys=False))


_PROTOCOL: dict[str, Any] = yaml.safe_load(f"""
byte_order: little
enums:
  - name: State
    values: [{", ".join(f"{{name: {word}, value: {value}}}" for value, word in enumerate(_STATES))}]
types:
  - name: Flags
    fields:
      - bits: u8
        fields: [{{name: quality, width: 5}}, {{name: channel, width: 3}}]
  - name: Seen
    fields: [{{name: flags, type: Flags}}, {{name: elevation, type: i8}}, {{name: azimuth, type: u16}}]
record:
  length: size + 7
  fields:
    - {{name: sync, type: u8, const: 0xb5}}
    - {{name: group, type: u8}}
    - {{name: kind, type: u8}}
    - {{name: size, type: u16, derive: size(payload)}}
    - {{name: counter, type: u16}}
    - {{section: payload, size: size, trailing: trailing}}
""")


def _message(index: int) -> dict[str, Any]:
    own = [{"name": f"value_{index}_{number}", "type": kind} for number, kind in enumerate(_own(index))]
    fields = [
        {"name": "time", "type": "u32"},
        *own,
        {"name": "accuracy", "type": "u16"},
        {"name": "state", "type": "u8", "enum": "State"},
        {"name": "count", "type": "u8", "derive": "count(seen)"},
        {"name": "seen", "type": "Seen", "repeat": {"count": "count"}},
    ]
    match = {"group": index // 64, "kind": index % 64}
    return {"message": f"kind_{index}", "match": match, "sections": {"payload": fields}}


def _own(index: int) -> list[str]:
    """The types of the numbers that a message has to itself."""
    return [list(_TYPES)[(index + number) % len(_TYPES)] for number in range(3 + index % 7)]


def _block(protocol: str, messages: int, records: int) -> Block:
    """Records of so many messages by turns."""
    chance = random.Random(captures.SEED)
    frames, totals = [], {"*": records, "counter": 0, "time": 0, "azimuth": 0}
    for number in range(records):
        index = number % messages
        seen = [(chance.getrandbits(8), chance.randint(-90, 90), chance.randrange(360)) for _ in range(number % 12)]
        own = "".join(_TYPES[kind] for kind in _own(index))
        number %= 2**16
        values = [chance.getrandbits(7) for _ in own]
        time, state = chance.getrandbits(32), chance.randrange(6)
        body = struct.pack(f"<I{own}HBB", time, *values, number, state, len(seen))
        body += b"".join(_SEEN.pack(*item) for item in seen)
        frames.append(_HEAD.pack(0xB5, index // 64, index % 64, len(body), number) + body)
        totals["counter"] += number
        totals["time"] += time
        totals["azimuth"] += sum(azimuth for *_, azimuth in seen)
    return Block(protocol, tuple(frames), totals)


def costs(counts: Sequence[int], effort: Effort) -> Iterator[Report]:
    """What a row costs in each protocol, and what the largest makes of all its messages."""
    yield _compared(1, counts, ("columnar", "columnar_accelerated"), effort)
    many = [count for count in counts if count >= OCCURRING]
    yield _compared(OCCURRING, many, ("columnar", "columnar_accelerated", *BY_MESSAGE), effort)
    yield _memory(counts, effort)
    yield _all_of(counts[-1], effort)


def _compared(occurring: int, counts: Sequence[int], ways: Sequence[str], effort: Effort) -> Report:
    """What a row costs in each protocol where so many messages occur."""
    rows, found, seconds = [], [], {}
    capture = _capture(counts[0], occurring, effort)
    able = [way for way in ways if RIVALS[way].may_run()]
    names = tuple(map(name, counts))
    every = iter(apart.measured(*(Task(capture, way, effort.rounds, effort.least, protocols=names) for way in able)))
    for way in able:
        rates = list(islice(every, len(counts)))
        for count, rate in zip(counts, rates, strict=True):
            times = rates[0].over(rate).value
            label = f"{count} messages, {RIVALS[way].title}"
            said = "" if times <= ALLOWED else f"> {ALLOWED}"
            rows.append((label, f"{1e6 / rate.rate:.2f}", f"{times:.2f}", spread(rate.spread), said))
            seconds[label] = rate.each.seconds
            found.append({**rate.found(), "name": label, "microseconds": 1e6 / rate.rate, "times": times})
    columns = ("", "µs a row", "× the smallest", "spread", "")
    caption = f"By turns, in one process. Meant: at most {ALLOWED} times."
    title = f"Messages that are known and do not occur, beside {occurring} that {'do' if occurring > 1 else 'does'}"
    return Report(title, columns, tuple(rows), caption, found, seconds)


def _memory(counts: Sequence[int], effort: Effort) -> Report:
    """What memory it takes to read bytes of one message."""
    block = _block(name(counts[0]), 1, min(effort.records, SOME))
    capture = block.capture("wide.bin", size=SIZE * MEGABYTE)
    found = {count: _grown(replace(capture, protocol=name(count))) for count in counts}
    rows = tuple((f"{count} messages", f"{grown:,}") for count, grown in found.items())
    return Report("Memory", ("", f"MB for {SIZE} MB"), rows, "Bytes of one message, batch by batch.", found)


def _capture(count: int, occurring: int, effort: Effort) -> Capture:
    block = _block(name(count), occurring, min(effort.records, RECORDS))
    return block.capture("wide.bin", records=effort.records)


def _all_of(count: int, effort: Effort) -> Report:
    block = _block(name(count), count, min(effort.records, SOME))
    capture = block.capture("wide.bin", records=effort.records)
    ways = [way for way in ("records", "columnar", "columnar_accelerated") if RIVALS[way].may_run()]
    rates = apart.measured(*(Task(capture, way, effort.rounds, effort.least) for way in ways))
    grown = _grown(block.capture("wide.bin", size=SIZE * MEGABYTE))
    caption = f"All messages occur, by turns. Memory for {SIZE} MB, batch by batch: {grown:,} MB."
    return of_rates(f"{count} messages", rates, RIVALS["columnar"].title, caption)


def _grown(capture: Capture) -> int:
    """By how many megabytes a process grows that reads a capture batch by batch."""
    environment = os.environ | {"PYTHONPATH": protocols.search_path(), SWITCH: "0"}
    command = [sys.executable, __file__, capture.protocol, capture.path]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        sys.exit(f"{capture.protocol}: {done.stderr.strip()}")
    return int(json.loads(done.stdout) // MEGABYTE)


def _measure(protocol: str, path: str) -> int:
    """What reading takes beside the capture, the protocol's module being there."""
    codec = protocols.load(protocol).PROTOCOL
    chosen = ReadOptions.of({"mode": "PERMISSIVE"}, codec.parameters, codec.messages)
    schema = columnar.arrow_schema(View(codec, chosen).columns)
    decoding = Decoder(codec, chosen, schema)
    data = Path(path).read_bytes()
    before = peak()
    rows = sum(batch.num_rows for batch in decoding.capture(data))
    if decoding.tally.malformed or not rows:
        sys.exit(f"{decoding.tally.malformed} of {rows} records are malformed: {decoding.tally.first}")
    return peak() - before


if __name__ == "__main__":
    print(json.dumps(_measure(*sys.argv[1:])))
