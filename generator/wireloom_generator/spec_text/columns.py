"""Columns of mappings in brackets, one below the other: a key is below the same key."""

from collections.abc import Collection, Mapping, Sequence


class Columns:
    """Where the ``keys`` of several mappings begin. Each mapping has the text of its entries by key.

    Those that are longer than the ``room`` then are not in columns.
    """

    def __init__(self, mappings: Sequence[Mapping[str, str]], keys: Collection[str], room: int) -> None:
        self.begins: dict[str, int] = {}
        rows: Sequence[Mapping[str, str]] = ()
        fitting = mappings
        while len(rows) != len(fitting):
            rows = fitting
            self._begin(rows, keys)
            fitting = [row for row in rows if len(self.aligned(row)) <= room]

    def _begin(self, rows: Sequence[Mapping[str, str]], keys: Collection[str]) -> None:
        self.begins.clear()
        for key in _in_order(rows):
            having = [row for row in rows if key in row]
            if key in keys:
                earliest = max(self._earliest(row, key) for row in having)
                beside = {other for row in having for other in row}
                shared = (at for other, at in self.begins.items() if other not in beside and at >= earliest)
                self.begins[key] = min(shared, default=earliest)

    def _earliest(self, row: Mapping[str, str], key: str) -> int:
        """Where a key of a mapping begins if nothing but the columns before it holds it back."""
        return len(self.aligned(dict(list(row.items())[: list(row).index(key)]))) + 1

    def aligned(self, row: Mapping[str, str]) -> str:
        """The mapping in brackets, with its keys in their columns."""
        line = "{"
        for key, text in row.items():
            line = f"{line}, ".ljust(self.begins.get(key, 0)) + text if line != "{" else f"{{{text}"
        return f"{line}}}"


def _in_order(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """The keys of all mappings, each after those that are before it in any of them."""
    keys: list[str] = []
    for row in rows:
        for key in row:
            if key not in keys:
                later = [keys.index(other) for other in list(row)[list(row).index(key) :] if other in keys]
                keys.insert(min(later, default=len(keys)), key)
    return keys
