"""What is built from values alone beside what pyiso8583 encodes, and messages that only one of both reads."""

import iso8583
import pytest

from protocols import strangers
from protocols.strangers.iso8583 import NAMES, SPEC, encoded, row
from wireloom.codec import DecodeError, Protocol


@pytest.fixture(scope="module")
def codec() -> Protocol:
    return strangers.protocol("iso8583").codec


@pytest.mark.parametrize("name", ["alone", "together", "bounds"])
def test_what_is_built_from_values_is_what_the_other_encodes(codec: Protocol, name: str) -> None:
    capture = next(each for each in strangers.captures("iso8583") if each.name == name)
    built = [codec.build({"mti": each["mti"], "data_elements": each["data_elements"]}) for each in capture.rows]
    assert b"".join(built) == capture.data
    assert [row(each) for each in built] == list(capture.rows)


def test_bits_are_those_of_the_other(codec: Protocol) -> None:
    values = {"pan": "4111111111111111111", "mac": bytes(8), "account_2": "", "last_mac": bytes(8)}
    document, _ = iso8583.decode(codec.build({"mti": 0x0200, "data_elements": values}), SPEC)
    assert (document["p"], document["1"]) == ("C000000000000001", "0000000002000001")


def test_no_secondary_bitmap_is_written_without_need(codec: Protocol) -> None:
    """The other reads one in which no bit is set, and does not write it either; nobody could write it back here."""
    message = bytes.fromhex("0015 0800 8020000000000000 0000000000000000 000001")
    document, _ = iso8583.decode(message, SPEC)
    assert (document["1"], document["11"]) == ("0000000000000000", "000001")
    assert encoded({"t": "0800", "11": "000001"}) == bytes.fromhex("000d 0800 0020000000000000 000001")
    with pytest.raises(DecodeError, match=r"^derived: data_elements\.bitmap_1 "):
        codec.parse(message)


def test_a_third_bitmap_is_none_of_these_messages(codec: Protocol) -> None:
    """For the other, bit 65 is that of a third bitmap, although the edition of 1987 has a data element there."""
    known = {**SPEC, "129": SPEC["39"]}
    bare, _ = iso8583.encode({"h": "0000", "t": "0200", "129": "00"}, known)
    message = (len(bare) - 2).to_bytes(2, "big") + bytes(bare[2:])
    assert message[4:28].hex() == "8000000000000000" + "8000000000000000" + "8000000000000000"
    with pytest.raises(DecodeError, match=r"bit 65 is 1, but has no field$"):
        codec.parse(message)


@pytest.mark.parametrize("bit", sorted(set(range(2, 65)) - set(map(int, NAMES))))
def test_data_elements_without_a_field_are_told(codec: Protocol, bit: int) -> None:
    message = bytes.fromhex("000a 0200") + (1 << 64 - bit).to_bytes(8, "big")
    with pytest.raises(KeyError, match=f"^'{bit}'$"):
        iso8583.decode(message, SPEC)
    with pytest.raises(DecodeError, match=f"^constant: .* bit {bit} is 1, but has no field$"):
        codec.parse(message)


@pytest.mark.parametrize(
    ("body", "theirs", "ours"),
    [
        ("4000000000000000 0a", "invalid BCD data", "^invalid: data_elements.pan"),
        ("4000000000000000 03 1123", "4 nibbles, expecting 3", "^padding: data_elements.pan"),
        ("0000000000000400 202031", "", "^invalid: data_elements.additional_amounts"),
        ("0000000000000400 2b3031 61", "", "^invalid: data_elements.additional_amounts"),
        ("4000000000000000 04 1a23", "", "^text: data_elements.pan"),
    ],
)
def test_digits_that_are_none(codec: Protocol, body: str, theirs: str, ours: str) -> None:
    """The other takes what Python takes for a number, and any nibbles."""
    data = bytes.fromhex("0200") + bytes.fromhex(body)
    message = len(data).to_bytes(2, "big") + data
    if theirs:
        with pytest.raises(iso8583.DecodeError, match=theirs):
            iso8583.decode(message, SPEC)
    elif body.startswith("4"):
        assert iso8583.decode(message, SPEC)[0]["2"] == "1A23"
    with pytest.raises(DecodeError, match=ours):
        codec.parse(message)
