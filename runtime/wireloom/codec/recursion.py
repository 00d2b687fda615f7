"""Values of types that contain themselves, below the last depth that has columns."""

import sys
from collections.abc import Callable, Mapping
from typing import Any

from wireloom.codec.accepted_values import octets
from wireloom.codec.errors import DecodeError, EncodeError
from wireloom.codec.frames import NOTHING, Frame
from wireloom.codec.layout import Layout, With
from wireloom.codec.reader import Reader
from wireloom.codec.values import Scalar
from wireloom.codec.writer import Writer
from wireloom.expressions import Formula
from wireloom.expressions.paths import StructBytes

_CALLS = 20_000
"""How many calls of Python may be inside each other where values are, so that only their ``limit`` matters.

Each value takes some ten, more if other structs are in between.
"""


class Deeper(Scalar):
    """A value inside of ``depth`` others, which has no columns of its own: the value is its bytes.

    They are those of one struct, the ``layout`` at the last depth, which is given ``values``. What is deeper in it is
    this again, but no more than ``limit`` are inside each other. Expressions see the fields of the struct.
    """

    type = "binary"
    is_struct = True
    late_inputs = frozenset[str]()
    """What it is given is known before it is read."""

    def __init__(
        self, layout: Callable[[], Layout], values: Mapping[str, Formula] = NOTHING, *, depth: int, limit: int
    ) -> None:
        super().__init__()
        self.layout = layout
        self.depth = depth
        self.limit = limit
        self._with = With(self, values) if values else None

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        if self._with is not None:
            return self._with._parse(stream, context, path)
        return self.parse_given(stream, NOTHING)

    def parse_given(self, stream: Reader, values: Mapping[str, Any]) -> Any:
        """The bytes of a struct whose expressions can also see these values; inside of such bytes, the struct."""
        start, trace = stream.pos, stream.trace
        if self.depth + stream.nested >= self.limit:
            raise DecodeError("too-deep", f"nested deeper than {self.limit}", start)
        if sys.getrecursionlimit() < _CALLS:
            sys.setrecursionlimit(_CALLS)
        stream.nested += 1
        stream.trace = None
        try:
            found = self.layout().parse_given(stream, values)
        finally:
            stream.trace = trace
            stream.nested -= 1
        return found if stream.nested else StructBytes(stream.buffer[start : stream.pos], found)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        if self._with is not None:
            return self._with._build(obj, stream, context, path)
        return self.build_given(obj, stream, NOTHING)

    def build_given(self, obj: Any, stream: Writer, values: Mapping[str, Any]) -> StructBytes:
        """Write the bytes of one struct whose expressions can also see these values. Raises ``EncodeError``."""
        start = len(stream.buffer)
        stream.write(octets(obj, ""))
        buffer: Any = stream.buffer  # its slices are as good as bytes, and places are those of the record
        reader = Reader(buffer, stream.frame.parameters, little=stream.little)
        reader.pos, reader.record = start, stream.record
        reader.frame = Frame(stream.frame.parameters, stream.frame.get("record", (0, reader.end)))
        try:
            found: StructBytes = self.parse_given(reader, values)
        except DecodeError as error:
            raise EncodeError(f"not the bytes of one value: {error.reason}") from None
        if reader.pos < reader.end:
            raise EncodeError(f"not the bytes of one value: {reader.end - reader.pos} more than it has")
        stream.inner = reader.inner
        return found


def recursive(
    level: Callable[[Any], Layout], deepest: Layout | None = None, *, depth: int, limit: int | None = None
) -> Layout:
    """The layout of a type that contains itself, in ``depth`` levels.

    Parameters
    ----------
    level : callable
        Makes the layout of one level from what the values inside it are.
    deepest : Layout
        The last level, if other parts are in the place of values there.
    depth : int
        The number of levels.
    limit : int
        How many values may be inside each other, of which those below the last level are bytes.

    Examples
    --------
    >>> from construct import Int8ub
    >>> from wireloom.codec import Layout, Repeat, recursive
    >>> tree = recursive(lambda Tree: Layout("count" / Int8ub, "trees" / Repeat(Tree, count="count")), depth=3, limit=9)
    >>> [column.name for column in tree.columns()]
    ['count', 'trees']
    """
    last: list[Layout] = []
    if deepest is None:
        deepest = level(Deeper(lambda: last[0], depth=depth, limit=limit or depth))
    last.append(deepest)
    found = deepest
    for _ in range(depth - 1):
        found = level(found)
    return found
