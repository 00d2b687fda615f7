"""Container files as fastavro writes and reads them."""

from collections.abc import Iterator
from io import BytesIO
from random import Random
from typing import Any

import fastavro

from strangers import Capture

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
