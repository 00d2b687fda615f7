"""Syntax → model: names are looked up, defaults filled in, sizes and columns computed, even for broken specs."""

from wireloom_generator.model import Protocol
from wireloom_generator.reading.spec import Spec
from wireloom_generator.resolve.protocol import protocol
from wireloom_generator.resolve.spec import resolve

__all__ = ["lower", "protocol", "resolve"]


def lower(spec: Spec) -> Protocol:
    """The protocol of a spec that keeps all rules."""
    return protocol(resolve(spec))
