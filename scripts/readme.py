"""The README as an index shows it: without pictures of the checkout, and with the text of links that lead into it."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"<p>\n<picture>.*?</p>\n\n", re.DOTALL)
_INTO_THE_CHECKOUT = re.compile(r"\[([^\]\n]+)\]\((?![a-z]+:)[^)\s]+\)")


class Readme(MetadataHookInterface):
    """What hatchling asks for metadata that is not in pyproject.toml."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Say the readme."""
        text = _PICTURE.sub("", Path(self.root, "README.md").read_text(encoding="utf-8"))
        metadata["readme"] = {"content-type": "text/markdown", "text": _INTO_THE_CHECKOUT.sub(r"\1", text)}
