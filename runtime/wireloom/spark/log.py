"""The state of a streaming query, kept in files beside its checkpoint instead of in each offset: each file has the
changes.

An entry never changes. Its name has a number and a random part, so that an entry that was planned and never used, or
planned by another query from the same checkpoint, is never mistaken for it. Tasks also leave notes here, which save
them work.
"""

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from typing import Any
from uuid import uuid4

from wireloom.codec import DecodeError
from wireloom.columnar.following import Reach
from wireloom.files import created, listed, opened, removed, replacing
from wireloom.options import OptionError

_SUMS_UP = 10
"""Each so many-th entry has all that changed since one that has everything, so that few are read to know it."""
_ALL = "-all"
"""How the names end of entries that have everything."""
_NAME = re.compile(rf"[0-9]+-[0-9a-f]{{8}}({_ALL})?")
_CONVERSATIONS = "conversations/"
"""Where in a stream's log files are kept of how conversations went on, one for an entry."""
_KEPT = 100
"""How many entries are kept at least: Spark goes back as many batches at most."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """The name of an entry, and the stream that has it."""

    log: str
    entry: str

    @classmethod
    def of(cls, offset: Mapping[str, Any]) -> "LogEntry | None":
        """The entry that an offset names; None if it has all itself."""
        return cls(offset["log"], offset["entry"]) if "log" in offset else None

    @classmethod
    def after(cls, last: "LogEntry | None") -> "LogEntry":
        """The name of the next entry."""
        unique = uuid4().hex
        return cls(unique[16:], f"0-{unique[:8]}") if last is None else cls(last.log, f"{last.number + 1}-{unique[:8]}")

    def with_all(self) -> "LogEntry":
        """This entry if it has all that is known."""
        return replace(self, entry=self.entry + _ALL)

    @property
    def number(self) -> int:
        """How many entries were before."""
        return int(self.entry.partition("-")[0])

    @property
    def sums_up(self) -> bool:
        """Whether it has all that changed since one that has everything, or everything itself."""
        return self.number % _SUMS_UP == 0

    def json(self) -> dict[str, str]:
        """What an offset has of it."""
        return asdict(self)


class Log:
    """The logs of streams in a folder, which may be on any filesystem."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def read(self, entry: LogEntry) -> tuple[str, list[dict[str, Any]]]:
        """The name of a complete entry, and the contents of that and of those up to ``entry``, in order.

        Raises ``OptionError`` if one is missing.
        """
        found: list[dict[str, Any]] = []
        name, before = "", entry.entry
        while before:
            name = before
            try:
                with opened(self._path(entry, name)) as stream:
                    found.append(json.load(stream))
            except FileNotFoundError:
                told = f"there is no {self._path(entry, name)}, which the checkpoint needs: it was removed, or"
                raise OptionError(f"{told} logLocation is not what it was when the query began") from None
            before = found[-1]["before"]
        return name, found[::-1]

    def add(self, entry: LogEntry, before: str, change: dict[str, Any], files: Iterable[str]) -> None:
        """Write an entry: what changed since the one ``before``, if any. ``files`` are those that are still known."""
        with created(self._path(entry, entry.entry)) as stream:
            stream.write(json.dumps({"before": before, **change}, separators=(",", ":")).encode())
        if entry.sums_up:
            with suppress(OSError):  # what could not be removed is another time
                self._clear(entry, files)

    def notes(self, entry: LogEntry) -> str:
        """The folder of the notes for a stream."""
        return self._path(entry, "notes")

    def kept(self, entry: LogEntry) -> str:
        """The file for how conversations went on up to an entry."""
        return self._path(entry, f"{_CONVERSATIONS}{entry.entry}")

    def _path(self, entry: LogEntry, name: str) -> str:
        return f"{self.folder}/{entry.log}/{name}"

    def _clear(self, entry: LogEntry, files: Iterable[str]) -> None:
        """Remove entries that Spark cannot request any more, and at times the notes on files that are forgotten.

        Of the complete ones, the last old one is still needed.
        """
        names = [file.path.removeprefix(self._path(entry, "")) for file in listed([f"{self.folder}/{entry.log}"])]
        numbers = {name: int(name.partition("-")[0]) for name in names if _NAME.fullmatch(name)}
        oldest = (entry.number - _KEPT) // _SUMS_UP * _SUMS_UP
        base = max((at for name, at in numbers.items() if at <= oldest and name.endswith(_ALL)), default=0)
        old = [name for name, at in numbers.items() if at < base or (at < oldest and not name.endswith(_ALL))]
        kept, recent = [name for name in names if name.startswith(_CONVERSATIONS)], entry.number - _SUMS_UP
        old += [name for name in kept if LogEntry(entry.log, name.removeprefix(_CONVERSATIONS)).number < recent]
        notes = {name for name in names if name.startswith("notes/")}
        if notes and entry.entry.endswith(_ALL):
            old += notes.difference(_note("notes", path) for path in files)
        for name in old:
            removed(self._path(entry, name))


def note(notes: str, path: str, likeness: str, reach: Reach) -> None:
    """Remember how far a file is settled by bytes of this ``likeness``."""
    lost = reach.lost and [reach.lost.code, reach.lost.detail, reach.lost.offset, reach.lost.field]
    told = {"likeness": likeness, "position": reach.position, "order": reach.order, "lost": lost}
    with replacing(_note(notes, path)) as stream:
        stream.write(json.dumps(told).encode())


def noted(notes: str, path: str, likeness: str, size: int) -> Reach:
    """How far a file is settled by ``size`` bytes of this ``likeness``, if that was noted, or else nothing."""
    told: object = None
    with suppress(OSError, ValueError, RecursionError), opened(_note(notes, path)) as stream:
        told = json.load(stream)
    match told:
        case {"likeness": str(of), "position": int(position), "order": True | False | None as order, "lost": lost}:
            if of == likeness and 0 <= position <= size:
                match lost:
                    case None:
                        return Reach(position, order)
                    case [str(code), str(detail), int(offset), str(field)]:
                        return Reach(position, order, DecodeError(code, detail, offset, field))
    return Reach()


def _note(notes: str, path: str) -> str:
    return f"{notes}/{blake2b(path.encode(errors='surrogateescape'), digest_size=16).hexdigest()}"
