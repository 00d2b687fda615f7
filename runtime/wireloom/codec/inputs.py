"""``With``: a struct that is given values from around it."""

from collections.abc import Iterator, Mapping
from typing import Any

from construct import Construct

from wireloom.codec.columns import Column
from wireloom.codec.frames import Values
from wireloom.codec.layout import Layout
from wireloom.codec.writer import Writer
from wireloom.expressions import Expression, Formula, expression


class With(Construct):
    """A struct that is given ``values`` under names of its own: each follows from what stands around the struct."""

    def __init__(self, layout: Layout, values: Mapping[str, Formula]) -> None:
        super().__init__()
        self.layout = layout
        self.values = {name: expression(value) for name, value in values.items()}

    def columns(self) -> Iterator[Column]:
        """The columns in order."""
        return self.layout.columns()

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        record, frame = stream.record, stream.frame
        values = {name: value.ask(context, record, frame) for name, value in self.values.items()}
        return self.layout.parse_given(stream, values)

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        return self.layout.build_given(obj, stream, _LateValues(self.values, stream, context))


class _LateValues(Mapping[str, Any]):
    """The values, as far as they are known when they are asked for: what is around a struct may follow from it."""

    def __init__(self, values: Mapping[str, Expression], writer: Writer, this: Values) -> None:
        self.values_of = values
        self.writer = writer
        self.frame = writer.frame
        self.this = this

    def __getitem__(self, name: str) -> Any:
        return self.values_of[name].ask(self.this, self.writer.record, self.frame)

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_of)

    def __len__(self) -> int:
        return len(self.values_of)
