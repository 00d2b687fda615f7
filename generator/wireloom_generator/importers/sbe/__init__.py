"""Message schemas of FIX Simple Binary SchemaEncoding in XML → a protocol whose records are its messages.

A schema does not say how messages are framed: a record is one message, as in a datagram or a value of a queue. Blocks
are as long as they say themselves, as those of later versions are longer.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from wireloom_generator.importers import Imported, Importer, Sources, each_alone
from wireloom_generator.importers.sbe.schema import MessageSchema
from wireloom_generator.importers.sbe.writing import SchemaWriter
from wireloom_generator.problems import Location


def _read(path: Path, sources: Sources, refused: Mapping[Location, str]) -> Imported:
    writer = SchemaWriter(path, MessageSchema.of(path, sources), refused)
    return Imported(writer.files(), tuple(writer.outcomes))


def _is_ours(text: str) -> bool:
    return re.search(r"<(\w+:)?messageSchema\b", text) is not None


IMPORTER = Importer("schemas of FIX Simple Binary SchemaEncoding", (".xml",), _is_ours, each_alone(_read))
