"""``wireloom encode``: rows to bytes, or to a textual form."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from wireloom import registry
from wireloom.cli import captures
from wireloom.cli.arguments import FormName, Parameters, ProtocolName, parameters_of, protocol_of
from wireloom.cli.diagnostics import FailedError, MisuseError
from wireloom.cli.outputs import output, replaced
from wireloom.cli.textual import line_of_row
from wireloom.codec import EncodeError, Forms, Protocol
from wireloom.codec.captures import CaptureBuilder
from wireloom.files import INDEX, file_at, removed
from wireloom.json_rows import harmless, row_reader
from wireloom.options import ReadOptions


def encode(
    protocol: ProtocolName,
    source: Annotated[str, typer.Argument(metavar="INPUT", help="JSON Lines; - is standard input.")] = "-",
    path: Annotated[Path | None, typer.Option("--output", help="Where to write; standard output otherwise.")] = None,
    to_hex: Annotated[bool, typer.Option("--hex", help="Write hex text, one record a line.")] = False,
    form: FormName = None,
    parameter: Parameters = None,
) -> None:
    """Rows as decode prints them to bytes. Derived fields may be left out. Status 1: a row that cannot be written.

    Beside a large capture is its index, <file>.wlx, as ``wireloom index`` makes it.
    """
    found = protocol_of(protocol)
    parameters = parameters_of(parameter)
    if form is not None and to_hex:
        raise MisuseError("--hex is for bytes; a textual form is text already")
    chosen = found.form(form) if form else None
    captures.must_exist(source, path)
    with captures.byte_stream(source) as stream, output(path, binary=form is None and not to_hex) as target:
        builder = CaptureBuilder(found, parameters, alone=chosen is not None or to_hex)
        records = _records(captures.lines(stream), builder, chosen, captures.name_of(source))
        for data in _alone(records, found) if form is None and not to_hex else records:
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


def _records(
    lines: Iterable[tuple[int, int, bytes]],
    builder: CaptureBuilder,
    form: Forms | None,
    name: str,
) -> Iterator[bytes]:
    """The bytes of each row, of which one alone may begin a capture, or its line."""
    protocol, parameters = builder.protocol, builder.given
    read = row_reader(protocol)
    for number, _, line in lines:
        try:
            row = read(json.loads(line.decode(), parse_constant=_no_constant))
            if form is None:
                if builder.begins(row) and builder.begun and not builder.alone:
                    raise EncodeError(f"a file of {protocol.name} has one header, and this is another")
                yield builder.build(row)
            else:
                yield line_of_row(row, protocol, form, parameters) + b"\n"
        except json.JSONDecodeError as error:
            raise FailedError(f"{name}: line {number}: not JSON: {error.msg} at column {error.colno}") from None
        except UnicodeDecodeError:
            raise FailedError(f"{name}: line {number}: not text in UTF-8; rows are what decode prints") from None
        except RecursionError:
            raise FailedError(f"{name}: line {number}: not a row: nested too deeply") from None
        except ValueError as error:
            raise FailedError(f"{name}: line {number}: {error}") from None


def _alone(records: Iterator[bytes], protocol: Protocol) -> Iterator[bytes]:
    """The records that are written to one file. Raises ``FailedError`` if a file can have only one."""
    for number, data in enumerate(records):
        if number and protocol.framing.to_the_end:
            what = f"a file of {protocol.name} is one record (length: rest), and here is another row"
            raise FailedError(f"{what}; --hex writes one a line")
        yield data


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON; the text {name!r} is")
