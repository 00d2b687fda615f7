"""Syntax → model: names looked up, defaults filled in, sizes and columns computed, of broken specs too."""

from wireloom_generator.model import Protocol
from wireloom_generator.reading.spec import Spec
from wireloom_generator.resolve.protocol import protocol
from wireloom_generator.resolve.spec import resolve

__all__ = ["lower", "protocol", "resolve"]


def lower(spec: Spec) -> Protocol:
    """What a spec means that the rules found clean."""
    return protocol(resolve(spec))
