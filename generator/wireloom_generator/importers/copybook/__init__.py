"""COBOL copybooks → a protocol for each record, laid out as Enterprise COBOL does it, in EBCDIC."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from wireloom_generator import naming
from wireloom_generator.importers import Coverage, Imported, Importer, Outcome, SourceError, Sources
from wireloom_generator.importers.copybook.data_items import Copybook, DataItem
from wireloom_generator.importers.copybook.entries import copybook
from wireloom_generator.importers.copybook.layout import UnsayableError, laid_out
from wireloom_generator.importers.copybook.writing import record_of
from wireloom_generator.problems import Location
from wireloom_generator.spec_text import YamlValue

_ENTRY = re.compile(r"^.{0,6}[ \t]*\d{1,2}[ \t]+[\w:-]+", re.MULTILINE)


def _read(paths: Sequence[Path], sources: Sources, refused: Mapping[Location, str]) -> Imported:
    files: dict[PurePosixPath, Mapping[str, YamlValue]] = {}
    outcomes: list[Outcome] = []
    for path in paths:
        found = copybook(path, sources.text(path))
        records = _records(path, found)
        for item in records:
            protocol = naming.protocol_like(path.stem if len(records) == 1 else item.name or path.stem, "record")
            message = naming.protocol_like(item.name or path.stem, "record")
            if PurePosixPath(protocol, "protocol.yaml") in files:
                raise SourceError(item.at, f"there already is a record that becomes the protocol {protocol}")
            try:
                written = record_of(laid_out(item), message, path.name, refused)
            except UnsayableError as error:
                outcomes.append(Outcome(item.shown, error.at, Coverage.REFUSED, (str(error),)))
                continue
            files[PurePosixPath(protocol, "protocol.yaml")] = {**written.protocol, "protocol": protocol}
            files[PurePosixPath(protocol, f"{message}.yaml")] = written.message
            outcomes += written.outcomes
        outcomes += (Outcome(each.name, each.at, Coverage.REFUSED, (each.reason,)) for each in found.refused)
    return Imported(files, tuple(outcomes))


def _records(path: Path, found: Copybook) -> list[DataItem]:
    """The records; items that are in none make one, for copybooks that programs copy below a level 01 of theirs."""
    if not found.loose:
        return found.records
    record = DataItem(1, path.stem.upper(), replace(found.loose[0].at, column=0), items=found.loose)
    return [record, *found.records]


IMPORTER = Importer(
    "COBOL copybook",
    (".cpy", ".cbl", ".cob", ".copy", ".copybook"),
    lambda text: _ENTRY.search(text) is not None,
    _read,
)
