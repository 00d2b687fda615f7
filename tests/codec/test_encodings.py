"""Every encoding of the language gives bytes back as they were, or refuses them; and so with characters."""

from itertools import islice, product
from random import Random

import pytest
from support import compiled
from support.cases import often
from support.lockstep import Pair, records_alike

from wireloom.characters import characters
from wireloom.codec import DecodeError, EncodeError
from wireloom.codec.encodings import decoded, encoded
from wireloom_generator.reading.vocabulary import ENCODINGS

BYTEWISE = {encoding: table for encoding in ENCODINGS if (table := characters(encoding)) is not None}
OTHERS = [encoding for encoding in ENCODINGS if encoding not in BYTEWISE]
PLANE = [chr(point) for point in (*range(0xD800), *range(0xE000, 0x10000), *range(0x1F600, 0x1F650))]

SOME = 7
"""One of so many is tried, where there are many; all of them in ``make fuzz``."""


@pytest.mark.parametrize("encoding", BYTEWISE)
def test_one_byte_is_one_character_and_back(encoding: str) -> None:
    table = dict(enumerate(BYTEWISE[encoding]))
    known = [byte for byte, character in table.items() if character is not None]
    assert len({table[byte] for byte in known}) == len(known) >= 128
    pairs = bytes(byte for pair in product(known, repeat=2) for byte in pair)
    text = decoded(pairs, encoding, 0)
    assert text == "".join(table[byte] or "" for byte in pairs)
    assert encoded(text, encoding) == pairs
    for byte in table.keys() - set(known):
        with pytest.raises(DecodeError, match=f"not {encoding} at byte 1 of it: {byte:02x}"):
            decoded(bytes([known[0], byte]), encoding, 0)


@pytest.mark.sweep
@pytest.mark.parametrize("encoding", OTHERS)
def test_one_byte_and_two_come_back_or_are_refused(encoding: str) -> None:
    read = 0
    singles = product(range(256))
    for data in map(bytes, (*singles, *islice(product(range(256), repeat=2), 0, None, often(SOME, 1)))):
        try:
            text = decoded(data, encoding, 0)
        except DecodeError:
            continue
        read += 1
        assert encoded(text, encoding) == data
    assert read > 1000 // often(SOME, 1) or encoding.startswith("utf-32")


@pytest.mark.sweep
@pytest.mark.parametrize("encoding", OTHERS)
def test_a_character_comes_back_or_is_refused(encoding: str) -> None:
    written = 0
    for character in (*PLANE[:0x400], *PLANE[0x400 :: often(SOME, 1)]):
        try:
            data = encoded(character, encoding)
        except EncodeError:
            continue
        written += 1
        assert decoded(data, encoding, 0) == character
    assert written >= 128


def test_what_would_be_read_otherwise_is_not_written() -> None:
    with pytest.raises(EncodeError, match="'¥' cannot be written in shift-jis: it would be read as"):
        encoded("¥", "shift-jis")


def test_the_second_of_two_codes_is_refused_where_it_stands() -> None:
    with pytest.raises(DecodeError, match="not cp932 at byte 2 of it: 87"):
        decoded(bytes.fromhex("6162 8790"), "cp932", 0)


def test_many_records_are_read_as_one_is() -> None:
    fields = "".join(
        f"    - {{name: text_{number}, type: text, prefix: u8, encoding: {encoding}}}\n"
        for number, encoding in enumerate(BYTEWISE)
    )
    found = compiled.of(
        f"protocol: pages\nbyte_order: big\nrecord: {{length: 2 + size, fields: [{{name: size, type: u16, derive: "
        f"size(body)}}, {{section: body, size: rest}}]}}\n---\nmessage: page\nmatch: {{}}\nsections:\n  body:\n{fields}"
    )
    random, records = Random(17), []
    for number in range(300):
        texts = [
            bytes(random.choices([byte for byte in range(256) if table[byte] is not None], k=random.randrange(9)))
            for table in BYTEWISE.values()
        ]
        if number % 3 == 0:
            texts[random.randrange(len(texts))] = bytes([random.randrange(256)])
        body = b"".join(bytes([len(text)]) + text for text in texts)
        records.append(len(body).to_bytes(2, "big") + body)
    records_alike(Pair.of(found.columnar), records)
