"""``wireloom decode``: captures to rows."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from wireloom.cli import captures, pieces
from wireloom.cli.arguments import FormName, Parameters, ProtocolName, parameters_of, protocol_of
from wireloom.cli.diagnostics import FailedError, MisuseError, say
from wireloom.cli.formats import Format, row_writer, tabular, write_batches
from wireloom.cli.outputs import output
from wireloom.cli.progress import progress, reads_moving, rows_moving
from wireloom.cli.splitting import Split
from wireloom.cli.textual import rows_of_lines
from wireloom.codec import DecodeError, Forms
from wireloom.options import MAX_RECORD_BYTES, Mode, ReadOptions, resolve
from wireloom.views import Row, View, must_be_of_all_columns

if TYPE_CHECKING:
    import pyarrow as pa

    from wireloom.columnar.decoder import Decoder


def decode(
    protocol: ProtocolName,
    inputs: Annotated[
        list[str],
        typer.Argument(metavar="INPUT", help="Captures, or directories and patterns of them; - is standard input."),
    ],
    from_hex: Annotated[bool, typer.Option("--hex", help="The input is hex text; # begins a comment.")] = False,
    form: FormName = None,
    format_: Annotated[str, typer.Option("--format", metavar="NAME", help="jsonl, parquet or arrow.")] = "jsonl",
    path: Annotated[Path | None, typer.Option("--output", help="Where to write; standard output otherwise.")] = None,
    split: Annotated[
        Path | None,
        typer.Option("--split-by-message", metavar="DIR", help="A file a message in DIR, as if by --message for each."),
    ] = None,
    message: Annotated[str | None, typer.Option(help="Only this message, its fields beside the header's.")] = None,
    messages: Annotated[
        str | None, typer.Option(metavar="NAME,…", help="Only these messages, each a struct beside the header.")
    ] = None,
    columns: Annotated[
        str | None, typer.Option(metavar="NAME,…", help="Only these columns; struct.field is one of a struct.")
    ] = None,
    mode: Annotated[
        str, typer.Option(help="Malformed records: PERMISSIVE keeps, DROPMALFORMED drops, FAILFAST stops.")
    ] = "PERMISSIVE",
    parameter: Parameters = None,
    labels: Annotated[bool, typer.Option(help="Columns with the names of numbers.")] = True,
    nulls: Annotated[
        bool | None,
        typer.Option("--nulls/--no-nulls", help="Keys whose value is null, in jsonl; on a terminal not unless told."),
    ] = None,
    positions: Annotated[bool, typer.Option("--positions", help="Add _file, _offset and _length.")] = False,
    max_record_bytes: Annotated[int, typer.Option(min=1, help="Longer records are malformed.")] = MAX_RECORD_BYTES,
) -> None:
    """Captured bytes to rows: a JSON object a record, or a Parquet or Arrow file. Status 1: a bad record (FAILFAST)."""
    found = protocol_of(protocol)
    told = {"message": message, "messages": messages, "columns": columns}
    given: dict[str, object] = {name: value for name, value in told.items() if value is not None}
    given |= {"labels": labels, "positions": positions, "maxRecordBytes": max_record_bytes}
    options = ReadOptions.of(given, parameters=(), messages=found.messages)
    options = replace(options, parameters=resolve(found.parameters, parameters_of(parameter)))
    if form is not None and from_hex:
        raise MisuseError("--hex is for bytes; a textual form is text already")
    chosen = Format.of(format_)
    chosen.must_suit(path)
    if nulls is not None and chosen is not Format.JSONL:
        raise MisuseError(f"--nulls and --no-nulls are for jsonl; {chosen} has all columns")
    to_stdout = split is None and (path is None or str(path) == captures.STDIN)
    run = _Decoding(View(found, options), Mode.of(mode), found.form(form) if form else None, from_hex, nulls, to_stdout)
    if split is None:
        sources = captures.meant(inputs, path)
        with output(path, binary=chosen is not Format.JSONL) as stream:
            _write(run, sources, chosen, stream)
        return
    if path is not None:
        raise MisuseError("--split-by-message names a directory, --output a file; give one of the two")
    must_be_of_all_columns(options, "--split-by-message")
    files = Split(split, chosen, found, options)
    _write_files(run, captures.meant(inputs, *files.paths), files)


def _write(run: "_Decoding", sources: Iterable[str], form: Format, stream: BinaryIO) -> None:
    """Write the rows of all sources into one file."""
    if form is Format.JSONL:
        write = row_writer(run.view.columns, stream, run.nulls)
        for row in run.rows(sources):
            write(row)
        return
    protocol = run.view.protocol
    schema = tabular(protocol, run.view.options, form)
    from wireloom import columnar
    from wireloom.columnar.decoder import Decoder

    decoding = partial(Decoder, protocol, schema=schema)
    write_batches(run.batches(sources, decoding, partial(columnar.batches, schema=schema)), schema, form, stream)


def _write_files(run: "_Decoding", sources: Iterable[str], files: Split) -> None:
    """Write them into a file a message."""
    if files.form is Format.JSONL:
        files.write_rows(run.rows(sources), run.nulls)
    else:
        files.write_batches(run.batches(sources, files.decoder, files.batches))


@dataclass(frozen=True, slots=True)
class _Decoding:
    """One run over all inputs. Records are read as in mode PERMISSIVE; malformed ones are handled here."""

    view: View
    mode: Mode
    form: Forms | None
    from_hex: bool
    nulls: bool | None
    to_stdout: bool

    def rows(self, sources: Iterable[str]) -> Iterator[Row]:
        """The rows of all sources in order. Raises ``FailedError`` at a malformed record in mode FAILFAST."""
        for source in sources:
            name = captures.name_of(source)
            records, reasons = 0, _Reasons()
            with self._opened(source) as rows, self._progress(source) as move:
                for row in rows_moving(rows, move):
                    records += 1
                    reason = row["_corrupt_reason"]
                    if reason is not None:
                        if self.mode is Mode.FAILFAST:
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
        for source in sources:
            decoder = decoding(replace(self.view.options, mode=self.mode))
            with captures.byte_stream(source, from_hex=self.from_hex) as stream, self._progress(source) as move:
                try:
                    yield from decoder.stream(reads_moving(stream.read, move), source)
                except DecodeError as error:
                    raise FailedError(f"{captures.name_of(source)}: {error.reason}") from None
            seen = decoder.tally
            _Reasons(seen.malformed, seen.first).tell(captures.name_of(source), seen.records, self.mode)

    def _progress(self, source: str) -> AbstractContextManager[Callable[[int], None] | None]:
        return progress(Path(source).name, self._size(source), to_stdout=self.to_stdout)

    def _size(self, source: str) -> int | None:
        """The total size of the inputs in bytes, if it is known beforehand."""
        return None if self.from_hex else captures.size_of(source)

    @contextmanager
    def _opened(self, source: str) -> Iterator[Iterator[Row]]:
        if self.form is None:
            protocol, options = self.view.protocol, self.view.options
            with pieces.opened(source, protocol, dict(options.parameters), from_hex=self.from_hex) as (read, _):
                yield self.view.of(pieces.rows(read, protocol, options), source)
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
