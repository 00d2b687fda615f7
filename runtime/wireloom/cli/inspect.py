"""``wireloom inspect``: captures explained byte by byte."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click

from wireloom import files
from wireloom.cli import arguments, captures, incremental
from wireloom.cli.arguments import OfProtocol, parameters_of, protocol_of
from wireloom.cli.diagnostics import FailedError, MisuseError, say
from wireloom.cli.incremental import Piece
from wireloom.cli.outputs import output
from wireloom.codec import Protocol
from wireloom.codec.cutting import Cutter
from wireloom.codec.errors import NoRecordError
from wireloom.codec.frames import Values
from wireloom.inspection import Inspected, page
from wireloom.inspection.plain import lines
from wireloom.inspection.record import explained
from wireloom.kinds import ReadSome, Recording, behind, detect, filling
from wireloom.options import CaptureKind, ReadOptions, resolve, unknown
from wireloom.printable import printable

PAGE_RECORDS = 500
"""The most records on a page; more would take a browser too long."""


@click.command(cls=OfProtocol)
@arguments.protocol
@click.argument("file", help="A capture; - is standard input.")
@arguments.from_hex
@click.option(
    "--offset",
    metavar="N",
    default="0",
    help="Start at this byte of the capture, such as 64 or 0x40.",
)
@click.option(
    "--record",
    metavar="N",
    type=click.IntRange(min=0),
    help="Only this record, counting from 0.",
)
@click.option("--only", metavar="MESSAGE", help="Only records of this message.")
@click.option(
    "--html", metavar="OUT", type=Path, help=f"Write an HTML page instead, with up to {PAGE_RECORDS} records."
)
@arguments.parameters
def inspect(
    protocol: str,
    file: str,
    from_hex: bool,
    offset: str,
    record: int | None,
    only: str | None,
    html: Path | None,
    parameters: Sequence[str],
) -> None:
    """Show each record's bytes next to its fields, and where and why it is malformed."""
    found = protocol_of(protocol)
    if only is not None and only not in found.messages:
        raise MisuseError(unknown("message", only, found.messages))
    captures.must_exist(file, html)
    resolved = resolve(found.parameters, parameters_of(parameters))
    run = _Inspection(found, resolved, file, from_hex, _number(offset), record, only)
    if html is None:
        _print(run)
    else:
        _write_page(run, html)


def _number(text: str) -> int:
    try:
        found = int(text, 16 if text[:2].lower() == "0x" else 10)
    except ValueError:
        found = -1
    if found < 0:
        raise MisuseError(f"--offset must be a number of bytes, such as 64 or 0x40, not {text!r}")
    return found


@dataclass(frozen=True, slots=True)
class _Inspection:
    """The wanted records of one capture."""

    protocol: Protocol
    parameters: Values
    file: str
    from_hex: bool
    offset: int
    record: int | None
    only: str | None

    def records(self) -> Iterator[tuple[int, Inspected]]:
        """The records, numbered. Raises ``FailedError`` if there is none to show."""
        name = captures.name_of(self.file)
        seen = shown = 0
        with incremental.opened(self.file, self.protocol, self.parameters, self.offset, from_hex=self.from_hex) as (
            read,
            known,
        ):
            kind, ahead = detect(CaptureKind.AUTO, self.protocol.name, read if not self.offset else lambda _: b"")
            read = behind(ahead, read)
            if self.offset:
                say(f"{name}: started at byte {self.offset}; the bytes before it were skipped")
            cut = self._cut if kind is CaptureKind.RAW else partial(self._recorded, kind)
            for piece, parameters in cut(read, known):
                if isinstance(piece.cut.error, NoRecordError):
                    continue
                seen += 1
                if self.record is not None and piece.number != self.record:
                    continue
                preamble = self.protocol.preamble.protocol if piece.cut.preamble and self.protocol.preamble else None
                error, protocol = piece.cut.error, preamble or self.protocol
                inspected = explained(protocol, piece.data, piece.offset, parameters, error)
                if self.only is None or inspected.message == self.only:
                    shown += 1
                    yield piece.number, inspected
                if self.record is not None:
                    break
        if not shown:
            raise FailedError(f"{name}: {self._nothing(seen)}")

    def _cut(self, read: ReadSome, known: Values) -> Iterator[tuple[Piece, Values]]:
        """The records of a capture that are end to end, with the parameters of their capture."""
        cutter = Cutter(self.protocol.framing, known)
        return ((piece, cutter.parameters) for piece in incremental.pieces(read, cutter, self.offset))

    def _recorded(self, kind: CaptureKind, read: ReadSome, known: Values) -> Iterator[tuple[Piece, Values]]:
        """The records in recorded packets; each is where it begins in its stream."""
        from wireloom.columnar.traffic import record_by_record

        options = ReadOptions(parameters=known)
        files = [Recording(self.file, kind, filling(read))]
        for number, each in enumerate(record_by_record.records(files, self.protocol, options)):
            yield Piece(number, each.position, each.data, each.cut), each.parameters

    def _nothing(self, seen: int) -> str:
        if not seen:
            return "there is no record: the capture is empty"
        if self.record is not None and seen <= self.record:
            return f"there is no record {self.record}; the last one is {seen - 1}, counted from 0"
        which = "no record is" if self.record is None else f"record {self.record} is not"
        return f"{which} a {self.only}"


def _print(run: _Inspection) -> None:
    """Print the records: in colour on a terminal that has colours, else as plain lines."""
    from wireloom.cli.terminal import Terminal, show  # imports rich, which other commands need not wait for

    console = Terminal(highlight=False)
    if console.coloured:
        for number, inspected in run.records():
            show(inspected, number, console)
        return
    with output(None, binary=False) as stream:
        for index, (number, inspected) in enumerate(run.records()):
            text = "\n".join([*([""] if index else []), *map(printable, lines(inspected, number))])
            stream.write(f"{text}\n".encode())
            stream.flush()


def _write_page(run: _Inspection, path: Path) -> None:
    """Write the page, and say which records are not on it."""
    title = f"{captures.name_of(run.file)} as {run.protocol.name}"
    notes: list[str] = []
    with output(path, binary=False) as stream:
        for piece in page(title, _bounded(run.records(), notes), notes):
            stream.write(piece.encode())
    for note in notes:
        say(f"{files.shown(path)}: {note}")


def _bounded(records: Iterator[tuple[int, Inspected]], notes: list[str]) -> Iterator[tuple[int, Inspected]]:
    """As many records as fit a page, with a note if there are more."""
    for count, record in enumerate(records):
        if count == PAGE_RECORDS:
            notes.append(f"only the first {PAGE_RECORDS} records; --offset {record[1].offset} shows the next ones")
            return
        yield record
