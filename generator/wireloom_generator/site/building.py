"""Pages → a site: builds HTML with Zensical that needs neither a server nor a network."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import as_file, files
from pathlib import Path
from shutil import copytree

from wireloom.inspection import html

Navigation = Sequence["str | tuple[str, str | Navigation]"]
"""Pages, which have their own titles, other titles of pages, and titles with pages below them."""


def _pages(navigation: Navigation) -> Iterator[str]:
    """The pages, in order."""
    for entry in navigation:
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry[1], str):
            yield entry[1]
        else:
            yield from _pages(entry[1])


def _toml(navigation: Navigation) -> str:
    """An array of strings and tables of one key."""
    return f"[{', '.join(map(_entry, navigation))}]"


def _text(value: str) -> str:
    """A string."""
    return json.dumps(value, ensure_ascii=False)


def _entry(entry: "str | tuple[str, str | Navigation]") -> str:
    if isinstance(entry, str):
        return _text(entry)
    title, below = entry
    return f"{{{_text(title)} = {_text(below) if isinstance(below, str) else _toml(below)}}}"


PAGES = "pages"
SITE = "site"


class SiteError(Exception):
    """The site cannot be built, or not in the given folder."""


def build(folder: Path, title: str, about: str, contents: Navigation, preferred: Navigation = ()) -> None:
    """Build ``folder/site`` from ``folder/pages``, where style sheets may be among the ``assets``.

    The search ranks ``preferred`` pages above the others. Raises ``SiteError``.
    """
    assets = folder / PAGES / "assets"
    with as_file(files(__package__) / "assets") as own:
        copytree(own, assets, dirs_exist_ok=True)
    (assets / "annotated.css").write_text(html.stylesheet(), encoding="utf-8")
    (assets / "annotated.js").write_text(html.script(), encoding="utf-8")
    config = _config(title, about, contents, sorted(path.name for path in assets.glob("*.css")))
    (folder / "zensical.toml").write_text(config, encoding="utf-8")
    program = [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "--config-file", "zensical.toml"]
    done = subprocess.run(program, cwd=folder, capture_output=True, encoding="utf-8", errors="replace", check=False)
    if done.returncode:
        raise SiteError(f"zensical does not build the site:\n{done.stdout}{done.stderr}")
    (folder / SITE / "404.html").unlink(missing_ok=True)  # for servers, with links that only one could follow
    _rank(folder / SITE, contents, preferred)


def _config(title: str, about: str, contents: Navigation, styles: list[str]) -> str:
    own = f"""\
[project]
site_name = {_text(title)}
site_description = {_text(about)}
docs_dir = "{PAGES}"
site_dir = "{SITE}"
extra_css = {json.dumps([f"assets/{name}" for name in styles])}
extra_javascript = ["assets/annotated.js", "assets/diagrams.js"]
nav = {_toml(contents)}

"""
    return own + (files(__package__) / "zensical.toml").read_text(encoding="utf-8")


def _rank(site: Path, contents: Navigation, preferred: Navigation) -> None:
    """Mark ``preferred`` pages in the search index, for ``search-ranking.js``, and sort it like the navigation, which
    decides between equally good matches.
    """
    order = {page: place for place, page in enumerate(_pages(contents))}
    above = set(_pages(preferred))
    index = json.loads((site / "search.json").read_text(encoding="utf-8"))
    for item in index["items"]:
        item["preferred"] = _page(item) in above
    index["items"].sort(key=lambda item: order.get(_page(item), len(order)))
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    (site / "search.json").write_text(text, encoding="utf-8")
    (site / "search.js").write_text(f"var __index = {text};", encoding="utf-8")


def _page(item: Mapping[str, str]) -> str:
    """The page that an item of the search index is on."""
    return item["location"].partition("#")[0].removesuffix(".html") + ".md"
