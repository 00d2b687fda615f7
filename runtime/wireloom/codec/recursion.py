"""The place of a type that contains itself, in itself, at the depth where it ends."""

from typing import Any

from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.values import Scalar


class Deeper(Scalar):
    """A value inside of ``depth`` others, which cannot be read, nor be written."""

    type = "binary"

    def __init__(self, depth: int) -> None:
        super().__init__()
        self.detail = f"nested deeper than {depth}"

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        raise DecodeError("too-deep", self.detail, stream.pos)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        raise EncodeError(self.detail)
