"""How programs are followed: some rows at a time, by tables of instructions and of registers."""

from typing import Annotated

from wireloom.backends.interface import WIDTH
from wireloom.buffers import Array

TILE = 512
"""Rows of a tile: few enough for their registers to stay in the cache, many enough to forget what an instruction costs.
"""
Instructions = Annotated[Array, WIDTH]
"""Instructions."""
Registers = Annotated[Array, TILE]
Amounts = Annotated[Array, 2]
"""How much is written, and of how many rows, or the room there is, for each output."""
