"""Which parts programs leave to the codec."""

from wireloom.codec import Packed, Padded, Text, Unpack, Xor
from wireloom.codec.computed import Compute, Computed
from wireloom.expressions import Expression
from wireloom.expressions.tree import Origin
from wireloom.rowwise import Judge


class ProgramJudge(Judge):
    """Decides which parts programs can read: more than the plan, of which ``Judge`` knows the reasons."""

    __slots__ = ()

    def reason(self, part: object) -> str | None:
        match part:
            case Expression(names=names) if names and {name.origin for name in names} == {Origin.PARAMETER}:
                return None
            case Computed(compute=Compute(type="string" | "binary")):
                return None
            case Text(extent=extent):
                return self.reason(extent)
            case Padded(size=size, until=until):
                return self.reason(size) or self.reason(until)
        return super().reason(part)

    def _packed(self, part: Packed | Unpack) -> str | None:
        match part.through.way:
            case Xor(asked=key) if self._text(key):
                return None
        return self._way(part)
