"""Text of packed characters: as other implementations read it, in every width, and values that cannot be written."""

from random import Random

import pytest
from support import compiled

from wireloom.characters import CharacterSet
from wireloom.codec import DecodeError, EncodeError

SIX_BIT = "@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_ !\"#$%&'()*+,-./0123456789:;<=>?"
"""Table 47 of ITU-R M.1371-5."""
ICAO = CharacterSet(6, "\ufffdABCDEFGHIJKLMNOPQRSTUVWXYZ" + 5 * "\ufffd" + " " + 15 * "\ufffd" + "0123456789")
"""Table 3-9 of ICAO Annex 10, volume IV, as Mode S and ADS-B have it."""
PING = """\
protocol: ping
byte_order: big
record: {length: rest, fields: [{section: body, size: rest}]}
---
message: ping
match: {}
sections:
  body:
    - {name: size, type: u8}
    - {name: text, type: text, size: size, encoding: {width: 6, characters: "@ABC"}PAD}
"""


@pytest.mark.parametrize(
    ("text", "data"),
    [
        # septets of GSM, as in examples of SMS-DELIVER and SMS-SUBMIT that other decoders are tested with
        ("hellohello", "e8329bfd4697d9ec37"),
        ("How are you?", "c8f71d14969741f977fd07"),
        ("It is easy to send text messages.", "493a283d0795c3f33c88fe06cdcb6e32885ec6d341edf27c1e3e97e72e"),
    ],
)
def test_septets_begin_with_the_lowest_bits(text: str, data: str) -> None:
    septets = CharacterSet(7, "".join(map(chr, range(128))), lsb=True)  # GSM has letters where ASCII has them
    assert septets.packed(septets.codes(text)).hex() == data
    codes, left = septets.unpacked(bytes.fromhex(data))
    assert (septets.text(codes).rstrip("\0"), left) == (text, 0)


def test_an_aircraft_has_the_name_that_other_decoders_read() -> None:
    """The identification in the ADS-B message 8d4840d6202cc371c32ce0576098, an example of many manuals."""
    codes, left = ICAO.unpacked(bytes.fromhex("2cc371c32ce0"))
    assert (ICAO.text(codes), left) == ("KLM1023 ", 0)


def test_a_ship_has_the_name_that_other_decoders_read() -> None:
    """The call sign and the name in a message 5 of AIS that the documentation of its decoders explains."""
    payload = "55?MbV02;H;s<HtKR20EHE:0@T4@Dn2222222216L961O5Gf0NSQEp6ClRp888888888880"
    armoured = [ord(each) - 48 - 8 * (ord(each) > 87) for each in payload]
    bits = "".join(f"{each:06b}" for each in armoured)
    known = CharacterSet(6, SIX_BIT)
    assert known.text(known.split(int(bits[70:112], 2), 7)) == "3FOF8  "
    assert known.text(known.split(int(bits[112:232], 2), 20)) == "EVER DIADEM         "
    assert known.text(known.split(int(bits[302:422], 2), 20)) == "NEW YORK            "


@pytest.mark.parametrize("width", range(1, 9))
@pytest.mark.parametrize("lsb", [False, True])
def test_every_width_is_as_its_bits(width: int, *, lsb: bool) -> None:
    """Beside strings of bits."""
    random, known = Random(width), CharacterSet(width, "", lsb)
    for count in range(40):
        codes = random.randbytes(count).translate(bytes(byte % (1 << width) for byte in range(256)))
        bits = "".join(f"{code:0{width}b}"[:: -1 if lsb else 1] for code in codes)
        bits += "0" * (-len(bits) % 8)
        octets = (bits[at : at + 8][:: -1 if lsb else 1] for at in range(0, len(bits), 8))
        data = bytes(int(each, 2) for each in octets)
        if len(bits) - count * width >= width:
            with pytest.raises(ValueError, match=f"^{count} characters leave room for another"):
                known.packed(codes)
        else:
            assert known.packed(codes) == data
            assert known.unpacked(data) == (codes, 0)


@pytest.mark.parametrize(
    ("pad", "text", "why"),
    [
        ("", "ABC", "3 characters leave room for another, which would be read behind them"),
        ("", "ABCD", "'D' is no character of its set of 6-bit characters"),
        ("", "ABCAB", "has 4 bytes, but its size says 3"),
        ('pad: "00"', "AB@", "ends with its padding '@'"),
        ('pad: "00"', None, "missing"),
        ('pad: "00"', b"A", "text expected, not b'A'"),
    ],
)
def test_what_cannot_be_written(pad: str, text: object, why: str) -> None:
    codec = compiled.of(PING.replace("PAD", f", {pad}" if pad else "")).codec
    with pytest.raises(EncodeError, match=f"^ping.text: {why}$"):
        codec.build({"message": "ping", "ping": {"size": 3, "text": text}})


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("03 041fc0", "text"),
        ("02 0411", "padding"),
        ("03 0410", "truncated"),
    ],
)
def test_what_is_malformed(data: str, why: str) -> None:
    codec = compiled.of(PING.replace("PAD", "")).codec
    with pytest.raises(DecodeError) as found:
        codec.parse(bytes.fromhex(data))
    assert (found.value.code, found.value.field) == (why, "ping.text")
