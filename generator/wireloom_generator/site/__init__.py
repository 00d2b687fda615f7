"""The documentation site of protocols, from their specs."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from wireloom_generator.emitters import Subject
from wireloom_generator.site import building, protocols
from wireloom_generator.site.building import SiteError
from wireloom_generator.site.pages import Pages

_LISTED = "wireloom-files.txt"
"""The file of a site that lists its files, which a later run may replace."""


def write(subjects: Sequence[Subject], out: Path) -> None:
    """Build the site in the folder ``out``, which changes when the site is complete.

    Replaces an earlier site. Raises ``SiteError`` if other files are there.
    """
    out = out.resolve()
    _refuse_others(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=".wireloom-", dir=out.parent) as temporary:
        folder = Path(temporary)
        contents = protocols.stage(Pages(folder / building.PAGES), subjects)
        title = protocols.name(subjects[0]) if len(subjects) == 1 else "Protocols"
        building.build(folder, title, "Binary messages, field by field", contents)
        site = folder / building.SITE
        site.joinpath(_LISTED).write_text("".join(f"{name}\n" for name in sorted(_files(site))), encoding="utf-8")
        _refuse_others(out)
        if out.exists():
            out.rename(folder / "earlier")
        site.rename(out)


def _refuse_others(out: Path) -> None:
    """Raise ``SiteError`` if the folder contains anything but an earlier site."""
    if out.exists() and not out.is_dir():
        raise SiteError(f"{out} is a file; choose another folder")
    listed = out / _LISTED
    own = {_LISTED, *(listed.read_text(encoding="utf-8").splitlines() if listed.is_file() else ())}
    others = sorted(set(_files(out)) - own)
    if others:
        raise SiteError(f"{out / others[0]} is not part of an earlier site; move it, or choose another folder")


def _files(folder: Path) -> Iterator[str]:
    """The names of everything below a folder, except folders."""
    for path in folder.rglob("*"):
        if path.is_symlink() or not path.is_dir():
            yield path.relative_to(folder).as_posix()
