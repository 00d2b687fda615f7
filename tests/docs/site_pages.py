"""What the tags of the site's pages say."""

import re
from dataclasses import dataclass
from html import unescape


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
