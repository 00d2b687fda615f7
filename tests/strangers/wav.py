"""Sound files as the standard library writes them."""

import wave
from collections.abc import Iterator
from io import BytesIO
from random import Random

from strangers import Capture


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
