"""Which byte order holds at a place of a spec."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wireloom_generator.model import Order
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec
from wireloom_generator.reading.vocabulary import ORDERS


@dataclass(frozen=True, slots=True)
class Orders:
    """The byte orders at a place; one that follows from values, or that a reader gives, is that of a parameter.

    ``now`` is that of what stands there, ``live`` the one that values without an order of their own are read in there.
    In some specs it ``varies``: more than numbers have an order of their own.
    """

    now: Order
    live: Order
    varies: bool

    @classmethod
    def of(cls, spec: Spec) -> "Orders":
        """Those of the protocol."""
        now = _named(spec.protocol.byte_order)
        live = now if now is Order.PARAMETER else Order.BIG
        return cls(now, live, any(entry.byte_order is not None for entry in _regions(spec)))

    @property
    def of_struct(self) -> "Orders":
        """Those in a shared struct, which has the order of whatever it is in."""
        return replace(self, now=Order.PARAMETER, live=Order.PARAMETER) if self.varies else self

    def inside(self, written: str) -> "Orders":
        """Those in something for all of which an order is written."""
        now = _named(written)
        return replace(self, now=now, live=now if now is Order.PARAMETER else self.live)

    def of_value(self, written: str) -> "Orders":
        """Those of a value for which an order is written."""
        return replace(self, now=_named(written))

    @property
    def turns(self) -> bool:
        """Whether a struct there must be told its order."""
        return self.varies and self.now is not self.live


def _named(written: str | None) -> Order:
    return Order(written) if written in ORDERS else Order.PARAMETER


def _regions(spec: Spec) -> Iterator[syntax.Struct | syntax.Section | syntax.Field]:
    """What can have a byte order for all that is in it: types, sections, and fields with a type."""
    yield from spec.structs.values()
    lists = (*spec.lists, *(struct.fields for struct in spec.structs.values()))
    for entry in (entry for fields in lists for entry in syntax.walk(fields)):
        if isinstance(entry, syntax.Section) or (isinstance(entry, syntax.Field) and entry.type in spec.structs):
            yield entry
