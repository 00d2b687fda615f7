"""The pages that people read, and their blocks of code."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", *sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md")))
ELSEWHERE = "# elsewhere\n"
"""How a block of Python begins that needs what tests cannot have."""


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, languages: str) -> list[tuple[str, str]]:
    """Language and code of the blocks whose language matches, in order."""
    return re.findall(rf"^```({languages})\n(.*?)^```", text(page), re.MULTILINE | re.DOTALL)
