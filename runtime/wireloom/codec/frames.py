"""What expressions are evaluated on: the values of a struct, and the frame that knows where each of them is."""

from typing import Any

Values = dict[str, Any]
"""Field values by name: a parsed record, message or nested struct while it is being read or written."""


class Frame(dict[str, tuple[int, int]]):
    """What expressions may use beside values: the positions of fields and sections, and the reader's parameters.

    Maps a name to (start, end), in bytes from the record's start; ``record`` is the whole record.
    """

    __slots__ = ("parameters",)

    def __init__(self, parameters: Values, **spans: tuple[int, int]) -> None:
        super().__init__(spans)
        self.parameters = parameters

    def size(self, name: str) -> int:
        """Bytes of ``name``; 0 when it is absent."""
        start, end = self.get(name, (0, 0))
        return end - start

    def offset(self, name: str) -> int:
        """Where ``name`` starts; 0 when it is absent."""
        return self.get(name, (0, 0))[0]
