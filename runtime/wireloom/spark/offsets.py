"""The offsets of a streaming query, which Spark writes to a checkpoint: how much was read of which files.

An offset is JSON. It has everything, ``{"version": 2, "horizon": …, "folders": {folder: {name: taken}}}``, or names
an entry of the query's log that has it: ``{"version": 2, "log": …, "entry": …}``.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from wireloom.files import CaptureFile
from wireloom.options import OptionError
from wireloom.spark.log import Log, LogEntry

VERSION = 2
FIRST: Mapping[str, Any] = {"version": VERSION, "horizon": 0, "folders": {}}
"""The offset before anything is taken."""
_MUCH = 1 / 4
"""An entry of a log is complete if more than this part of the state changed."""


@dataclass(frozen=True, slots=True)
class TakenFile:
    """How much was taken of a file: its first ``end`` bytes, which have this ``likeness``. No more is taken if
    ``final``.

    ``size`` and ``modified`` are those of the file at that time.
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
class Advance:
    """What happened: files are ``gone``, and then more was ``taken``, by path.

    Files that changed before the ``horizon`` may be forgotten, and are not taken again.
    """

    taken: Mapping[str, TakenFile] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    horizon: int = 0

    def then(self, change: "Advance") -> "Advance":
        """This and then another one as one."""
        taken = dict(self.taken)
        for path in change.gone:
            taken.pop(path, None)
        taken.update(change.taken)
        return Advance(taken, self.gone | change.gone, change.horizon)

    def __len__(self) -> int:
        return len(self.taken) + len(self.gone)

    def json(self) -> dict[str, Any]:
        """This as an offset or an entry of a log has it."""
        folders: dict[str, dict[str, Any]] = {}
        for path, each in self.taken.items():
            folder, _, name = path.rpartition("/")
            folders.setdefault(folder, {})[name] = [each.end, each.size, each.modified, each.likeness, int(each.final)]
        return {"horizon": self.horizon, "folders": folders} | ({"gone": sorted(self.gone)} if self.gone else {})

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "Advance":
        """The change that ``json`` describes."""
        taken = {
            f"{folder}/{name}": TakenFile(end, size, modified, likeness, bool(final))
            for folder, files in told["folders"].items()
            for name, (end, size, modified, likeness, final) in files.items()
        }
        return cls(taken, frozenset(told.get("gone", ())), told["horizon"])


@dataclass(frozen=True, slots=True)
class State:
    """The files taken so far, by path; ``Advance`` explains the horizon."""

    files: Mapping[str, TakenFile]
    horizon: int = 0

    def after(self, change: Advance) -> "State":
        """This after a change."""
        everything = Advance(self.files).then(change)
        return State(everything.taken, everything.horizon)

    def since(self, before: "State") -> Iterator[tuple[str, TakenFile | None, TakenFile]]:
        """Each file of which something was taken since, with its state before, if any, and now."""
        for path, taken in self.files.items():
            was = before.files.get(path)
            if was is not taken and was != taken:
                # A final file was removed when it had been read; this is another one of that name.
                yield path, None if was is None or was.final else was, taken


@dataclass(frozen=True, slots=True)
class _Known:
    """What an offset says: all in all, and what changed since the entry ``base`` of the log, which had everything."""

    offset: dict[str, Any]
    state: State
    base: str = ""
    since: Advance = Advance()


class StreamOffsets:
    """The offsets of a query, perhaps with a ``log``. What the last two say is kept in memory."""

    def __init__(self, log: Log | None) -> None:
        self.log = log
        self.known: list[_Known] = []

    def state(self, offset: dict[str, Any]) -> State:
        """The state at an offset. Raises ``OptionError`` if it cannot be read."""
        return self._known(offset).state

    def _known(self, offset: dict[str, Any]) -> _Known:
        found = next((known for known in self.known if known.offset == offset), None)
        return self._keep(self._read(offset)) if found is None else found

    def _read(self, offset: dict[str, Any]) -> _Known:
        if offset.get("version") != VERSION:
            raise OptionError(f"the checkpoint has offsets of version {offset.get('version')}, not {VERSION}")
        entry = LogEntry.of(offset)
        if entry is None:
            return _Known(offset, State({}).after(Advance.of(offset)))
        if self.log is None:
            raise OptionError(f"the checkpoint needs the log {entry.log}; set logLocation as when the query started")
        base, (everything, *changes) = self.log.read(entry)
        since = Advance()
        for change in changes:
            since = since.then(Advance.of(change))
        state = State({}).after(Advance.of(everything))
        return _Known(offset, state.after(since) if changes else state, base, since)

    def next(
        self, offset: dict[str, Any], taken: Mapping[str, TakenFile], gone: Collection[str], horizon: int
    ) -> dict[str, Any]:
        """The offset after files are ``gone`` and more was ``taken``. Its entry is in the log."""
        known, change = self._known(offset), Advance(taken, frozenset(gone), horizon)
        state, since = known.state.after(change), known.since.then(change)
        everything = Advance(state.files, horizon=horizon)
        if self.log is None:
            return self._keep(_Known({"version": VERSION, **everything.json()}, state)).offset
        last = LogEntry.of(offset)
        entry = LogEntry.after(last)
        base, before, told = known.base, "", change
        if last is None or (entry.sums_up and len(since) > _MUCH * len(state.files)):
            entry = entry.with_all()
            base, since, told = entry.entry, Advance(), everything
        elif entry.sums_up:
            before, told = base, since
        else:
            before = last.entry
        self.log.add(entry, before, told.json(), state.files)
        return self._keep(_Known({"version": VERSION, **entry.json()}, state, base, since)).offset

    def notes(self, offset: dict[str, Any]) -> str | None:
        """Where tasks leave notes, if the query has a log."""
        entry = LogEntry.of(offset)
        return None if self.log is None or entry is None else self.log.notes(entry)

    def kept(self, offset: dict[str, Any]) -> str | None:
        """Where a task keeps how conversations went on up to an offset, if the query has a log."""
        entry = LogEntry.of(offset)
        return None if self.log is None or entry is None else self.log.kept(entry)

    def _keep(self, known: _Known) -> _Known:
        self.known = [*self.known[-1:], known]
        return known
