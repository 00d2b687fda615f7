"""The byte order at a place of a spec."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wireloom_generator.model import Order
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec
from wireloom_generator.reading.vocabulary import ORDERS


@dataclass(frozen=True, slots=True)
class Orders:
    """The byte orders at a place. One that follows from values, or that a reader gives, counts as a parameter.

    ``now`` is the order of the nodes there, ``live`` the one in which values without an order are read. It ``varies``
    if more than numbers can have an order of their own.
    """

    now: Order
    live: Order
    varies: bool

    @classmethod
    def of(cls, spec: Spec) -> "Orders":
        now = _named(spec.protocol.byte_order)
        live = now if now is Order.PARAMETER else Order.BIG
        return cls(now, live, any(entry.byte_order is not None for entry in _regions(spec)))

    @property
    def of_struct(self) -> "Orders":
        """The orders in a shared struct, which takes the order of its surroundings."""
        return replace(self, now=Order.PARAMETER, live=Order.PARAMETER) if self.varies else self

    def inside(self, written: str) -> "Orders":
        """The orders inside a node with this ``byte_order``."""
        now = _named(written)
        return replace(self, now=now, live=now if now is Order.PARAMETER else self.live)

    def of_value(self, written: str) -> "Orders":
        """The orders of a value with this ``byte_order``."""
        return replace(self, now=_named(written))

    def of_words(self, written: str) -> "Orders":
        """The orders of a number whose words are in this order."""
        return replace(self, now=Order(written))

    @property
    def turns(self) -> bool:
        """Whether a struct there needs its order as an argument."""
        return self.varies and self.now is not self.live


def _named(written: str | None) -> Order:
    return Order(written) if written in ORDERS else Order.PARAMETER


def _regions(spec: Spec) -> Iterator[syntax.Struct | syntax.Section | syntax.Field]:
    """The parts of a spec that can set a byte order for their contents: types, sections, and fields with a type."""
    yield from spec.structs.values()
    lists = (*spec.lists, *(struct.fields for struct in spec.structs.values()))
    for entry in (entry for fields in lists for entry in syntax.walk(fields)):
        if isinstance(entry, syntax.Section) or (isinstance(entry, syntax.Field) and entry.type in spec.structs):
            yield entry
