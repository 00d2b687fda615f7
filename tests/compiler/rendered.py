"""Markdown as GitHub and the documentation site show it, and what of it is more than usual."""

import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt


class Elements(HTMLParser):
    """The elements of a page and their attributes, and where links lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: Counter[str] = Counter()
        self.text = ""
        self.comments = 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        shown = sorted((name, value) for name, value in attrs if name in self.told(tag))
        self.found[f"{tag} {sorted(name for name, _ in attrs)} {shown}"] += 1

    @staticmethod
    def told(tag: str) -> tuple[str, ...]:
        """The attributes whose values count; the ids of headings are made of their letters."""
        return ("href", "src", "class", "style", *(() if re.fullmatch(r"h\d", tag) else ("id",)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.comments += 1


FREE = {"p", "br", "code"}
"""Paragraphs, and code between backticks, may be more."""


def foreign(found: Elements, usual: Elements) -> dict[str, int]:
    kept = {name: count for name, count in found.found.items() if name.split(" [")[0] not in FREE or "[]" not in name}
    more = {name: count - usual.found[name] for name, count in kept.items() if count > usual.found[name]}
    return more | ({"comments": found.comments} if found.comments != usual.comments else {})


def github(text: str) -> Elements:
    return Elements(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text))


def site(text: str) -> Elements:
    markdown = pytest.importorskip("markdown")
    extensions = ["attr_list", "md_in_html", "tables", "toc", "pymdownx.highlight", "pymdownx.superfences"]
    return Elements(markdown.markdown(text, extensions=[*extensions, "pymdownx.inlinehilite"]))
