"""``wireloom decode --split-by-message``: a file per message, with the message's fields beside the header's.

Rows are written as they arrive. The files take their places together, when all are complete.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from wireloom.cli.formats import Format, RowGroup, consumer_of, row_writer, table_writer
from wireloom.cli.outputs import whole_files
from wireloom.cli.writer_thread import writer_thread
from wireloom.codec import Protocol
from wireloom.options import ReadOptions, TableTypes
from wireloom.views import NO_MESSAGE, Row, View, flattened, narrow

if TYPE_CHECKING:
    import pyarrow as pa

    from wireloom.columnar.by_message import NarrowDecoder
    from wireloom.columnar.consumers import Consumer

BYTES_HELD = 128 * 1024 * 1024
"""How much of all messages together waits at most to be a row group."""


@dataclass(frozen=True)
class Split:
    """The files in ``folder``: one for each message that occurs, and for each that ``options`` list. Tables have the
    ``types`` of a consumer.
    """

    folder: Path
    form: Format
    protocol: Protocol
    options: ReadOptions
    types: TableTypes

    @cached_property
    def consumers(self) -> "Callable[[str], Consumer]":
        """Who gets the file of a message, or of ``NO_MESSAGE``, by its name."""
        return cache(lambda name: consumer_of(self.protocol, narrow(self.options, name), self.form, self.types))

    @property
    def paths(self) -> list[Path]:
        """Where files may be."""
        return list(map(self._path, (*self.protocol.messages, NO_MESSAGE)))

    def write_rows(self, rows: Iterable[Row], nulls: bool | None) -> None:
        """Write whole rows as JSON Lines, with ``nulls`` as for ``row_writer``."""
        with whole_files(self.folder) as opened:
            writers: dict[str, Callable[[Row], None]] = {}

            def writer(name: str) -> Callable[[Row], None]:
                if name not in writers:
                    columns = View(self.protocol, narrow(self.options, name)).columns
                    writers[name] = row_writer(columns, opened(self._path(name)), nulls)
                return writers[name]

            for name in self.options.messages or ():
                writer(name)
            for row in rows:
                writer(row["message"] or NO_MESSAGE)(flattened(row))

    def write_batches(self, batches: "Iterable[pa.RecordBatch]") -> None:
        """Write batches of one message each, as ``decoder`` gives them."""
        with whole_files(self.folder) as opened, ExitStack() as writers, writer_thread() as write:
            writer = {}

            def begun(name: str) -> None:
                stream = opened(self._path(name))
                writer[name] = writers.enter_context(table_writer(self.consumers(name).schema, self.form, stream))

            for name in self.options.messages or ():
                begun(name)
            for name, group in _groups(self._given(batches)):
                if name not in writer:
                    begun(name)
                write(writer[name].write_table, group)

    def decoder(self, options: ReadOptions) -> "NarrowDecoder":
        """What decodes into batches of one message each."""
        from wireloom.columnar.by_message import NarrowDecoder

        return NarrowDecoder(self.protocol, options, lambda name: self.consumers(name).decoded)

    def batches(self, rows: Iterable[Row]) -> "Iterator[pa.RecordBatch]":
        """Whole rows as batches of one message each."""
        from wireloom import columnar

        held: dict[str, list[Row]] = {}
        count = size = 0
        for row in rows:
            held.setdefault(row["message"] or NO_MESSAGE, []).append(flattened(row))
            count, size = count + 1, size + row["_length"]
            if count == columnar.TABLE_ROWS or size >= columnar.TABLE_BYTES:
                yield from self._batches(held)
                held, count, size = {}, 0, 0
        yield from self._batches(held)

    def _batches(self, held: dict[str, list[Row]]) -> "Iterator[pa.RecordBatch]":
        from wireloom import columnar

        for name, rows in held.items():
            yield from columnar.batches(rows, self.consumers(name).decoded)

    def _given(self, batches: "Iterable[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        """Decoded batches as those who get the files have them."""
        from wireloom.columnar.by_message import message_of

        return (self.consumers(message_of(batch)).given(batch) for batch in batches)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.{self.form}"


def _groups(batches: "Iterable[pa.RecordBatch]") -> "Iterator[tuple[str, pa.Table]]":
    """Row groups of each message, as soon as they are full, or as all that wait are too much."""
    from wireloom.columnar.by_message import message_of

    waiting: dict[str, RowGroup] = {}
    for batch in batches:
        group = waiting.setdefault(name := message_of(batch), RowGroup())
        group.add(batch)
        if sum(each.size for each in waiting.values()) >= BYTES_HELD:
            name = max(waiting, key=lambda each: waiting[each].size)
        elif not group.is_full:
            continue
        yield name, waiting.pop(name).table
    yield from ((name, group.table) for name, group in waiting.items())
