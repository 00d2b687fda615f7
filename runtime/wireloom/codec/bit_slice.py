"""Bit fields that are read by themselves, before their record is."""

from collections.abc import Callable
from typing import Any

from construct import Construct


class BitSlice(Construct):
    """Some bits of an ``integer`` as a number, or as a truth value: ``width`` of them, above the ``shift`` lowest."""

    def __init__(self, integer: Construct, shift: int, width: int, *, boolean: bool = False) -> None:
        super().__init__()
        self.integer = integer
        self.shift = shift
        self.width = width
        self.mask = (1 << width) - 1
        self.boolean = boolean

    def _sizeof(self, context: Any, path: str) -> int:
        return int(self.integer.sizeof())

    def loader(self, word: Callable[[Any], Any] | None) -> Callable[[Any], int]:
        """What makes it of what ``struct`` reads; ``word`` is what makes the integer of that, if it is not one."""

        def number(value: Any) -> int:
            found: int = value if word is None else word(value)
            return found >> self.shift & self.mask

        def truth(value: Any) -> bool:
            return number(value) != 0

        return truth if self.boolean else number
