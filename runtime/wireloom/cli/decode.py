"""``wireloom decode``: captures to rows."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import click

from wireloom.cli import arguments, captures, incremental
from wireloom.cli.arguments import OfProtocol, options_of, protocol_of
from wireloom.cli.diagnostics import FailedError, MisuseError, say
from wireloom.cli.formats import Format, consumer_of, row_writer, write_batches
from wireloom.cli.outputs import output
from wireloom.cli.progress import progress, reads_moving, rows_moving
from wireloom.cli.text_rows import rows_of_lines
from wireloom.codec import DecodeError, Forms
from wireloom.consumer_types import warn_of_losses
from wireloom.options import Mode, ReadOptions, TableTypes
from wireloom.views import Row, View, must_be_of_all_columns

if TYPE_CHECKING:
    import pyarrow as pa

    from wireloom.cli.splitting import Split
    from wireloom.columnar.decoder import Decoder
    from wireloom.columnar.scanning import Cuts


@click.command(cls=OfProtocol)
@arguments.protocol
@arguments.inputs
@arguments.from_hex
@arguments.form
@arguments.format_name
@arguments.output
@click.option(
    "--types",
    metavar="NAME",
    help=f"Whose types a Parquet or Arrow file has: {', '.join(TableTypes)}; by default, spark.",
)
@click.option(
    "--split-by-message",
    "split",
    metavar="DIR",
    type=Path,
    help="Write one file per message into DIR, with the same rows as --message.",
)
@click.option("--message", metavar="NAME", help="Only records of this message, its fields next to those of the header.")
@click.option("--messages", metavar="NAME,…", help="Only records of these messages, each a struct next to the header.")
@click.option("--columns", metavar="NAME,…", help="Only these columns; struct.field selects a field.")
@click.option(
    "--mode",
    metavar="MODE",
    default=Mode.PERMISSIVE.value,
    help="Malformed records: PERMISSIVE keeps them, DROPMALFORMED drops them, FAILFAST stops at the first.",
)
@arguments.parameters
@click.option("--labels/--no-labels", default=True, help="Add columns with the names of enum values and flags.")
@click.option(
    "--nulls/--no-nulls",
    default=None,
    help="Keep or omit null values in jsonl; by default, omit them on a terminal.",
)
@click.option("--positions", is_flag=True, help="Add the columns _file, _offset and _length.")
@click.option("--connections", is_flag=True, help="Add the columns _time, _connection, _from_client and _gap_before.")
@arguments.rotated
@arguments.traffic
@arguments.max_record_bytes
@arguments.resync
def decode(
    protocol: str,
    inputs: Sequence[str],
    from_hex: bool,
    form: str | None,
    format_name: str,
    path: Path | None,
    types: str | None,
    split: Path | None,
    mode: str,
    parameters: Sequence[str],
    nulls: bool | None,
    **told: object,
) -> None:
    """Decode captures into rows: a JSON object per record, or a Parquet or Arrow file.

    In mode FAILFAST, exit with status 1 if a record is malformed.
    """
    found = protocol_of(protocol)
    options = options_of(found, parameters, told)
    if form is not None and from_hex:
        raise MisuseError("--hex and --form exclude each other: a textual form is text already")
    chosen = Format.of(format_name)
    chosen.must_suit(path)
    if nulls is not None and chosen is not Format.JSONL:
        raise MisuseError(f"--nulls and --no-nulls need --format jsonl; {chosen} has all columns")
    if types is not None and chosen is Format.JSONL:
        raise MisuseError("--types needs --format parquet or arrow; jsonl has no types")
    to_stdout = split is None and (path is None or str(path) == captures.STDIN)
    textual = found.form(form) if form else None
    whose = TableTypes.of(types or TableTypes.SPARK)
    warn_of_losses(options, whose)
    run = _Decoding(View(found, options), Mode.of(mode), textual, from_hex, nulls, to_stdout, whose)
    if split is None:
        sources = captures.meant(inputs, path, rotated=options.rotated)
        with output(path, binary=chosen is not Format.JSONL) as stream:
            _write(run, sources, chosen, stream)
        return
    if path is not None:
        raise MisuseError("--split-by-message and --output exclude each other: a directory, or a file")
    must_be_of_all_columns(options, "--split-by-message")
    from wireloom.cli.splitting import Split

    files = Split(split, chosen, found, options, run.types)
    _write_files(run, captures.meant(inputs, *files.paths, rotated=options.rotated), files)


def _write(run: "_Decoding", sources: Iterable[str], form: Format, stream: BinaryIO) -> None:
    """Write the rows of all sources into one file."""
    if form is Format.JSONL:
        write = row_writer(run.view.columns, stream, run.nulls)
        for row in run.rows(sources):
            write(row)
        return
    protocol = run.view.protocol
    consumer = consumer_of(protocol, run.view.options, form, run.types)
    from wireloom import columnar
    from wireloom.columnar.decoder import Decoder

    decoding = partial(Decoder, protocol, schema=consumer.decoded)
    found = run.batches(sources, decoding, partial(columnar.batches, schema=consumer.decoded))
    write_batches(map(consumer.given, found), consumer.schema, form, stream)


def _write_files(run: "_Decoding", sources: Iterable[str], files: "Split") -> None:
    """Write them into a file a message."""
    if files.form is Format.JSONL:
        files.write_rows(run.rows(sources), run.nulls)
    else:
        files.write_batches(run.batches(sources, files.decoder, files.batches))


class _Decoding(NamedTuple):
    """One run over all inputs. Records are read as in mode PERMISSIVE; malformed ones are handled here."""

    view: View
    mode: Mode
    form: Forms | None
    from_hex: bool
    nulls: bool | None
    to_stdout: bool
    types: TableTypes

    def rows(self, sources: Iterable[str]) -> Iterator[Row]:
        """The rows of all sources in order. Raises ``FailedError`` at a malformed record in mode FAILFAST."""
        for source in self._captures(sources):
            name = self._name(source)
            records, reasons = 0, _Reasons()
            with self._failing(name), self._opened(source) as rows, self._progress(source[0]) as move:
                for row in rows_moving(rows, move):
                    records += 1
                    reason = row["_corrupt_reason"]
                    if reason is not None:
                        if self.mode is Mode.FAILFAST:  # of a textual form
                            raise FailedError(f"{name}: {reason}")
                        reasons.add(reason)
                        if self.mode is Mode.DROPMALFORMED:
                            continue
                    yield row
            reasons.tell(name, records, self.mode)

    def batches(
        self,
        sources: Iterable[str],
        decoding: "Callable[[ReadOptions], Decoder]",
        of_rows: "Callable[[Iterator[Row]], Iterator[pa.RecordBatch]]",
    ) -> "Iterator[pa.RecordBatch]":
        """The rows of all sources as Arrow batches, decoded many at once; those of textual forms ``of_rows``.

        Raises as ``rows``.
        """
        if self.form is not None:
            yield from of_rows(self.rows(sources))
            return
        for source in self._captures(sources):
            decoder = decoding(self.view.options._replace(mode=self.mode))
            with self._failing(self._name(source)):
                for cuts in self._cuts(decoder, source):
                    yield from decoder.cuts(cuts, source[0])
            seen = decoder.tally
            _Reasons(seen.malformed, seen.first).tell(self._name(source), seen.records, self.mode)

    @contextmanager
    def _failing(self, name: str) -> Iterator[None]:
        """Raises ``FailedError`` naming the source for the error of a reader in mode ``FAILFAST``."""
        try:
            yield
        except DecodeError as error:
            raise FailedError(f"{name}: {error.reason}") from None

    def _captures(self, sources: Iterable[str]) -> Iterator[list[str]]:
        """The sources of each capture: one, unless several are parts of one recording."""
        return iter([list(sources)]) if self.view.options.rotated else ([source] for source in sources)

    def _name(self, sources: Sequence[str]) -> str:
        return ", ".join(map(captures.name_of, sources))

    def _cuts(self, decoder: "Decoder", sources: Sequence[str]) -> "Iterator[Cuts]":
        """The records of a capture."""
        from wireloom.columnar.traffic.opening import records, rotated

        if self.view.options.rotated:
            yield from rotated(decoder, sources)
            return
        (source,) = sources
        with captures.byte_stream(source, from_hex=self.from_hex) as stream, self._progress(source) as move:
            yield from records(decoder, reads_moving(stream.readinto, move), source)

    def _progress(self, source: str) -> AbstractContextManager[Callable[[int], None] | None]:
        return progress(Path(source).name, self._size(source), to_stdout=self.to_stdout)

    def _size(self, source: str) -> int | None:
        """The total size of the inputs in bytes, if it is known beforehand."""
        return None if self.from_hex else captures.size_of(source)

    @contextmanager
    def _opened(self, sources: Sequence[str]) -> Iterator[Iterator[Row]]:
        protocol, options, source = self.view.protocol, self.view.options, sources[0]
        if self.mode is Mode.FAILFAST:
            options = options._replace(mode=self.mode)
        if options.rotated:
            from wireloom.columnar.traffic import record_by_record
            from wireloom.columnar.traffic.opening import recordings

            recorded = recordings(sources, protocol.name, options)
            yield self.view.of(record_by_record.rows(recorded, protocol, options), source)
        elif self.form is None:
            with incremental.opened(source, protocol, dict(options.parameters), from_hex=self.from_hex) as (read, _):
                yield self.view.of(incremental.rows(read, protocol, options, source), source)
        else:
            with captures.byte_stream(source) as stream:
                rows = rows_of_lines(captures.lines(stream), self.view.protocol, self.form, self.view.options)
                yield self.view.of(rows, source)


class _Reasons:
    """Why records of one input were malformed."""

    def __init__(self, count: int = 0, first: str = "") -> None:
        self.count = count
        self.first = first

    def add(self, reason: str) -> None:
        self.first = self.first or reason
        self.count += 1

    def tell(self, name: str, records: int, mode: Mode) -> None:
        """Print a message if any record was malformed."""
        if self.count:
            dropped = " and dropped" if mode is Mode.DROPMALFORMED else ""
            say(f"{name}: {self.count} of {records} records malformed{dropped}, the first: {self.first}")
