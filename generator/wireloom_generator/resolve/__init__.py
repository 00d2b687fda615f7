"""Syntax → model: names resolved, defaults filled in, offsets and columns computed."""

from wireloom_generator.model import Protocol
from wireloom_generator.reading.spec import Spec
from wireloom_generator.resolve.protocol import protocol
from wireloom_generator.resolve.spec import resolve

__all__ = ["lower", "protocol", "resolve"]


def lower(spec: Spec) -> Protocol:
    """What a spec means that the rules found clean."""
    return protocol(resolve(spec))
