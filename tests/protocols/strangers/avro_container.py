"""Container files as fastavro writes and reads them."""

from collections.abc import Callable, Iterator, Mapping
from io import BytesIO
from random import Random
from typing import Any

import fastavro

from protocols.strangers import Capture

SCHEMA = {
    "type": "record",
    "name": "Reading",
    "fields": [{"name": "at", "type": "long"}, {"name": "text", "type": ["null", "string"]}],
}

COMPRESSED = ("deflate", "snappy", "bzip2", "xz")
"""The compressions that fastavro has without another package; it takes the package of ours for snappy."""


def captures() -> Iterator[Capture]:
    """Files of no, one and many blocks, plain and compressed."""
    random = Random("avro")
    for codec, objects in (("null", 0), ("null", 3), *((codec, 500) for codec in COMPRESSED)):
        made = BytesIO()
        readings = [
            {"at": random.getrandbits(40), "text": random.choice((None, "a", "b" * 40))} for _ in range(objects)
        ]
        sync = random.randbytes(16)
        fastavro.writer(made, SCHEMA, readings, codec, sync_interval=1000, metadata={"by": "näh"}, sync_marker=sync)
        yield Capture(f"{objects} {codec}", made.getvalue(), (_read(made.getvalue(), sync),), {"codec": codec})


def _read(data: bytes, sync: bytes) -> dict[str, Any]:
    """What fastavro reads in a file."""
    reading = fastavro.block_reader(BytesIO(data))
    blocks = [
        {"object_count": block.num_records, "block_sync": sync, "objects": block.bytes_.getvalue()} for block in reading
    ]
    entries = [{"key": key, "value": value.encode()} for key, value in reading.metadata.items()]
    metadata = [{"entries_size": None, "entries": entries}, {"entry_count": 0, "entries": []}]
    return {"container": {"metadata": metadata, "sync": sync, "blocks": blocks}}


KINDS: tuple[tuple[Any, Callable[[Random], Any]], ...] = (
    ("null", lambda random: None),
    ("boolean", lambda random: random.random() < 0.5),
    ("long", lambda random: random.getrandbits(63) - (1 << 62)),
    ("double", Random.random),
    ("bytes", lambda random: random.randbytes(random.randrange(300))),
    ("string", lambda random: "ä" * random.randrange(9)),
    ({"type": "array", "items": "int"}, lambda random: [1] * random.randrange(5)),
    ({"type": "map", "values": "long"}, lambda random: {"a": 1}),
    ({"type": "fixed", "name": "four", "size": 4}, lambda random: random.randbytes(4)),
    ({"type": "enum", "name": "word", "symbols": ["A", "B"]}, lambda random: random.choice("AB")),
    (["null", "string"], lambda random: random.choice((None, "a"))),
)
"""Schemas, and values of them."""


def varied(random: Random) -> Iterator[Capture]:
    """Files with every kind of objects, compression and size of blocks, and metadata as other writers lay it out."""
    while True:
        schema, value = random.choice(KINDS)
        codec, sync, made = random.choice(("null", *COMPRESSED)), random.randbytes(16), BytesIO()
        metadata = {f"key {number}": "v" * random.randrange(99) for number in range(random.randrange(4))}
        objects = [value(random) for _ in range(random.choice((0, 1, 2, 200)))]
        interval = random.choice((1, 1000, 16000))
        fastavro.writer(made, schema, objects, codec, sync_interval=interval, metadata=metadata, sync_marker=sync)
        data = made.getvalue()
        if random.random() < 0.5:
            start, end = 4, data.index(sync)
            data = data[:start] + _map(random, fastavro.block_reader(BytesIO(data)).metadata) + data[end:]
        row = _read(data, sync)
        del row["container"]["metadata"]
        yield Capture(f"{len(objects)} of {schema}, {codec}", data, (row,), {"codec": codec})


def _map(random: Random, metadata: Mapping[str, str]) -> bytes:
    """Metadata in several blocks, some with their sizes, and without the codec where that is none."""
    found = b""
    for key, value in metadata.items():
        if (key, value) == ("avro.codec", "null"):
            continue
        entry = b"".join(_long(len(part)) + part for part in (key.encode(), value.encode()))
        found += _long(-1) + _long(len(entry)) + entry if random.random() < 0.5 else _long(1) + entry
    return found + _long(0)


def _long(number: int) -> bytes:
    made = BytesIO()
    fastavro.schemaless_writer(made, "long", number)
    return made.getvalue()
