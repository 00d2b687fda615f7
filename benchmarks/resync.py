"""How records of DCP are found behind gaps in recorded traffic: how many headers in a row it takes to be sure.

    python benchmarks/resync.py --megabytes 4

Streams of mutations with values of several kinds are cut into pieces that begin and end anywhere, as between two gaps.
False records are those that nobody sent, per MB of bytes that were skipped; missed are those that are whole in a piece
and were not found. ``strict`` are chains that must not end in front of less than a header.
"""

import argparse
import bisect
import json
import random
import sys
import zlib
from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise
from typing import Any

import pyarrow as pa

from wireloom.codec import DecodeError
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.scanning import Scanner, Window
from wireloom.columnar.search import BulkSearch
from wireloom.options import ReadOptions, resolve
from wireloom_protocols import couchbase_dcp

SHORTEST = 100
"""How long pieces are at least."""


class Chained(BulkSearch):
    """A search for records that lead to others, ``count`` of them in a row."""

    count = 2
    strict = False

    def _borne_out(self, buffer: Any, at: int, length: int, end: int, *, final: bool, order: bool) -> bool:
        if self.framing.doubted(buffer, at, end, self.parameters, little=order):
            return False
        stop = at + length
        for _ in range(self.count - 1):
            if stop >= end:
                return stop == end
            try:
                length, _ = self.framing.believed(
                    buffer, stop, end, self.parameters, final=final, bound=self.bound, order=order
                )
            except DecodeError as error:
                return error.needed > end - stop and not self.strict
            stop += length
            if stop > end:
                return True
        return True


def document(chance: random.Random) -> bytes:
    lines = [
        {"item": chance.choice(["table", "chair"]), "count": chance.randrange(9)} for _ in range(chance.randint(3, 60))
    ]
    return json.dumps({"id": chance.getrandbits(40), "paid": True, "lines": lines}).encode()


def frame(chance: random.Random, value: bytes) -> bytes:
    key = f"user:{chance.getrandbits(40)}"
    fields = {"by_seqno": chance.getrandbits(30), "rev_seqno": 1, "flags": 0, "expiration": 0}
    fields |= {"collection_id": 8, "document_key": key, "body": value}
    row = {"message": "mutation", "vbucket": chance.randrange(1024), "opaque": chance.getrandbits(20), "datatype": 0}
    return couchbase_dcp.build({**row, "cas": chance.getrandbits(60), "mutation": fields})


def frames_inside(count: int) -> Callable[[random.Random], bytes]:
    """A value with so many whole frames, end to end, and then something else."""

    def value(chance: random.Random) -> bytes:
        frames = [frame(chance, chance.randbytes(chance.randint(0, 200))) for _ in range(count)]
        return document(chance) + b"".join(frames) + document(chance)

    return value


def fragments(chance: random.Random) -> bytes:
    """Pieces of frames."""
    pieces = []
    for _ in range(chance.randint(1, 8)):
        whole = frame(chance, chance.randbytes(chance.randint(0, 200)))
        at = chance.choice([0, chance.randrange(len(whole))])
        pieces.append(whole[at : at + chance.randint(1, len(whole))])
    return b"".join(pieces)


VALUES: dict[str, Callable[[random.Random], bytes]] = {
    "random": lambda chance: chance.randbytes(chance.randint(0, 4000)),
    "json": document,
    "zeros": lambda chance: bytes(chance.randint(0, 4000)),
    "packed": lambda chance: zlib.compress(b"".join(document(chance) for _ in range(9))),
    "fragments": fragments,
    "1 frame": frames_inside(1),
    "2 frames": frames_inside(2),
    "3 frames": frames_inside(3),
}


def pieces(kind: str, size: int, longest: int) -> Iterator[tuple[bytes, list[tuple[int, int]]]]:
    """Pieces of a stream, and where in each whole frames stand."""
    chance = random.Random(kind)
    frames: list[bytes] = []
    while sum(map(len, frames[-1000:])) < size and len(frames) < 1000:
        frames.append(frame(chance, VALUES[kind](chance)))
    stream = b"".join(frames)
    ends = list(accumulate(map(len, frames), initial=0))
    spans = list(pairwise(ends))
    done = 0
    while done < size:
        start = chance.randrange(len(stream) - SHORTEST)
        stop = min(len(stream), start + chance.randint(SHORTEST, longest))
        first, last = bisect.bisect_left(ends, start), bisect.bisect_right(ends, stop) - 1
        yield stream[start:stop], [(here - start, there - start) for here, there in spans[first:last]]
        done += stop - start


def found(scanner: Scanner, data: bytes) -> Iterator[tuple[int, int, bool]]:
    """What a scanner makes of a piece: where ranges stand, and whether they are records."""
    scanner.cutter.lose(0, None)
    for cuts, _ in scanner.scan(Window(data)):
        for row, ends in enumerate(zip(cuts.start.tolist(), cuts.stop.tolist(), strict=True)):
            yield (*ends, not cuts.malformed(row))


def main() -> None:
    """Print a line a kind of value and a search."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=4)
    parser.add_argument("--longest", type=int, default=60_000, help="how many bytes pieces have at most")
    told = parser.parse_args()
    size, longest = int(told.megabytes * 1e6), told.longest
    protocol = couchbase_dcp.PROTOCOL
    known = resolve(protocol.parameters, {})
    decoder = Decoder(protocol, ReadOptions(parameters=known), pa.schema([]))
    print(f"{'values':10} {'chain':>8} {'skipped':>10} {'false':>6} {'per MB':>8} {'missed':>7} {'of':>7}")
    for kind in VALUES:
        for strict in (False, True):
            for count in (2, 3, 4):
                skipped = false = missed = total = 0
                for data, spans in pieces(kind, size, longest):
                    scanner = decoder.scanner()
                    search = Chained(scanner.codec, scanner.framing, dict(scanner.parameters), scanner.bound)
                    search.count, search.strict = count, strict
                    scanner.search = scanner.cutter.search = search
                    records = set()
                    for start, stop, sound in found(scanner, data):
                        if sound:
                            records.add((start, stop))
                        else:
                            skipped += stop - start
                    false += len(records.difference(spans))
                    missed += len(set(spans) - records)
                    total += len(spans)
                name = f"{count} strict" if strict else str(count)
                rate = false / max(skipped / 1e6, 1e-9)
                print(f"{kind:10} {name:>8} {skipped:10} {false:6} {rate:8.2f} {missed:7} {total:7}")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
