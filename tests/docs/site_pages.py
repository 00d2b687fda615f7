"""What the tags of a site's pages say, and where they lead."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True)
class Page:
    """The ids of a page, and what it refers to."""

    ids: list[str]
    references: list[str]
    loaded: list[str]


_TAG = re.compile(r"""<([a-zA-Z][\w-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>""")
_ATTRIBUTE = re.compile(r"""\s(id|href|src)=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")


def page_of(text: str) -> Page:
    """What the tags of a page say; in text, ``<`` is escaped."""
    page = Page([], [], [])
    for tag, attributes in _TAG.findall(text):
        if "=" not in attributes:
            continue
        found = {name: unescape("".join(values)) for name, *values in _ATTRIBUTE.findall(attributes) if any(values)}
        if "id" in found:
            page.ids.append(found["id"])
        if tag == "a" and "href" in found:
            page.references.append(found["href"])
        elif "src" in found or (tag == "link" and "href" in found):
            page.loaded.append(found.get("src") or found["href"])
    return page


def pages_of(site: Path) -> dict[Path, Page]:
    """Every page of a site."""
    return {path: page_of(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def broken(pages: Mapping[Path, Page]) -> list[str]:
    """The links that lead to no place on a page."""
    found = []
    ids = {path: set(page.ids) for path, page in pages.items()}
    for path, page in pages.items():
        for reference in set(page.references):
            if urlsplit(reference).scheme in ("http", "https"):
                continue
            target, fragment = _here(path, reference)
            if target not in pages or (fragment and fragment not in ids[target]):
                found.append(f"{path.name}: {reference}")
    return found


def loaded_from_elsewhere(pages: Mapping[Path, Page]) -> list[str]:
    """What pages load that is not a file of the site; some pages must load something."""
    loaded = {(path, reference) for path, page in pages.items() for reference in page.loaded}
    assert loaded
    return [reference for path, reference in loaded if not _here(path, reference)[0].is_file()]


@cache
def _file(folder: Path, path: str) -> Path:
    return (folder / unquote(path)).resolve()


def _here(path: Path, reference: str) -> tuple[Path, str]:
    """The file that a reference names, and the fragment."""
    parts = urlsplit(reference)
    return (_file(path.parent, parts.path) if parts.path else path), unquote(parts.fragment)
