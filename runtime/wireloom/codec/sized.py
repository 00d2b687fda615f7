"""Integers that have as many bytes as another value says."""

from typing import Any, Literal

from wireloom.codec.accepted_values import unfit
from wireloom.codec.columns import integer_type
from wireloom.codec.errors import DecodeError, EncodeError, counted
from wireloom.codec.reader import Reader
from wireloom.codec.values import Ended, Extent
from wireloom.codec.writer import Writer

LONGEST = 8
"""The most bytes that an integer has."""


class SizedInteger(Ended):
    """An integer of 0 to 8 bytes, in two's complement if ``signed``; one without bytes is 0.

    It is written in as many bytes as its ``extent`` says. The ``shortest`` ones, whose size follows from the number,
    have the fewest bytes that hold it, at least one. ``little`` is the byte order; None if that is the record's.
    """

    bits = 8 * LONGEST

    def __init__(
        self, extent: Extent, *, signed: bool = False, little: bool | None = False, shortest: bool = False
    ) -> None:
        super().__init__(extent)
        self.signed = signed
        self.little = little
        self.shortest = shortest
        self._kind = self.type = integer_type(self.bits, signed=signed)
        self.least = -(1 << self.bits - 1) if signed else 0
        self.most = (1 << self.bits - signed) - 1

    def fewest(self, number: int) -> int:
        """The fewest bytes that hold a number, at least one."""
        return max(1, -(-((number if number >= 0 else ~number).bit_length() + self.signed) // 8))

    def _order(self, beside: Reader | Writer) -> Literal["big", "little"]:
        return "little" if (beside.little if self.little is None else self.little) else "big"

    def _parse(self, stream: Any, context: Any, path: str) -> int:
        start = stream.pos
        data = self.extent.read(stream, context)
        if len(data) > LONGEST:
            what = f"at most {LONGEST} bytes expected, found {len(data)} bytes"
            stream.refuse(DecodeError("invalid-size", what, start))
        number = int.from_bytes(data[:LONGEST], self._order(stream), signed=self.signed)
        if self.shortest and self.strict and len(data) != self.fewest(number):
            what = f"{number} is written in {counted(self.fewest(number), 'byte')}, found {counted(len(data), 'byte')}"
            stream.refuse(DecodeError("invalid", what, start))
        return number

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        if not isinstance(obj, int) or not self.least <= obj <= self.most:
            raise EncodeError(unfit(obj, self._kind, self.bits))
        size, room = self.fewest(obj), None if self.shortest else self.extent.room(stream, context)
        if room is not None and (size <= room <= LONGEST or room == obj == 0):
            size = room
        self.extent.write(stream, context, obj.to_bytes(size, self._order(stream), signed=self.signed))
        return obj
