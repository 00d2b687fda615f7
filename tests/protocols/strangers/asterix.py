"""Data blocks of ASTERIX as the package ``libasterix`` writes them in any edition of category 048, and reads them."""

from collections.abc import Iterator
from itertools import chain
from random import Random
from typing import Any

from asterix.base import (
    Bits,
    Compound,
    ContentQuantity,
    ContentString,
    Element,
    Explicit,
    Extended,
    Group,
    Item,
    RawDatablock,
    Repetitive,
    Spare,
    StringICAO,
)
from asterix.generated import manifest

from protocols.strangers import Capture

EDITIONS = manifest["CATS"][48]
LAST = EDITIONS[-1]
COLUMNS = {
    "010": "data_source", "140": "time_of_day", "020": "descriptor", "040": "measured_position", "070": "mode_3a",
    "090": "flight_level", "130": "plot", "220": "aircraft_address", "240": "aircraft_identification",
    "250": "bds", "161": "track_number", "042": "calculated_position", "200": "track_velocity",
    "170": "track_status", "210": "track_quality", "030": "warnings", "080": "mode_3a_confidence", "100": "mode_c",
    "110": "height", "120": "radial_doppler_speed", "230": "capability", "260": "acas_resolution_advisory",
    "055": "mode_1", "050": "mode_2", "065": "mode_1_confidence", "060": "mode_2_confidence", "SP": "special_purpose",
    "RE": "reserved_expansion",
}  # fmt: skip
"""The columns of a report by their items, in the order of the field specification."""
IN_STRUCTS = {"161": "trn", "110": "height"}
"""The names here of values that are alone beside spare bits."""
OCTETS = ("260", "MBDATA")
"""What is bytes here, and a number there."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ 0123456789"
EXPLAINED = bytes.fromhex(
    "300030fdf70219c9356d4da0c5aff1e0020005283c660c10c236d4182001c0780031bc0000400deb07b9582e410020f5"
)
"""The block that the documentation of the package ``asterix_decoder`` explains."""


def captures() -> Iterator[Capture]:
    """Reports with each item alone, at both ends of what it can say, with all items and without any."""
    yield _read("explained", EXPLAINED)
    yield _capture("nothing", [], [{}], [{}, {}])
    for name in COLUMNS:
        variation = LAST.cv_record.cv_items_dict[name].cv_rule.cv_variation
        some = [_whole(variation, bit) for bit in (0, 1)] + [_last_of(each) for each in _shorter(variation)]
        yield _capture(name, *([{name: each}] for each in some), [{name: each} for each in some])
    full = {name: _whole(LAST.cv_record.cv_items_dict[name].cv_rule.cv_variation, 1) for name in COLUMNS}
    yield _capture("all", [full], [full, {}, full])
    codes = (bytes([48, 0, 11, 0x01, 0x40]) + codes.to_bytes(6) for codes in (0, 0xFFFF << 32, 0b011011_100000_000001))
    yield _read("codes that are no characters", b"".join(codes))
    yield Capture("another category", bytes([34, 0, 5, 1, 2]), ({"message": "unknown", "category": 34, "length": 5},))


def varied(random: Random) -> Iterator[Capture]:
    """Reports with any items, of any edition, with bits in them that it does not use."""
    while True:
        edition = random.choice(EDITIONS)
        share = random.random()
        reports = [
            {
                name: _random(random, edition.cv_record.cv_items_dict[name].cv_rule.cv_variation)
                for name in COLUMNS
                if random.random() < share
            }
            for _ in range(random.randint(1, 3))
        ]
        yield _read(f"edition {edition.cv_edition}", _block(edition, reports))


def _capture(name: str, *blocks: list[dict[str, Any]]) -> Capture:
    return _read(name, b"".join(_block(LAST, reports) for reports in blocks))


def _block(edition: Any, reports: list[dict[str, Any]]) -> bytes:
    records = [edition.cv_record.create(each) for each in reports]
    data: bytes = edition.create(records).unparse().to_bytes()
    return data


def _whole(variation: Any, bit: int) -> Any:
    """A value with all bits 0 or all bits 1, and with all that there can be or, if they are 0, with the least."""
    if issubclass(variation, Element):
        return bit * ((1 << variation.cv_bit_size) - 1)
    if issubclass(variation, Group):
        return tuple(_part(item, bit) for item, _ in variation.cv_items_list)
    if issubclass(variation, Extended):
        groups = [tuple(each and _part(each[0], bit) for each in group) for group in variation.cv_items_list]
        return groups if bit else groups[:1]
    if issubclass(variation, Repetitive):
        return [_whole(variation.cv_variation, bit)] * (3 if bit else int(variation.cv_rep_bytes is None))
    if issubclass(variation, Explicit):
        return bytes([0xFF] * 254 * bit)
    assert issubclass(variation, Compound)
    names = variation.cv_items_dict if bit else {}
    return {name: _whole(item.cv_rule.cv_variation, bit) for name, item in names.items()}


def _part(item: Any, bit: int) -> Any:
    return 0 if issubclass(item, Spare) else _whole(item.cv_non_spare.cv_rule.cv_variation, bit)


def _shorter(variation: Any) -> list[Any]:
    """Extended items that end before the last octet."""
    groups = _whole(variation, 1) if issubclass(variation, Extended) else ()
    return [groups[:count] for count in range(2, len(groups))]


def _last_of(groups: Any) -> Any:
    """Octets, of which the last one has no bit that is 1."""
    return [*groups[:-1], tuple(None if each is None else _zeros(each) for each in groups[-1])]


def _zeros(value: Any) -> Any:
    return tuple(map(_zeros, value)) if isinstance(value, tuple) else 0


def _random(random: Random, variation: Any) -> Any:
    if issubclass(variation, Element):
        if getattr(getattr(variation.cv_rule, "cv_content", None), "cv_string_type", None) is StringICAO:
            return "".join(random.choices(LETTERS, k=random.randint(0, 8)))
        return random.getrandbits(variation.cv_bit_size)
    if issubclass(variation, Group):
        return tuple(_random_part(random, item) for item, _ in variation.cv_items_list)
    if issubclass(variation, Extended):
        groups = variation.cv_items_list[: random.randint(1, len(variation.cv_items_list))]
        return [tuple(each and _random_part(random, each[0]) for each in group) for group in groups]
    if issubclass(variation, Repetitive):
        least = int(variation.cv_rep_bytes is None)
        return [_random(random, variation.cv_variation) for _ in range(random.randint(least, 4))]
    if issubclass(variation, Explicit):
        return random.randbytes(random.choice((0, 1, 20)))
    items = variation.cv_items_dict.items()
    return {name: _random(random, item.cv_rule.cv_variation) for name, item in items if random.random() < 0.5}


def _random_part(random: Random, item: Any) -> Any:
    if issubclass(item, Spare):
        return random.getrandbits(item.cv_bit_size) if random.random() < 0.1 else 0
    return _random(random, item.cv_non_spare.cv_rule.cv_variation)


def _read(name: str, data: bytes) -> Capture:
    """What the package reads in blocks with the last edition: flight levels have no sign in earlier ones."""
    blocks = RawDatablock.parse(Bits.from_bytes(data))
    assert isinstance(blocks, list), blocks
    return Capture(name, data, tuple(_row(each.unparse().to_bytes()) for each in blocks), told=_told)


def _row(data: bytes) -> dict[str, Any]:
    records = LAST.cv_uap.parse(Bits.from_bytes(data[3:]))
    assert isinstance(records, list), records
    reports = [_report(record.items_regular) for record in records]
    return {"category": data[0], "length": len(data), "monoradar_target_reports": {"reports": reports}}


def _report(items: Any) -> dict[str, Any]:
    return {column: _item(items[name].variation, name) if name in items else None for name, column in COLUMNS.items()}


def _item(variation: Any, name: str) -> Any:
    value = _value(variation, name)
    if name == "250":
        return {"count": len(value), "registers": value}
    return {IN_STRUCTS[name]: value} if name in IN_STRUCTS else value


def _value(variation: Any, name: str) -> Any:
    """A value of the package as a column here has it."""
    match variation:
        case Element(content=ContentQuantity() as content):
            return content.as_quantity()
        case Element(content=ContentString() as content):
            return content.as_string().rstrip(" ")
        case Element():
            size = variation.cv_bit_size
            number = variation.as_uint()
            return number.to_bytes(size // 8) if name in OCTETS else bool(number) if size == 1 else number
        case Group() | Extended():
            parts = variation.arg if isinstance(variation, Group) else chain(*variation.arg)
            found = {column: value for part in parts for column, value in _parts(part)}
            return next(iter(found.values())) if len(found) == 1 else found
        case Repetitive() if variation.cv_rep_bytes is None:
            last = len(variation.get_list()) - 1
            return [{"value": each.as_uint(), "fx": at < last} for at, each in enumerate(variation.get_list())]
        case Repetitive():
            return [_value(each, name) for each in variation.get_list()]
        case Explicit():
            return {"data": variation.get_bytes(), "length": len(variation.get_bytes()) + 1}
    names = variation.cv_items_dict
    found = {each: variation.get_item(each) for each in names}
    return {each.lower(): None if item is None else _value(item.variation, each) for each, item in found.items()}


def _parts(part: Any) -> Iterator[tuple[str, Any]]:
    """The columns of a part of a group: of a group in it, those of its parts behind its own name."""
    if not isinstance(part, Item):
        return
    name, value = part.arg.cv_name, _value(part.arg.variation, part.arg.cv_name)
    if isinstance(value, dict):
        yield from ((f"{name}_{inner}".lower(), each) for inner, each in value.items())
    else:
        yield name.lower(), value


def _told(row: Any) -> Any:
    """A row with the characters that the package knows: it leaves others out."""
    own = row["monoradar_target_reports"]
    reports = [{**each, "aircraft_identification": _known(each["aircraft_identification"])} for each in own["reports"]]
    return {**row, "monoradar_target_reports": {**own, "reports": reports}}


def _known(text: str | None) -> str | None:
    return None if text is None else "".join(each for each in text if each in LETTERS).rstrip(" ")
