"""``wireloom index``: indexes of record positions beside captures, with which Spark splits large files."""

from collections.abc import Sequence

import click

from wireloom import registry
from wireloom.cli import arguments
from wireloom.cli.arguments import OfProtocol, options_of, protocol_of
from wireloom.cli.diagnostics import MisuseError, tell
from wireloom.files import INDEX, INDEX_EVERY, listed, shown


@click.command(cls=OfProtocol)
@arguments.protocol
@click.argument("files", nargs=-1, required=True, help="Captures: files, directories or patterns.")
@arguments.parameters
@arguments.max_record_bytes
@arguments.resync
def index(protocol: str, files: Sequence[str], parameters: Sequence[str], **told: object) -> None:
    """Write an index of record positions beside each large capture, so that several Spark tasks can share it."""
    from wireloom.columnar import index as indexes

    found = protocol_of(protocol)
    if found.framing.to_the_end:
        raise MisuseError(f"a file of {found.name} is one record (length: rest) and needs no index")
    options = options_of(found, parameters, told)
    reading = indexes.Reading.of(found.name, registry.digest(protocol), options)
    given = listed(files)
    for file in (file for file in given if file.takes_index):
        name = f"{shown(file.path)}{INDEX}"
        try:
            count, made = indexes.ensure(file, reading, lambda: indexes.scanner_of(found, options))
        except indexes.ForeignError as error:
            raise MisuseError(f"{name} was kept: {error}; delete it if it is wrong") from None
        lost = "" if count else f"; no record of {found.name} begins after the first {INDEX_EVERY} bytes"
        tell(f"{name}: {count} places{lost}{'' if made else ', unchanged'}")
    if without := sum(not file.takes_index for file in given):
        tell(f"{without} of {len(given)} files need no index: they are small or compressed, and are not split")
