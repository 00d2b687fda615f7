"""Syntax → model: names are looked up, defaults filled in, sizes and columns computed, even for broken specs."""

from wireloom_generator.resolve.protocol import protocol_of
from wireloom_generator.resolve.spec import resolve

__all__ = ["protocol_of", "resolve"]
