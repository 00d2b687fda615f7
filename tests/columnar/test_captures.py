"""What the columnar decoder makes of invented records and of vectors, alone and in hostile company, is the codec's."""

from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from attack.targets import known
from hypothesis import given, settings
from hypothesis import strategies as st
from support import accelerator, compiled, invented, sums, vectors
from support.cases import each, often
from support.lockstep import Pair, capture_alike, captures_alike, damaged, records_alike, tables_alike
from support.paths import ROOT

from wireloom.backends.numpy import checksums
from wireloom.codec import EncodeError
from wireloom.options import Mode, resolve
from wireloom_protocols.couchbase_dcp import columnar as couchbase_dcp
from wireloom_protocols.databus import columnar as databus
from wireloom_protocols.memcached import columnar as memcached

GENERATED = {module.PROTOCOL.name: Pair.of(module) for module in (couchbase_dcp, databus, memcached)}
FRAMES = ("couchbase_dcp/frames.jsonl", "couchbase_dcp/seed_frames.jsonl")
DRAWN = ("couchbase_dcp_all/doc_frames.jsonl", "couchbase_dcp_all/other_doc_frames.jsonl")
EVENTS = ("databus/vectors.jsonl",)
CAPTURES = ROOT / "examples" / "captures"
ORDERS = ("auto", "big", "little")


def data_of(*files: str) -> list[bytes]:
    """The bytes of the vectors in ``files``."""
    rows = vectors.external(*files) or vectors.committed(*files)
    return [data for row in rows if "hex" in row and (data := vectors.data_of(row))]


@pytest.mark.sweep
@accelerator.off_and_on
def test_frames(accelerated: bool) -> None:
    pair = GENERATED["couchbase_dcp"]
    records = data_of(*FRAMES, *DRAWN)
    random = Random("frames")
    for little in (False, True):
        records_alike(pair, records, little=little)
    whole = [data for data in records if len(data) >= 24 and len(data) == 24 + int.from_bytes(data[8:12], "big")]
    captures_alike(pair, b"".join(whole))
    for first in range(0, len(records), 16):
        records_alike(
            pair, [changed for data in records[first : first + 16] for changed in damaged(data, random, often(2, 8))]
        )


@pytest.mark.sweep
@accelerator.off_and_on
@pytest.mark.parametrize("order", ORDERS)
def test_events(order: str, accelerated: bool) -> None:
    pair = GENERATED["databus"]
    records = data_of(*EVENTS)
    random = Random(order)
    for replicated in ("true", "false"):
        some = records if replicated == "true" else records[:: often(3, 1)]
        records_alike(pair, some, little=order == "little", byte_order=order, repl_dbus=replicated)
    some = records[1 :: often(3, 1)]
    records_alike(pair, some, [random.random() < 0.5 for _ in some], byte_order=order)
    random.shuffle(records)
    for first in range(0, min(len(records), 80), 40):
        some = records[first : first + 40]
        capture_alike(pair, b"".join(some), byte_order=order)
        capture_alike(pair, b"".join(some), byte_order=order, maxRecordBytes="80")


@pytest.mark.sweep
@accelerator.off_and_on
@pytest.mark.parametrize("order", ORDERS)
def test_streams_of_events(order: str, accelerated: bool) -> None:
    """Of a stream in the other byte order, in which little is sound, it is the beginning."""
    folder = Path(vectors.EXTERNAL) if vectors.EXTERNAL else vectors.COMMITTED
    for path in sorted(folder.joinpath("databus").glob("*.bin")):
        if not path.stem.endswith("_8mb"):
            its_own = order == "auto" or path.stem.endswith("_le") == (order == "little")
            data = path.read_bytes()[: None if its_own else often(6_000, 1 << 20)]
            capture_alike(GENERATED["databus"], data, byte_order=order)


@pytest.mark.sweep
@each("path", sorted(CAPTURES.glob("*/*.bin")))
def test_captures_as_tables_by_message(path: Path) -> None:
    pair, capture = GENERATED[path.parent.name], path.read_bytes()
    random = Random(path.name)
    for data in (capture, *damaged(capture, random, often(1, 3))):
        others = random.sample([mode for mode in Mode if mode is not Mode.PERMISSIVE], often(1, 2))
        found = [tables_alike(pair, data, mode=mode) for mode in (Mode.PERMISSIVE, *others)]
        assert found[0] or not data


# --- invented


@cache
def pair_of(name: str) -> Pair:
    if name in GENERATED:
        return GENERATED[name]
    return Pair.of(compiled.feature(name).columnar)


def written(pair: Pair, parameters: dict[str, Any]) -> st.SearchStrategy[bytes]:
    """Records of any message in any variant."""
    resolved = resolve(pair.codec.parameters, parameters)

    @st.composite
    def draw(draw: st.DrawFn) -> bytes:
        message, variant = draw(st.sampled_from(list(invented.shapes(pair.codec))))
        row = draw(invented.rows(message, variant, resolved))
        try:
            return pair.codec.build(row, **parameters)
        except EncodeError:
            return b""

    return draw()


@pytest.mark.sweep
@pytest.mark.parametrize("name", compiled.FEATURES)
@settings(max_examples=often(2, 20))
@given(data=st.data())
def test_invented_records_of_features(name: str, data: st.DataObject) -> None:
    pair = pair_of(name)
    told = {} if pair.codec.preamble is None else dict(known(name).parameters[-1])
    records = data.draw(st.lists(written(pair, told), min_size=1, max_size=6))
    capture_alike(pair, b"".join(records), **told)
    random = Random(0)
    records_alike(pair, [changed for record in records for changed in (record, *damaged(record, random, 4))], **told)


def hostile(pair: Pair, parameters: dict[str, Any]) -> st.SearchStrategy[bytes]:
    """Captures of good records, of some that were damaged, and noise."""
    good = written(pair, parameters)
    bad = st.builds(lambda record, seed: next(damaged(record, Random(seed), 1)), good, st.integers(0, 1 << 20))
    noise = st.binary(max_size=40)
    return st.lists(st.one_of(good, good, good, bad, noise), max_size=7).map(b"".join)


USUAL = (("auto", "true"), ("big", "false"), ("little", "true"))
bounds = st.sampled_from(["30", "90", "1000000"])


@accelerator.off_and_on
@settings(max_examples=often(4, 40))
@given(data=st.data(), bound=bounds)
def test_hostile_frames(bound: str, data: st.DataObject, accelerated: bool) -> None:
    pair = GENERATED["couchbase_dcp"]
    capture = data.draw(hostile(pair, {}))
    capture_alike(pair, capture, maxRecordBytes=bound)
    capture_alike(pair, capture, mode="FAILFAST", labels="false")


@pytest.mark.sweep
@accelerator.off_and_on
@pytest.mark.parametrize(
    ("order", "replicated"),
    [
        pytest.param(*both, marks=() if both in USUAL else pytest.mark.long)
        for both in product(ORDERS, ("true", "false"))
    ],
)
@settings(max_examples=often(3, 20))
@given(data=st.data(), bound=bounds)
def test_hostile_events(order: str, replicated: str, bound: str, data: st.DataObject, accelerated: bool) -> None:
    pair = GENERATED["databus"]
    big = hostile(pair, {"byte_order": "big", "repl_dbus": replicated})
    little = hostile(pair, {"byte_order": "little", "repl_dbus": replicated})
    capture = b"".join(data.draw(st.tuples(big, little, big)))
    capture_alike(pair, capture, byte_order=order, repl_dbus=replicated, maxRecordBytes=bound)
    capture_alike(pair, capture, mode="DROPMALFORMED", byte_order=order, repl_dbus=replicated)
    capture_alike(pair, capture, mode="FAILFAST", byte_order=order, repl_dbus=replicated)
    for message in pair.codec.messages:
        capture_alike(pair, capture, message=message, byte_order=order, repl_dbus=replicated)


# --- checksums


@accelerator.off_and_on
@pytest.mark.parametrize("name", sums.SOME)
@given(data=st.binary(max_size=300), ends=st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), max_size=6))
def test_checksums_of_many_ranges(name: str, data: bytes, ends: list[tuple[int, int]], accelerated: bool) -> None:
    ranges = [sorted((min(a, len(data)), min(b, len(data)))) for a, b in ends]
    start, stop = (np.array([each[i] for each in ranges], np.int64) for i in (0, 1))
    algorithm, buffer = sums.algorithm(name), np.frombuffer(data, np.uint8)
    expected = [algorithm(data[a:b]) for a, b in ranges]
    assert checksums.of_ranges(algorithm, buffer, start, stop).tolist() == expected
    for a, b in ranges:
        alone = checksums.of_ranges(algorithm, buffer, np.array([a] * 3), np.array([b] * 3))
        assert alone.tolist() == [algorithm(data[a:b])] * 3


@pytest.mark.sweep
@accelerator.off_and_on
@pytest.mark.parametrize("name", sums.SOME)
def test_checksums_of_very_many_ranges(name: str, accelerated: bool) -> None:
    chance, data = Random(5), Random(6).randbytes(40_000)
    ranges = [sorted((chance.randrange(40_000), chance.randrange(40_000))) for _ in range(4)]
    ranges += [[at, at + chance.randrange(600)] for at in range(0, 30_000, 100)] + [[at, at + 9] for at in range(300)]
    start, stop = (np.array([each[i] for each in ranges], np.int64) for i in (0, 1))
    algorithm = sums.algorithm(name)
    found = checksums.of_ranges(algorithm, np.frombuffer(data, np.uint8), start, stop)
    assert found.tolist() == [algorithm(data[a:b]) for a, b in ranges]
