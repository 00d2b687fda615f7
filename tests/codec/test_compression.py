"""Each compression against its own tools, damage, and a package that is missing."""

import random
import sys
from contextlib import suppress
from functools import partial

import pytest
from support.scaling import LINEAR, growth

from codec.other_packers import OTHERS
from wireloom.codec import compression
from wireloom.codec.compression import COMPRESSORS, DamagedError, OverflowingError

TEXT = b"".join(b"line %d of a text that repeats itself, " % number for number in range(400))
NOISE = random.Random(5).randbytes(70_000)
CONTENTS = (b"", b"a", TEXT, NOISE, bytes(200_000))


@pytest.mark.parametrize("name", COMPRESSORS)
def test_each_unpacks_what_others_pack_and_what_it_packs(name: str) -> None:
    for data in CONTENTS:
        for packed in (OTHERS[name](data), COMPRESSORS[name].pack(data)):
            assert COMPRESSORS[name].unpack(packed, len(data)) == data
            if data:
                with pytest.raises(OverflowingError):
                    COMPRESSORS[name].unpack(packed, len(data) - 1)


@pytest.mark.parametrize("data", CONTENTS)
def test_a_block_without_a_header_is_read_where_kafka_has_one(data: bytes) -> None:
    assert COMPRESSORS["snappy_xerial"].unpack(OTHERS["snappy"](data), len(data)) == data


@pytest.mark.parametrize("name", COMPRESSORS)
def test_what_is_cut_off_or_followed_by_others_is_damaged(name: str) -> None:
    packed = OTHERS[name](TEXT)
    for wrong in (packed[:-1], packed[: len(packed) // 2], packed + b"\x55", b"\x57\x33\x22"):
        if name == "deflate" and wrong.startswith(packed):
            assert COMPRESSORS[name].unpack(wrong, 1 << 20) == TEXT
            continue
        with pytest.raises(DamagedError):
            COMPRESSORS[name].unpack(wrong, 1 << 20)


@pytest.mark.parametrize("name", COMPRESSORS)
def test_damage_is_an_error_of_its_own(name: str) -> None:
    chance, packed = random.Random(name), OTHERS[name](TEXT)
    for _ in range(200):
        wrong = bytearray(packed)
        for _ in range(chance.randint(1, 4)):
            wrong[chance.randrange(len(wrong))] = chance.randrange(256)
        with suppress(DamagedError, OverflowingError):
            COMPRESSORS[name].unpack(bytes(wrong), 1 << 20)


@pytest.mark.parametrize("name", ["gzip", "bzip2", "xz"])
def test_many_streams_are_one_and_cost_no_more_than_their_bytes(name: str) -> None:
    assert COMPRESSORS[name].unpack(OTHERS[name](TEXT) + OTHERS[name](NOISE), 1 << 20) == TEXT + NOISE
    assert COMPRESSORS[name].unpack(OTHERS[name](b"") * 20_000, 0) == b""
    assert growth(lambda streams: partial(COMPRESSORS[name].unpack, OTHERS[name](b"") * streams, 0), 2_000) < LINEAR


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cramjam", None)
    monkeypatch.setattr(compression, "_library", compression._library.__wrapped__)
    with pytest.raises(ModuleNotFoundError, match=r"needs cramjam; pip install 'wireloom\[compression\]'"):
        COMPRESSORS["zstd"].unpack(b"abc", 100)
