"""The files of specs that are edited: their drafts, and how they are saved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from wireloom_generator import naming, on_disk
from wireloom_generator.reading import spec


class ChangedError(Exception):
    """A file was changed on disk after it was read; ``args`` are the sentence that says so."""


class NoNewFileError(Exception):
    """A file cannot be begun; ``args`` are the sentence that says why."""


class UnreadableError(Exception):
    """A file of the specs cannot be shown as text; ``args`` are the sentence that says so."""


@dataclass(slots=True)
class Draft:
    """The text of a file as it is edited, and what is ``saved``: None if the file does not exist yet.

    Lines end as in the file: with ``ends``.
    """

    text: str
    saved: str | None
    ends: str = "\n"

    @property
    def is_saved(self) -> bool:
        return self.text == self.saved


class SpecDrafts:
    """The files of specs, by their paths. Nothing else is read as a spec to edit, and nothing else is written.

    ``paths`` are specs or folders of such; ``new`` are texts of files that do not exist yet. Raises
    ``UnreadableError``.
    """

    def __init__(self, paths: Sequence[Path], new: Mapping[Path, str] = MappingProxyType({})) -> None:
        folders = sorted(spec.folders_of(paths))
        self.drafts = {path: _read(path) for folder in folders for path in spec.files_of(folder) if path.is_file()}
        self.drafts |= {path: Draft(text, None) for path, text in new.items()}

    @property
    def files(self) -> list[Path]:
        """The files: protocols first, with their messages behind them."""
        return sorted(self.drafts, key=lambda path: (spec.home(path.parent), path.name != "protocol.yaml", path))

    @property
    def texts(self) -> dict[Path, str]:
        """The texts of all files, for the compiler."""
        return {path: draft.text for path, draft in self.drafts.items()}

    @property
    def unsaved(self) -> list[Path]:
        return [path for path in self.files if not self.drafts[path].is_saved]

    def folder(self, path: Path) -> Path:
        """The folder of the protocol or library that a file belongs to."""
        return spec.home(path.parent)

    def edit(self, path: Path, text: str) -> None:
        """Take a text as the draft of a file."""
        self.drafts[path].text = text

    def add_message(self, folder: Path, name: str) -> Path:
        """Begin the file of a message in the folder of a protocol. Raises ``NoNewFileError``."""
        if (fault := naming.column_fault(name)) is not None:
            raise NoNewFileError(f"{fault[0]}; {fault[1]}")
        path = folder / f"{name}.yaml"
        if path in self.drafts or path.exists():
            raise NoNewFileError(f"there is a file {path.name} already")
        self.drafts[path] = Draft(_MESSAGE.format(name=name), None)
        return path

    def save(self, path: Path, *, over: bool = False) -> None:
        """Write the draft of a file, whole or not at all.

        Raises ``ChangedError`` if the file is not as it was read, unless it is to be written ``over``; ``OSError``.
        """
        draft = self.drafts[path]
        if not over and (change := _change(path, draft)):
            raise ChangedError(f"{path} {change} since it was read; your text was not written")
        on_disk.put({path: draft.text.replace("\n", draft.ends)})
        draft.saved = draft.text

    def reload(self, path: Path) -> str:
        """Drop the draft of a file for what is on disk, and return that. Raises ``UnreadableError`` and ``OSError``."""
        self.drafts[path] = _read(path)
        return self.drafts[path].text


_MESSAGE = """\
message: {name}
# Which records it describes: fields of the header, and their values, such as {{kind: 1}}.
match: {{}}
sections: {{}}
"""


def _change(path: Path, draft: Draft) -> str:
    """What happened to a file on disk; nothing if it is as it was read, or as the draft has it."""
    if not path.exists():
        return "" if draft.saved is None else "was removed"
    try:
        found = _read(path).text
    except UnreadableError:
        return "was changed"
    if found in (draft.saved, draft.text):
        return ""
    return "was created" if draft.saved is None else "was changed"


def _read(path: Path) -> Draft:
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise UnreadableError(f"{path} is not text in UTF-8: {error.reason} at byte {error.start}") from None
    ends = "\r\n" if "\r\n" in text else "\n"
    shown = text.replace("\r\n", "\n").replace("\r", "\n")
    return Draft(shown, shown, ends)
