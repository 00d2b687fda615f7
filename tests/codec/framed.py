"""Codecs to encode with: of a feature, and of one message in a frame."""

from typing import Any

from support import compiled

FRAME = """
protocol: frame
byte_order: big
record:
  length: 2 + size
  fields:
    - {name: size, type: u8, derive: size(body)}
    - {name: kind, type: u8, default: 0}
    - {section: body, size: rest, trailing: trailing_body}
---
message: thing
match: {}
"""


def feature(name: str) -> Any:
    return compiled.feature(name).codec


def thing(fields: str) -> Any:
    """The codec of a protocol with one message that has these fields."""
    body = "\n".join(f"    {line}" for line in fields.strip().splitlines())
    return compiled.of(f"{FRAME}sections:\n  body:\n{body}\n").codec
