"""Messages of ISO 8583 as pyiso8583 writes and reads them."""

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import iso8583

from protocols.strangers import Capture

NAMES = {
    "2": "pan",
    "3": "processing_code",
    "4": "amount",
    "7": "transmission_time",
    "11": "stan",
    "12": "local_time",
    "13": "local_date",
    "14": "expiration_date",
    "18": "merchant_type",
    "22": "entry_mode",
    "23": "card_sequence_number",
    "25": "condition_code",
    "28": "transaction_fee",
    "32": "acquirer",
    "35": "track2",
    "37": "retrieval_reference_number",
    "38": "authorization_id",
    "39": "response_code",
    "41": "terminal_id",
    "42": "merchant_id",
    "43": "name_and_location",
    "48": "additional_data",
    "49": "currency",
    "52": "pin",
    "54": "additional_amounts",
    "55": "icc_data",
    "64": "mac",
    "70": "network_management_code",
    "90": "original_data",
    "95": "replacement_amounts",
    "100": "receiver",
    "102": "account_1",
    "103": "account_2",
    "128": "last_mac",
}
"""Our columns, by the numbers that the package has for data elements."""
NUMBERS = frozenset(("4", "11", "18", "22", "23", "25", "49", "70"))
BYTES = frozenset(("52", "55", "64", "128"))
DIGITS, TEXT = "0123456789", "".join(map(chr, range(0x20, 0x7F)))


def _element(size: int, data: str, length: str = "ascii", width: int = 0, **more: str) -> dict[str, Any]:
    return {"data_enc": data, "len_enc": length, "len_type": width, "max_len": size, "desc": "", **more}


def _digits(size: int, length: str = "ascii", width: int = 0, **more: str) -> dict[str, Any]:
    """Packed digits, of which an odd number has a filler before them, or where ``more`` says."""
    return _element(size, "b", length, width, len_count="nibbles", **(more or {"left_pad": "0"}))


SPEC: Mapping[str, Mapping[str, Any]] = {
    "h": _element(2, "b"),
    "t": _element(2, "b"),
    "p": _element(8, "b"),
    "1": _element(8, "b"),
    "2": _digits(19, "bcd", 1),
    **{key: _digits(size) for key, size in {"3": 6, "4": 12, "7": 10, "11": 6, "12": 6, "13": 4, "14": 4}.items()},
    **{key: _digits(size) for key, size in {"18": 4, "22": 3, "23": 3, "25": 2, "49": 3, "70": 3, "90": 42}.items()},
    "28": _element(9, "ascii"),
    "32": _digits(11, "bcd", 1),
    "35": _digits(37, "bcd", 1, right_pad="0"),
    **{key: _element(size, "ascii") for key, size in {"37": 12, "38": 6, "39": 2, "41": 8, "42": 15}.items()},
    "43": _element(40, "ascii"),
    "48": _element(999, "ascii", "bcd", 2),
    "52": _element(8, "b"),
    "54": _element(120, "ascii", "ascii", 3),
    "55": _element(255, "b", "bcd", 2),
    "64": _element(8, "b"),
    "95": _element(42, "ascii"),
    "100": _digits(11, "bcd", 1),
    "102": _element(28, "ascii", "ascii", 2),
    "103": _element(28, "ascii", "ascii", 2),
    "128": _element(8, "b"),
}
"""The specification of these messages as the package has it. Its header is the length of what follows."""


def captures() -> Iterator[Capture]:
    """Each data element alone, all of them, none, and the shortest and longest ones."""
    random = Random(8583)
    alone = [{"t": "0200", key: _value(key, random)} for key in NAMES]
    every = {"t": "0420", **{key: _value(key, random) for key in NAMES}}
    yield _capture("alone", alone)
    yield _capture("together", [every, {"t": "0800"}])
    varying = [key for key in NAMES if SPEC[key]["len_type"]]
    sizes = [[0, 1, 2, SPEC[key]["max_len"] - 1, SPEC[key]["max_len"]] for key in varying]
    bounds = [
        {"t": "1234", key: _value(key, random, size)} for key, some in zip(varying, sizes, strict=True) for size in some
    ]
    yield _capture("bounds", bounds)


def varied(random: Random) -> Iterator[Capture]:
    """Messages with some of the data elements, of any type and length."""
    while True:
        some = random.sample(tuple(NAMES), random.randrange(len(NAMES) + 1))
        document = {"t": f"{random.randrange(10000):04}", **{key: _value(key, random) for key in some}}
        yield _capture(" ".join(sorted(some)), [document])


def encoded(document: Mapping[str, str]) -> bytes:
    """A message of the package's, behind its length."""
    bare, _ = iso8583.encode({"h": "0000", **document}, SPEC)
    found, _ = iso8583.encode({"h": f"{len(bare) - 2:04X}", **document}, SPEC)
    return bytes(found)


def row(message: bytes) -> dict[str, Any]:
    """What the package reads in a message, as our columns."""
    document, _ = iso8583.decode(message, SPEC)
    values = {name: _ours(key, document[key]) if key in document else None for key, name in NAMES.items()}
    return {"length": int(document["h"], 16), "mti": int(document["t"], 16), "data_elements": values}


def _ours(key: str, value: str) -> int | str | bytes:
    if key in NUMBERS:
        return int(value)
    if key in BYTES:
        return bytes.fromhex(value)
    return value.replace("D", "=") if key == "35" else value


def _value(key: str, random: Random, size: int | None = None) -> str:
    """A data element of that size, or of any that it can have."""
    said = SPEC[key]
    if size is None:
        size = random.randint(0, said["max_len"]) if said["len_type"] else said["max_len"]
    if key in BYTES:
        return random.randbytes(size).hex().upper()
    if key == "28":
        return random.choice("CD") + "".join(random.choices(DIGITS, k=8))
    letters = DIGITS + "D" * (key == "35") if said["data_enc"] == "b" else TEXT
    return "".join(random.choices(letters, k=size))


def _capture(name: str, documents: list[dict[str, str]]) -> Capture:
    messages = [encoded(each) for each in documents]
    return Capture(name, b"".join(messages), tuple(map(row, messages)))
