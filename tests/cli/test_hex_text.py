"""Hex text, in pieces and as a whole."""

import pytest

from wireloom.hex_text import HexDecoder, HexTextError, decoded

TEXT = b"57 4C  # the magic, 5x\n01\n\r\n 0 0 # nothing\n16"


def test_blanks_and_comments_are_left_out() -> None:
    assert decoded(TEXT.decode()) == bytes.fromhex("574c010016")
    assert decoded(" # nothing") == b""


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_text_arrives_in_pieces(size: int) -> None:
    decoder = HexDecoder()
    pieces = [decoder.decode(TEXT[at : at + size]) for at in range(0, len(TEXT), size)]
    decoder.finish()
    assert b"".join(pieces) == bytes.fromhex("574c010016")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("57\n4g", "line 2 is not hex text: 'g' is no hex digit"),
        ("57 é", "line 1 is not hex text: 'é' is no hex digit"),
        ("57 # odd\n4", "the number of hex digits is odd"),
    ],
)
def test_other_text_is_refused(text: str, said: str) -> None:
    with pytest.raises(HexTextError) as refused:
        decoded(text)
    assert str(refused.value) == said
