"""How much of each file a streaming query has consumed: the offsets that Spark writes to a checkpoint.

An offset is JSON, ``{"version": 1, "folders": {folder: {name: consumed}}}``. ``consumed`` is a position in the stored
bytes. If no record can follow any more, it is an object with the position and the error that says why.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from wireloom.codec import DecodeError
from wireloom.options import OptionError

VERSION = 1


@dataclass(frozen=True, slots=True)
class Lost:
    """Why all bytes of a file from byte ``since`` on are malformed, future ones included; see ``DecodeError``."""

    since: int
    code: str
    detail: str
    offset: int
    field: str

    @classmethod
    def of(cls, since: int, error: DecodeError) -> "Lost":
        """Lost from a position on, with the reason of an error."""
        return cls(since, error.code, error.detail, error.offset, error.field)

    @property
    def error(self) -> DecodeError:
        """The error for every row of that range."""
        return DecodeError(self.code, self.detail, self.offset, self.field)


@dataclass(frozen=True, slots=True)
class Consumed:
    """How far a file is consumed: up to the beginning of a record, or up to any byte if the file is ``lost``."""

    position: int = 0
    lost: Lost | None = None


@dataclass(frozen=True, slots=True)
class Offset:
    """How far each file is consumed, by path. The order is that of the JSON; new files do not change it."""

    files: Mapping[str, Consumed]

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "Offset":
        """The offset in ``json``. Raises ``OptionError`` for another kind of offset."""
        if told.get("version") != VERSION:
            raise OptionError(f"the checkpoint has offsets of version {told.get('version')}, not {VERSION}")
        folders = told["folders"].items()
        return cls({f"{folder}/{name}": _read(entry) for folder, files in folders for name, entry in files.items()})

    def json(self) -> dict[str, Any]:
        """This offset as Spark keeps it."""
        folders: dict[str, dict[str, Any]] = {}
        for path, consumed in self.files.items():
            folder, _, name = path.rpartition("/")
            folders.setdefault(folder, {})[name] = _as_json(consumed)
        return {"version": VERSION, "folders": folders}

    def of_file(self, path: str) -> Consumed:
        """How far a file is consumed, perhaps not at all."""
        return self.files.get(path, _NOTHING)

    def advanced(self, taken: Mapping[str, Consumed], gone: Iterable[str]) -> "Offset":
        """This offset after more is ``taken`` of some files, and without the files that are ``gone``."""
        left_out = set(gone)
        return Offset({path: consumed for path, consumed in {**self.files, **taken}.items() if path not in left_out})


_NOTHING = Consumed()


def _as_json(consumed: Consumed) -> int | dict[str, Any]:
    lost = consumed.lost
    if lost is None:
        return consumed.position
    why = {"code": lost.code, "detail": lost.detail, "offset": lost.offset, "field": lost.field}
    return {"position": consumed.position, "since": lost.since, **why}


def _read(entry: int | dict[str, Any]) -> Consumed:
    if isinstance(entry, int):
        return Consumed(entry)
    why = {name: value for name, value in entry.items() if name != "position"}
    return Consumed(entry["position"], Lost(**why))
