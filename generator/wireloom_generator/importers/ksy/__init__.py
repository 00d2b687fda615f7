"""Kaitai Struct: ``.ksy`` files, with those that they import."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from wireloom_generator.importers import Imported, Importer, Outcome, SourceError, Sources
from wireloom_generator.importers.ksy.items import add_items
from wireloom_generator.importers.ksy.structure import Files
from wireloom_generator.importers.ksy.writing import Writer
from wireloom_generator.problems import Location
from wireloom_generator.spec_text import YamlValue


def _read(paths: Sequence[Path], sources: Sources, refused: Mapping[Location, str]) -> Imported:
    files: dict[PurePosixPath, Mapping[str, YamlValue]] = {}
    outcomes: list[Outcome] = []
    for path in paths:
        read = Files(sources)
        main = read.read(path)
        add_items(read.known.values())
        try:
            found = Writer(main, path, refused).imported()
        except RecursionError:
            raise SourceError(main.at, "nested too deeply") from None
        if not files.keys().isdisjoint(found.files):
            raise SourceError(Location(path, 1, 1), f"another file is also called {main.name}")
        files |= found.files
        outcomes += found.outcomes
    return Imported(files, tuple(outcomes))


def _is_ours(text: str) -> bool:
    return re.search(r"^meta:", text, re.MULTILINE) is not None


IMPORTER = Importer("Kaitai Struct", (".ksy",), _is_ours, _read)
