"""What the programs of a protocol leave to the plan, for those who ask."""

from collections.abc import Mapping

from wireloom.codec import Protocol
from wireloom.columnar import arrow_schema
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.machine.programs import programs_of
from wireloom.options import ReadOptions
from wireloom.views import View


def left(protocol: Protocol) -> Mapping[str, tuple[str, ...]]:
    """What each message, by its name, may have that no program says. Records with it are read by the plan."""
    options = ReadOptions.of({}, protocol.parameters, protocol.messages)
    decoder = Decoder(protocol, options, arrow_schema(View(protocol, options).columns))
    programs = programs_of(protocol, {**decoder.untold, **options.parameters}, little=False)
    return dict(programs.lacking(decoder.schema))
