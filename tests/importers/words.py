"""An importer to test with: each line of a ``.words`` file is a field, a name and a type."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from wireloom_generator.importers import Coverage, Imported, Importer, Outcome, SourceError, Sources
from wireloom_generator.problems import Location
from wireloom_generator.spec_text import Noted, YamlValue


def _read(paths: Sequence[Path], sources: Sources, refused: Mapping[Location, str]) -> Imported:
    files: dict[PurePosixPath, Mapping[str, YamlValue]] = {}
    outcomes = []
    for path in paths:
        fields, reasons = _fields(path, sources.text(path), sources, refused)
        record: YamlValue = {"length": "fields", "fields": [*fields, {"section": "body", "size": 0}]}
        name = path.stem
        files[PurePosixPath(name, "protocol.yaml")] = {"protocol": name, "byte_order": "big", "record": record}
        files[PurePosixPath(name, "line.yaml")] = {"message": "line", "match": {}}
        outcomes.append(
            Outcome(name, Location(path, 1, 1), Coverage.BYTES if reasons else Coverage.WHOLE, tuple(reasons))
        )
    return Imported(files, tuple(outcomes))


def _fields(
    path: Path, text: str, sources: Sources, refused: Mapping[Location, str]
) -> tuple[list[YamlValue], list[str]]:
    fields: list[YamlValue] = []
    reasons = []
    for number, line in enumerate(text.splitlines(), 1):
        at = Location(path, number, 1)
        name, _, kind = line.partition(" ")
        if name == "include":
            with sources.including(path.parent / kind, at) as inner:
                more, why = _fields(path.parent / kind, inner, sources, refused)
                fields += more
                reasons += why
        elif not re.fullmatch(r"\w+", kind):
            raise SourceError(at, f"{line!r} is not a name and a type")
        elif at in refused:
            reasons.append(refused[at])
            fields.append(Noted({"name": name, "type": "bytes", "size": 1}, f"TODO: {refused[at]}", at))
        else:
            fields.append(Noted({"name": name, "type": kind}, at=at))
    return fields, reasons


IMPORTER = Importer("words", (".words", ".txt"), lambda text: not text.startswith("!"), _read)
