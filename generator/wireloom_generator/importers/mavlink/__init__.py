"""MAVLink dialects in XML → a protocol of MAVLink 2 packets or, if ``mavlink_1`` is named, of MAVLink 1 as well.

A dialect does not say how packets look; the documents of MAVLink do.
"""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from wireloom_generator.importers import Imported, Importer, Sources, each_alone
from wireloom_generator.importers.mavlink.dialect import Dialect
from wireloom_generator.importers.mavlink.packets import OF_BOTH, OF_SECOND, DialectPackets
from wireloom_generator.importers.mavlink.writing import DialectWriter
from wireloom_generator.problems import Location


def _read(packets: DialectPackets, path: Path, sources: Sources, refused: Mapping[Location, str]) -> Imported:
    dialect = Dialect()
    dialect.read(path, sources)
    writer = DialectWriter(path, dialect, packets, refused)
    return Imported(writer.files(), tuple(writer.outcomes))


def _is_ours(text: str) -> bool:
    return re.search(r"<mavlink\b", text) is not None


IMPORTER = Importer("MAVLink dialects", (".xml",), _is_ours, each_alone(partial(_read, OF_SECOND)))
WITH_FIRST_VERSION = Importer("MAVLink dialects", (".xml",), _is_ours, each_alone(partial(_read, OF_BOTH)))
