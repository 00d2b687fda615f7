"""What a streaming query has taken of which files: the offsets that Spark writes to a checkpoint.

An offset is JSON. It has all that is known, ``{"version": 2, "horizon": …, "folders": {folder: {name: taken}}}``, or
names an entry of the query's log that has it: ``{"version": 2, "log": …, "entry": …}``.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from wireloom.files import CaptureFile
from wireloom.options import OptionError
from wireloom.spark.log import Entry, Log

VERSION = 2
FIRST: Mapping[str, Any] = {"version": VERSION, "horizon": 0, "folders": {}}
"""The offset before anything is taken."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What was taken of a file: its first ``end`` bytes, which have this ``likeness``. No more is taken if ``final``.

    ``size`` and ``modified`` are what the file had at that time.
    """

    end: int
    size: int
    modified: int
    likeness: str
    final: bool = False

    def unlike(self, file: CaptureFile) -> bool:
        """Whether a file has another size or time."""
        return (self.size, self.modified) != (file.size, file.modified)


@dataclass(frozen=True, slots=True)
class State:
    """What was taken, by path. Files that changed before the ``horizon`` may be forgotten, and are not taken again."""

    files: Mapping[str, Taken]
    horizon: int = 0

    def after(self, taken: Mapping[str, Taken], gone: Collection[str], horizon: int) -> "State":
        """This without what is ``gone``, and then with what is ``taken``."""
        files = dict(self.files)
        for path in gone:
            files.pop(path, None)
        files.update(taken)
        return State(files, horizon)

    def since(self, before: "State") -> Iterator[tuple[str, Taken | None, Taken]]:
        """Each file of which something was taken since: what was taken of it before, if anything, and now."""
        for path, taken in self.files.items():
            was = before.files.get(path)
            if was is not taken and was != taken:
                # A final file was removed when it had been read; this is another one of that name.
                yield path, None if was is None or was.final else was, taken


class Offsets:
    """The offsets of a query, perhaps with a ``log``. What the last two say is kept in memory."""

    def __init__(self, log: Log | None) -> None:
        self.log = log
        self.known: list[tuple[dict[str, Any], State]] = []

    def state(self, offset: dict[str, Any]) -> State:
        """What was taken up to an offset. Raises ``OptionError`` if that cannot be told."""
        found = next((state for known, state in self.known if known == offset), None)
        return self._keep(offset, self._read(offset)) if found is None else found

    def _read(self, offset: dict[str, Any]) -> State:
        if offset.get("version") != VERSION:
            raise OptionError(f"the checkpoint has offsets of version {offset.get('version')}, not {VERSION}")
        entry = Entry.of(offset)
        if entry is None:
            return State({}).after(*_read(offset))
        if self.log is None:
            raise OptionError(f"the checkpoint needs the log {entry.log}: give logLocation as when the query began")
        state = State({})
        for change in self.log.read(entry):
            state = state.after(*_read(change))
        return state

    def next(
        self, offset: dict[str, Any], taken: Mapping[str, Taken], gone: Collection[str], horizon: int
    ) -> dict[str, Any]:
        """The offset after more was ``taken``, and without files that are ``gone``. Its entry is in the log."""
        state = self.state(offset).after(taken, gone, horizon)
        if self.log is None:
            told = _as_json(state.files, (), horizon)
        else:
            last = Entry.of(offset)
            files, left_out = (state.files, ()) if self.log.begins_anew(last) else (taken, gone)
            told = self.log.add(last, _as_json(files, left_out, horizon), state.files).json()
        self._keep(found := {"version": VERSION, **told}, state)
        return found

    def notes(self, offset: dict[str, Any]) -> str | None:
        """Where tasks leave notes, if the query has a log."""
        entry = Entry.of(offset)
        return None if self.log is None or entry is None else self.log.notes(entry)

    def _keep(self, offset: dict[str, Any], state: State) -> State:
        self.known = [*self.known[-1:], (offset, state)]
        return state


def _as_json(taken: Mapping[str, Taken], gone: Collection[str], horizon: int) -> dict[str, Any]:
    folders: dict[str, dict[str, Any]] = {}
    for path, each in taken.items():
        folder, _, name = path.rpartition("/")
        folders.setdefault(folder, {})[name] = [each.end, each.size, each.modified, each.likeness, int(each.final)]
    return {"horizon": horizon, "folders": folders} | ({"gone": sorted(gone)} if gone else {})


def _read(told: Mapping[str, Any]) -> tuple[dict[str, Taken], list[str], int]:
    taken = {
        f"{folder}/{name}": Taken(end, size, modified, likeness, bool(final))
        for folder, files in told["folders"].items()
        for name, (end, size, modified, likeness, final) in files.items()
    }
    return taken, told.get("gone", []), told["horizon"]
