"""``wireloom encode``: rows to bytes, or to a textual form."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from io import BufferedIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wireloom import registry
from wireloom.cli import arguments, captures
from wireloom.cli.arguments import OfProtocol, parameters_of, protocol_of
from wireloom.cli.diagnostics import FailedError, MisuseError
from wireloom.cli.formats import batches_of
from wireloom.cli.outputs import output, replaced
from wireloom.cli.text_rows import line_of_row
from wireloom.codec import EncodeError, Forms, Protocol
from wireloom.codec.captures import CaptureBuilder, ended
from wireloom.files import INDEX, file_at, removed
from wireloom.json_rows import harmless, row_reader
from wireloom.kinds import written_kind
from wireloom.options import CaptureKind, ReadOptions
from wireloom.recording.rows import TrafficBuilder
from wireloom.views import Row

if TYPE_CHECKING:
    import pyarrow as pa


@click.command(cls=OfProtocol)
@arguments.protocol
@click.argument(
    "source",
    metavar="[INPUT]",
    default=captures.STDIN,
    help="JSON Lines, or a Parquet or Arrow file; standard input if omitted or -.",
)
@arguments.output
@click.option(
    "--capture",
    metavar="KIND",
    default=CaptureKind.RAW.value,
    help="Write records end to end (raw), or in packets, like a recording (pcap or pcapng).",
)
@click.option("--hex", "to_hex", is_flag=True, help="Write hex text, one record per line.")
@arguments.form
@arguments.parameters
def encode(
    protocol: str,
    source: str,
    path: Path | None,
    capture: str,
    to_hex: bool,
    form: str | None,
    parameters: Sequence[str],
) -> None:
    """Encode rows, in the form that decode prints, into bytes. Derived fields may be omitted.

    A large capture also gets an index, <file>.wlx, as from wireloom index. Exit with status 1 if a row cannot be
    encoded.
    """
    found = protocol_of(protocol)
    told = parameters_of(parameters)
    kind = written_kind(capture)
    if form is not None and to_hex:
        raise MisuseError("--hex and --form exclude each other: a textual form is text already")
    if kind is not CaptureKind.RAW:
        if form is not None or to_hex:
            raise MisuseError(f"--capture {kind} writes bytes; leave out --hex and --form")
        _record(found, source, path, told, kind)
        return
    chosen = found.form(form) if form else None
    captures.must_exist(source, path)
    with captures.byte_stream(source) as stream, output(path, binary=form is None and not to_hex) as target:
        builder = CaptureBuilder(found, told, alone=chosen is not None or to_hex)
        for data in _records(stream, source, builder, chosen):
            if to_hex:
                target.write(data.hex().encode() + b"\n")
            elif target.isatty():  # a form, as bytes are refused; elsewhere it is exact to the character
                target.write(harmless(data.decode()).encode())
            else:
                target.write(data)
        if (made := replaced(path)) is not None:
            removed(f"{made}{INDEX}")  # while that is still of the capture which goes
    if made is not None and form is None and not to_hex:
        _index(str(made), protocol, builder.given)


def _record(
    protocol: Protocol, source: str, path: Path | None, parameters: Mapping[str, Any], kind: CaptureKind
) -> None:
    """Write rows as recorded packets."""
    captures.must_exist(source, path)
    with captures.byte_stream(source) as stream, output(path, binary=True) as target:
        for data in _packets(stream, source, protocol, parameters, kind):
            target.write(data)
        if (made := replaced(path)) is not None:
            removed(f"{made}{INDEX}")


def _packets(
    stream: BufferedIOBase, source: str, protocol: Protocol, parameters: Mapping[str, Any], kind: CaptureKind
) -> Iterator[bytes]:
    """A file of packets, piece by piece."""
    name = captures.name_of(source)
    batches = None if source == captures.STDIN else batches_of(stream, name)
    if batches is None:
        builder = TrafficBuilder(protocol, parameters, kind)
        yield builder.recorder.begin
        yield from _each(ended(protocol, _rows(stream, protocol, name)), builder.build, f"{name}: line")
        yield from builder.recorder.end()
        return
    from wireloom.columnar import encoding
    from wireloom.columnar.packet_files import TrafficEncoder

    encoder = TrafficEncoder(protocol, parameters, kind)
    yield encoder.recorder.begin
    yield from _of_batches(encoding.ended(protocol, batches), protocol, encoder.parts, name)
    yield from encoder.recorder.end()


def _index(path: str, protocol: str, parameters: dict[str, Any]) -> None:
    """Write the index of a capture if it is large, and if what indexes need is installed."""
    file = file_at(path)
    found = registry.protocol(protocol)
    if found.framing.to_the_end or not (file.takes_index and find_spec("pyarrow") and find_spec("numpy")):
        return  # before anything is imported for it
    from wireloom.columnar import index

    options = ReadOptions(parameters=parameters)
    with suppress(OSError):  # without the protocol's source there are no indexes
        reading = index.Reading.of(found.name, registry.digest(protocol), options)
        index.write(file, reading, index.scanner_of(found, options))


def _records(stream: BufferedIOBase, source: str, builder: CaptureBuilder, form: Forms | None) -> Iterator[bytes]:
    """The bytes of each row, of which one alone may begin a capture, or its line."""
    name, protocol = captures.name_of(source), builder.protocol
    batches = None if source == captures.STDIN else batches_of(stream, name)
    if batches is None:
        records = _built(_rows(stream, protocol, name), builder, form, f"{name}: line")
    elif form is None and protocol.preamble is None:
        records = _encoded(batches, builder, name)
    else:
        from wireloom.columnar.encoding import plain

        rows = (row for batch in batches for row in plain(batch))
        records = _built(enumerate(rows), builder, form, f"{name}: row")
    return records if builder.alone else _alone(records, protocol)


def _rows(stream: BufferedIOBase, protocol: Protocol, name: str) -> Iterator[tuple[int, Row]]:
    """The rows on the lines of a stream, with the numbers of the lines."""
    read = row_reader(protocol)
    for number, _, line in captures.lines(stream):
        try:
            yield number, read(json.loads(line.decode(), parse_constant=_no_constant))
        except json.JSONDecodeError as error:
            raise FailedError(f"{name}: line {number}: not JSON: {error.msg} at column {error.colno}") from None
        except UnicodeDecodeError:
            raise FailedError(
                f"{name}: line {number}: not UTF-8; the input must be rows as decode prints them, or a Parquet or"
                f" Arrow file"
            ) from None
        except RecursionError:
            raise FailedError(f"{name}: line {number}: not a row: nested too deeply") from None
        except ValueError as error:
            raise FailedError(f"{name}: line {number}: {error}") from None


def _built(rows: Iterable[tuple[int, Row]], builder: CaptureBuilder, form: Forms | None, where: str) -> Iterator[bytes]:
    """The bytes of rows, or their lines; errors are reported with ``where`` and the row's number."""
    protocol, parameters = builder.protocol, builder.given
    if not builder.alone:
        rows = ended(protocol, rows)

    def build(row: Row) -> bytes:
        if form is not None:
            return line_of_row(row, protocol, form, parameters) + b"\n"
        if builder.begins(row) and builder.begun and not builder.alone:
            raise EncodeError(f"a file of {protocol.name} has one header, and this row is a second one")
        return builder.build(row)

    return _each(rows, build, where)


def _each(rows: Iterable[tuple[int, Row]], build: Callable[[Row], bytes], where: str) -> Iterator[bytes]:
    """The result of ``build`` for each row; its errors are reported with the row's number."""
    for number, row in rows:
        try:
            yield build(row)
        except RecursionError:
            raise FailedError(f"{where} {number}: not a row: nested too deeply") from None
        except ValueError as error:
            raise FailedError(f"{where} {number}: {error}") from None


def _encoded(batches: "Iterator[pa.RecordBatch]", builder: CaptureBuilder, name: str) -> Iterator[bytes]:
    """The bytes of the rows of batches, many at once."""
    from wireloom.columnar import encoding

    encoder = encoding.Encoder(builder.protocol, builder.given, alone=builder.alone)
    if not builder.alone:
        batches = encoding.ended(builder.protocol, batches)
    return _of_batches(batches, builder.protocol, lambda batch: encoder.encode(batch).to_pylist(), name)


def _of_batches(
    batches: "Iterator[pa.RecordBatch]",
    protocol: Protocol,
    encode: "Callable[[pa.RecordBatch], Iterable[bytes]]",
    name: str,
) -> Iterator[bytes]:
    """The records of batches; errors are reported with the row's number."""
    from wireloom.columnar.encoding import gathered

    for batch in gathered(protocol, batches):
        try:
            yield from encode(batch)
        except EncodeError as error:
            raise FailedError(f"{name}: row {error.row}: {error}") from None


def _alone(records: Iterator[bytes], protocol: Protocol) -> Iterator[bytes]:
    """The records that are written to one file. Raises ``FailedError`` if a file can have only one."""
    for number, data in enumerate(records):
        if number and protocol.framing.to_the_end:
            what = f"a file of {protocol.name} is one record (length: rest), and this is a second row"
            raise FailedError(f"{what}; --hex writes one record per line")
        yield data


def _no_constant(name: str) -> Any:
    raise ValueError(f'{name} is not JSON; write it in quotes: "{name}"')
