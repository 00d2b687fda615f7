"""Sound files as the standard library writes them."""

import wave
from collections.abc import Iterator
from io import BytesIO
from random import Random
from typing import Any

from protocols.strangers import Capture


def captures() -> Iterator[Capture]:
    """Files with each size of samples, of even and odd lengths."""
    random = Random("wav")
    for width, channels, rate, frames in ((1, 1, 8000, 3), (2, 2, 44100, 100), (3, 1, 48000, 5), (4, 6, 96000, 0)):
        samples = random.randbytes(width * channels * frames)
        yield _file(width, channels, rate, samples)


def _file(width: int, channels: int, rate: int, samples: bytes) -> Capture:
    made = BytesIO()
    with wave.open(made, "wb") as writing:
        writing.setnchannels(channels)
        writing.setsampwidth(width)
        writing.setframerate(rate)
        writing.writeframes(samples)
    with wave.open(BytesIO(made.getvalue())) as reading:
        stored = {
            "format_tag": wave.WAVE_FORMAT_PCM,
            "channels": reading.getnchannels(),
            "samples_per_sec": reading.getframerate(),
            "block_align": reading.getnchannels() * reading.getsampwidth(),
            "bits_per_sample": 8 * reading.getsampwidth(),
            "extension": None,
        }
        data = reading.readframes(reading.getnframes())
    chunks = [{"chunk_id": "fmt ", "format": stored}, {"chunk_id": "data", "data": data, "format": None}]
    row = {"wave": {"form_type": "WAVE", "chunks": chunks}}
    return Capture(f"{width} bytes, {channels} channels", made.getvalue(), (row,))


def varied(random: Random) -> Iterator[Capture]:
    """Files with other chunks, odd ones too, with sizes that nobody knew, and with bytes behind them."""
    while True:
        width, channels, frames = random.randint(1, 4), random.randint(1, 6), random.randrange(9)
        samples = random.randbytes(width * channels * frames)
        data = bytearray(_file(width, channels, random.choice((8000, 44100)), samples).data)
        found = bytes(data[12:36]) + b"".join(_chunk(random) for _ in range(random.randrange(3)))
        if random.random() < 0.5:  # the extension of other formats, here empty
            found = b"fmt " + (18).to_bytes(4, "little") + bytes(data[20:36]) + b"\0\0" + found[24:]
        claimed = len(samples).to_bytes(4, "little")
        is_piped = random.random() < 0.3
        behind = (
            b""
            if is_piped
            else b"\0" * (len(samples) % 2) + b"".join(_chunk(random) for _ in range(random.randrange(3)))
        )
        found += b"data" + (b"\xff\xff\xff\xff" if is_piped else claimed) + samples + behind
        size = b"\xff\xff\xff\xff" if is_piped else (4 + len(found)).to_bytes(4, "little")
        whole = b"RIFF" + size + b"WAVE" + found + (b"" if is_piped else random.choice((b"", b"junk")))
        with wave.open(BytesIO(whole)) as reading:
            stored = {"channels": reading.getnchannels(), "bits_per_sample": 8 * reading.getsampwidth()}
            read = reading.readframes(len(samples))
        yield Capture("piped" if is_piped else "any", whole, ({"samples": read, "format": stored},), told=_told)


def _chunk(random: Random) -> bytes:
    name, content = (
        random.choice((b"LIST", b"bext", b"fact", b"junk", b"id3 ")),
        random.randbytes(random.choice((4, 7, 12))),
    )
    return name + len(content).to_bytes(4, "little") + content + b"\0" * (len(content) % 2)


def _told(row: Any) -> Any:
    chunks = {chunk["chunk_id"]: chunk for chunk in row["wave"]["chunks"]}
    return {"samples": chunks["data"]["data"], "format": chunks["fmt "]["format"]}
