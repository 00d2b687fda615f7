"""What tests of importers share: files → the spec that is written → a protocol that runs."""

import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from support.compiled import Compiled, compiled

from wireloom_generator import importers, importing, on_disk
from wireloom_generator.formatting import formatted
from wireloom_generator.importers import SourceError, Sources
from wireloom_generator.importing import SpecImport
from wireloom_generator.spec_text import YamlValue


class Result(NamedTuple):
    """An import, and its first protocol."""

    written: SpecImport
    protocol: Compiled


def imported(name: str, paths: Sequence[Path], out: Path) -> Result:
    """Import files with the importer of that name, without a problem and in canonical form."""
    written = importing.imported(paths, importers.named(name), out)
    assert [str(problem) for problem in written.problems] == []
    assert {path: formatted(text, path) for path, text in written.files.items()} == written.files
    on_disk.put(dict(written.files))
    return Result(written, compiled(next(iter(written.files)).parent))


def unchecked(name: str, *paths: Path) -> dict[str, dict[str, YamlValue]]:
    """The specs that an importer writes before anybody has read them, by the names of their files without endings."""
    found = importers.named(name).read(paths, Sources(), {})
    return {path.stem: dict(document) for path, document in found.files.items()}


_JUNK = (
    "", "0", "-1", "9" * 20, "a", "é", "\u0660", "2**64", "1e999", "NaN", "&#x10FFFF;", "a.b", "char", "uint8",
    "0x", "_x", "char[300]", "uint8_t[256]", "1_0", " 5 ",
)  # fmt: skip


def damaged_xml(text: str, random: Random) -> str:
    """The text with some attributes, texts and lines that are wrong, missing or there twice."""
    for _ in range(random.randint(1, 3)):
        match random.randrange(4):
            case 0:
                found = random.choice(list(re.finditer('"([^"]*)"', text)))
                text = text[: found.start(1)] + random.choice(_JUNK) + text[found.end(1) :]
            case 1:
                found = random.choice(list(re.finditer(">([^<]*)<", text)))
                text = text[: found.start(1)] + random.choice(_JUNK) + text[found.end(1) :]
            case 2:
                found = random.choice(list(re.finditer(r' \w+="[^"]*"', text)))
                text = text[: found.start()] + text[found.end() :]
            case _:
                lines = text.splitlines(keepends=True)
                lines[random.randrange(len(lines))] = random.choice(lines)
                text = "".join(lines)
    return text


def read_damaged(name: str, path: Path, text: str, count: int) -> int:
    """Read a text that was damaged in many ways; how many of them are still of the format.

    The others are refused with one sentence.
    """
    random = Random(name)
    told = []
    for _ in range(count):
        path.write_text(damaged_xml(text, random), encoding="utf-8")
        try:
            unchecked(name, path)
        except SourceError as error:
            told.append(str(error))
    assert [each for each in told if not re.fullmatch(rf"{re.escape(path.as_posix())}:\d+:\d+: [^\n]+", each)] == []
    return count - len(told)
