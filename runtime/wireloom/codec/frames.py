"""What expressions are evaluated on: the values of a struct, and the frame that knows where each of them is."""

from collections.abc import Mapping
from typing import Any, Protocol

Values = dict[str, Any]
"""Field values by name: a parsed record, message or nested struct while it is being read or written."""


Extremes = tuple[int, int]
"""Start and end of a part, in bytes from the start of the whole."""


Spans = list[tuple[int, int, "Frame"]]
"""Where the items of a list are: start, end and, of structs, what is inside."""


NOTHING: Mapping[str, Any] = {}
"""What a struct without parameters is given."""


_NOWHERE: Mapping[str, int] = {}


class Placement(Protocol):
    """The places of several fields that are always side by side: the span of each, from the start of the first."""

    spans: Mapping[str, Extremes]


class Frame(dict[str, Extremes]):
    """The names that expressions may use beside values: the positions of fields and sections, and the reader's
    parameters.

    Maps a name to its span in the record; ``record`` is the whole record. ``runs`` has the start of each run, whose
    fields are looked up only when they are used. ``left`` is how many bytes are left in the section of the expression
    that is evaluated next; None if unknown. ``index`` is the number of the item that it is about. ``listed`` has the
    spans of the items of lists, ``structs`` the frames of structs, if they are used. The positions of ``unpacked``
    fields are in the unpacked bytes; the name itself maps to the byte at which they are packed.
    """

    __slots__ = ("given", "index", "left", "listed", "parameters", "runs", "structs", "unpacked")

    def __init__(self, parameters: Values, record: Extremes | None = None) -> None:
        if record is not None:
            self["record"] = record
        self.parameters = parameters
        self.given: Mapping[str, Any] = NOTHING
        self.runs: dict[Placement, int] = {}
        self.left: int | None = None
        self.index = 0
        self.listed: dict[str, Spans] | None = None
        self.structs: dict[str, Frame] | None = None
        self.unpacked: Mapping[str, int] = _NOWHERE

    def span(self, name: str) -> Extremes | None:
        """The span of ``name`` in the record; None when it is absent."""
        if name in self:
            return self[name]
        for run, at in self.runs.items():
            if name in run.spans:
                start, end = run.spans[name]
                return at + start, at + end
        return None

    def size(self, name: str) -> int:
        """Bytes of ``name``; 0 when it is absent."""
        start, end = self[name] if name in self else self.span(name) or (0, 0)
        return end - start

    def offset(self, name: str) -> int:
        """Where ``name`` starts; 0 when it is absent."""
        return (self.span(name) or (0, 0))[0]

    def inside(self, *steps: str) -> "Frame":
        """The frame of a struct in the struct; if that is absent, one where all is."""
        found = self
        for step in steps:
            found = (found.structs or _NO_STRUCTS).get(step, _ABSENT)
        return found

    def note(self, name: str, struct: "Frame") -> None:
        """Make the positions in the struct ``name`` available to others."""
        self.structs = self.structs or {}
        self.structs[name] = struct

    def item_size(self, name: str, index: Any, *inner: str) -> int | None:
        """Bytes of an item of the list ``name``, by its number or as ``last``, or of the field at ``inner`` in it.

        None if there is no such item.
        """
        found = self._item(name, index, inner)
        return None if found is None else found[1] - found[0]

    def item_offset(self, name: str, index: Any, *inner: str) -> int | None:
        """Where it starts; None if there is no such item."""
        found = self._item(name, index, inner)
        return None if found is None else found[0]

    def _item(self, name: str, index: Any, inner: tuple[str, ...]) -> Extremes | None:
        spans = (self.listed or {}).get(name, ())
        number = len(spans) - 1 if index == "last" else index
        if not isinstance(number, int) or not 0 <= number < len(spans):
            return None
        start, end, struct = spans[number]
        return (struct.inside(*inner[:-1]).span(inner[-1]) or (0, 0)) if inner else (start, end)

    def origin(self, name: str) -> int:
        """As ``offset``; for unpacked parts, the byte of the record at which they are packed."""
        found = self.unpacked.get(name)
        return self.offset(name) if found is None else found


_NO_STRUCTS: Mapping[str, Frame] = {}
_ABSENT = Frame({})
