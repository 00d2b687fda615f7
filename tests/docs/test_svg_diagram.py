"""Byte diagrams as SVG: the boxes of the text diagrams, each in its place, with its name inside."""

from itertools import combinations
from xml.etree import ElementTree

import pytest

from wireloom_generator.emitters.docs.byte_rows import Box, Break, Drawing, Drawn
from wireloom_generator.emitters.docs.layout import Position
from wireloom_generator.emitters.docs.svg_diagram import draw

SVG = "{http://www.w3.org/2000/svg}"
FIELDS: tuple[Drawn, ...] = (
    Box("flags", Position(), 1, bits=(("high_nibble", 4), ("x", 4)), kind="u8"),
    Box("number", Position(fixed=1), 8, kind="u64"),
    Break("value: n bytes", section=True),
    Box("text", Position("value"), None, "n bytes", kind="text, utf-8"),
)


def _figure(*items: Drawn, footer: tuple[str, ...] = ()) -> ElementTree.Element:
    return ElementTree.fromstring(draw(Drawing(items, footer)))


def _boxes(figure: ElementTree.Element) -> list[ElementTree.Element]:
    return [group for group in figure.iter(f"{SVG}g") if "box" in group.get("class", "").split()]


def _rectangles(box: ElementTree.Element) -> list[tuple[float, float, float, float]]:
    """Left, top, right, bottom."""
    found = []
    for part in box.iter(f"{SVG}rect"):
        x, y, width, height = (float(part.get(name, "")) for name in ("x", "y", "width", "height"))
        found.append((x, y, x + width, y + height))
    return found


def test_boxes_say_what_where_and_how_long_in_order() -> None:
    assert [box.findtext(f"{SVG}title") for box in _boxes(_figure(*FIELDS))] == [
        "high_nibble: bits 7 to 4 of u8 at offset 0",
        "x: bits 3 to 0 of u8 at offset 0",
        "number: u64, 8 bytes at offset 1",
        "text: text, utf-8, n bytes at offset value+0",
    ]


def test_a_box_can_be_reached_and_read_without_a_pointer() -> None:
    box = _boxes(_figure(FIELDS[1]))[0]
    assert (box.get("tabindex"), box.get("role")) == ("0", "img")
    assert box.get("aria-label") == box.findtext(f"{SVG}title")


def test_boxes_cover_their_bytes_and_no_others() -> None:
    rectangles = [found for box in _boxes(_figure(*FIELDS)) for found in _rectangles(box)]
    for one, other in combinations(rectangles, 2):
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
    byte = 152
    number = _rectangles(_boxes(_figure(*FIELDS))[2])
    assert [round((right - left) / byte) for left, _, right, _ in number] == [3, 4, 1]


def test_full_rows_of_a_box_are_one_rectangle() -> None:
    (found,) = _rectangles(_boxes(_figure(Box("cas", Position(), 8)))[0])
    assert found[2] - found[0] == 4 * 152


def test_bit_fields_of_an_integer_go_on_in_the_next_row() -> None:
    bits = (("type", 5), ("altitude", 31), ("spare", 12))
    boxes = _boxes(_figure(Box("body", Position(), 6, bits=bits, kind="u48")))
    assert [box.findtext(f"{SVG}title") for box in boxes] == [
        "type: bits 47 to 43 of u48 at offset 0",
        "altitude: bits 42 to 12 of u48 at offset 0",
        "spare: bits 11 to 0 of u48 at offset 0",
    ]
    widths = [[round((right - left) / 19) for left, _, right, _ in _rectangles(box)] for box in boxes]
    assert widths == [[5], [27, 4], [12]]


def test_what_is_of_no_fixed_size_looks_different() -> None:
    number, text = _boxes(_figure(*FIELDS))[2:]
    assert "varies" not in number.get("class", "")
    assert "varies" in text.get("class", "")
    assert all(part.get("stroke-dasharray") for part in text.iter(f"{SVG}rect"))
    assert "n bytes" in [line.text for line in text.iter(f"{SVG}text")]


def test_offsets_stand_at_their_rows() -> None:
    offsets = [text.text for text in _figure(*FIELDS).iter(f"{SVG}text") if text.get("class") == "offset"]
    assert offsets == ["0", "4", "8", "value+0"]


def test_a_section_is_named_above_its_line() -> None:
    figure = _figure(*FIELDS)
    (name,) = (text for text in figure.iter(f"{SVG}text") if text.get("class") == "section")
    (line,) = (line for line in figure.iter(f"{SVG}line") if line.get("class") == "section")
    assert name.text == "value: n bytes"
    assert float(name.get("y", "")) < float(line.get("y1", ""))


def test_a_name_that_does_not_fit_is_told_below() -> None:
    figure = _figure(Box("bits", Position(), 1, bits=(("ready", 1), ("mode", 7))))
    assert _boxes(figure)[0].findtext(f"{SVG}text") == "a"
    assert "a: ready" in "".join(figure.itertext())


@pytest.mark.parametrize("name", ["a<b>", 'a"b&c'])
def test_names_are_text(name: str) -> None:
    (box,) = _boxes(_figure(Box(name, Position(), 4)))
    assert box.findtext(f"{SVG}text") == name


def test_the_footer_is_the_caption() -> None:
    figure = _figure(Box("cas", Position(), 8), footer=("Total 8 bytes", "If x: y instead of cas"))
    (caption,) = figure.iter("figcaption")
    assert list(caption.itertext()) == ["Total 8 bytes", "If x: y instead of cas"]
