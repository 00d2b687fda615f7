"""Where captures are split: the scan that finds places where records begin, beside a bare hop from length to length."""

import io
from collections.abc import Iterator

import captures
import protocols
from by_c import hop
from in_process import Effort, rates
from report import Measured, Report, named, of_rates
from rivals import RIVALS, Decoder

from wireloom.columnar.index import scanner_of
from wireloom.columnar.splits import places
from wireloom.options import ReadOptions

EVERY = 4 * 1024 * 1024
"""Bytes between two places."""
_LENGTH, _HEADER = 8, 24
"""Where the length of a frame's body is, and what is not counted in it."""


def bare(_: str) -> Decoder:
    """What hops over frames, and counts them."""
    return hop(_LENGTH, _HEADER)


def splitting(protocol: str) -> Decoder:
    """What finds places in frames, and counts these: in front of the last place as they are told, behind it by hops."""
    codec = protocols.load(protocol).PROTOCOL
    options = ReadOptions.of({"mode": "FAILFAST"}, codec.parameters, codec.messages)
    rest = hop(_LENGTH, _HEADER)

    def counted(data: bytes) -> int:
        *_, last = (0, 0), *places(scanner_of(codec, options), io.BytesIO(data).readinto, len(data), EVERY)
        offset, number = last
        return number + rest(data[offset:])

    return counted


def scans(effort: Effort) -> Iterator[Report]:
    """Mutations, and mixed traffic. Nothing where the hop cannot be compiled."""
    if not RIVALS["hop"].may_run():
        return
    for what, block in {"mutations": captures.mutations(), "mixed": captures.mixed()}.items():
        capture = block.capture(f"scan_{what}.bin", records=SCANNED * effort.records)
        found = rates(capture, ("hop", *_WAYS), effort)
        beside = named(found, RIVALS["hop"].title)
        reached = (
            Measured(f"scan_{what}", way, named(found, RIVALS[name].title).over(beside))
            for name, way in _WAYS.items()
            if RIVALS[name].may_run()
        )
        title = f"Where to split {what}: {capture.size / 1e6:,.0f} MB, a place each {EVERY >> 20} MiB"
        caption = "The hop follows lengths and proves nothing; it is C."
        yield of_rates(title, found, beside.name, caption, "frames", tuple(reached))


SCANNED = 5
"""How often as many records are scanned as are decoded elsewhere."""
_WAYS = {"scan": False, "scan_accelerated": True}
