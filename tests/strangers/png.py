"""Images as Pillow writes and reads them."""

from collections.abc import Iterator
from io import BytesIO
from random import Random
from typing import Any

from PIL import Image, PngImagePlugin

from strangers import Capture

COLOURS = {"1": (1, 0), "L": (8, 0), "I;16": (16, 0), "LA": (8, 4), "P": (8, 3), "RGB": (8, 2), "RGBA": (8, 6)}
"""The bits of a sample and the colour type of Pillow's modes."""


def captures() -> Iterator[Capture]:
    """A file for each kind of colours, with chunks of many kinds."""
    random = Random("png")
    for mode in COLOURS:
        yield _file(mode, (random.randint(1, 40), random.randint(1, 40)))


def _file(mode: str, size: tuple[int, int]) -> Capture:
    text = PngImagePlugin.PngInfo()
    text.add_text("Title", "Füße")
    text.add_text("Comment", "Füße und Füße", zip=True)
    text.add(b"prVt", b"whatever", after_idat=True)
    made = BytesIO()
    image = Image.new(mode, size)
    if mode == "P":
        image.putpalette(bytes(range(256)) * 3)
    image.save(made, "png", pnginfo=text, dpi=(72, 72))
    return Capture(mode, made.getvalue(), ({"image": {"chunks": _chunks(mode, made.getvalue())}},))


def _chunks(mode: str, data: bytes) -> list[dict[str, Any]]:
    """What Pillow reads in the chunks of a file."""
    with Image.open(BytesIO(data)) as image:
        (width, height), title, comment = image.size, image.info["Title"], image.info["Comment"]
    found: list[dict[str, Any]] = []
    with PngImagePlugin.ChunkStream(BytesIO(data[8:])) as stream:
        while not found or found[-1]["chunk_type"] != "IEND":
            kind, _, length = stream.read()
            content = stream.fp.read(length)
            crc = int.from_bytes(stream.fp.read(4), "big")
            known: dict[str, Any] = {"data": content}
            match kind:
                case b"IHDR":
                    depth, colour = COLOURS[mode]
                    header = {"width": width, "height": height, "bit_depth": depth, "colour_type": colour}
                    known = {"ihdr": header}
                case b"PLTE":
                    known = {
                        "palette": [
                            dict(zip(("red", "green", "blue"), content[i:], strict=False)) for i in range(0, length, 3)
                        ]
                    }
                case b"tEXt":
                    known = {"keyword": "Title", "text": title}
                case b"zTXt":
                    known = {"keyword": "Comment", "text": comment}
                case b"pHYs":
                    known = {"phys": {"pixels_per_unit_x": 2835, "pixels_per_unit_y": 2835, "unit_specifier": 1}}
            found.append({"chunk_type": kind.decode(), "length": length, "crc": crc, **known})
    return found
