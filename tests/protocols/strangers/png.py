"""Images as Pillow writes and reads them."""

from collections.abc import Iterator
from io import BytesIO
from random import Random
from typing import Any

from PIL import Image, PngImagePlugin

from protocols.strangers import Capture

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


def varied(random: Random) -> Iterator[Capture]:
    """Images of every mode, animated, interlaced, transparent, with profiles and texts, and with bytes behind them."""
    while True:
        mode, made = random.choice((*COLOURS, "CMYK")), BytesIO()
        image = Image.new("RGB" if mode == "CMYK" else mode, (random.randint(1, 40), random.randint(1, 9)))
        if mode == "P":
            image.putpalette(random.randbytes(3 * random.randint(1, 256)))
        text = PngImagePlugin.PngInfo()
        for _ in range(random.randrange(3)):
            content = random.choice(("", "Füße", "x" * 5000))
            text.add_text("Comment", content, zip=random.random() < 0.5)
            text.add_itxt("Title", content + "€", "de", "Titel", zip=random.random() < 0.5)
        text.add(b"tIME", bytes.fromhex("07e8021d173b3c"))
        text.add(
            *random.choice(((b"sRGB", b"\1"), (b"gAMA", b"\0\0\xb1\x8f"), (b"sBIT", b"\5\6\5"), (b"vpAg", bytes(9))))
        )
        options: dict[str, Any] = {"bits": random.choice((1, 2, 4, 8))} if mode == "P" else {}
        if random.random() < 0.5:
            options |= {
                "icc_profile": random.randbytes(99),
                "exif": b"Exif\0\0MM\0*\0\0\0\x08\0\0\0\0\0\0",
                "dpi": (300, 300),
            }
        if mode in ("L", "RGB") and random.random() < 0.5:
            options["transparency"] = 5 if mode == "L" else (1, 2, 3)
        if random.random() < 0.3:
            options |= {"save_all": True, "append_images": [image.rotate(180)], "duration": 50}
        image.save(made, "png", pnginfo=text, compress_level=random.randrange(10), **options)
        yield _any(mode, made.getvalue() + random.choice((b"", b"\0", b"trailing bytes")))


def _any(name: str, data: bytes) -> Capture:
    """What Pillow reads in the header of an image, and which chunks it finds."""
    with Image.open(BytesIO(data)) as image:
        image.load()
        width, height = image.size
    kinds, end = [], 8
    with PngImagePlugin.ChunkStream(BytesIO(data[8:])) as stream:
        while not kinds or kinds[-1]["chunk_type"] != "IEND":
            kind, _, length = stream.read()
            stream.crc(kind, stream.fp.read(length))
            kinds.append({"chunk_type": kind.decode(), "length": length})
            end += length + 12
    kinds[0]["ihdr"] = {"width": width, "height": height}
    return Capture(name, data, ({"image": {"chunks": kinds, "after_end": data[end:] or None}},))
