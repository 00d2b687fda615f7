"""Numbers that must fit a long because the reader or writer of a row requires it."""

from collections.abc import Iterable

from wireloom.codec.columns import Column, ListOf, StructOf
from wireloom.codec.fields import is_too_large
from wireloom.codec.frames import Values


class Longs:
    """Which of the ``columns`` have unsigned 64-bit numbers, and which have structs with such columns."""

    def __init__(self, columns: Iterable[Column]) -> None:
        self.names: list[str] = []
        self.structs: list[tuple[str, Longs]] = []
        for column in columns:
            kind = column.type.element if isinstance(column.type, ListOf) else column.type
            if column.u64:
                self.names.append(column.name)
            elif isinstance(kind, StructOf) and (inner := Longs(kind.columns)):
                self.structs.append((column.name, inner))

    def __bool__(self) -> bool:
        return bool(self.names or self.structs)

    def fit(self, values: Values) -> bool:
        """Whether none of the numbers in a row, or in a struct, is too large, or something else than an integer."""
        for name in self.names:
            value = values.get(name)
            if value is not None and (not isinstance(value, int) or is_too_large(value)):
                return False
        for name, inner in self.structs:
            found = values.get(name)
            structs = found if isinstance(found, list | tuple) else [] if found is None else [found]
            if not all(map(inner.fit, structs)):
                return False
        return True
