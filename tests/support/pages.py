"""The pages that people read, and their blocks of code."""

from __future__ import annotations

import re

from support.paths import ROOT

PAGES = ("README.md", *sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md")))
ELSEWHERE = "# elsewhere\n"
"""How a block of Python begins that needs what tests cannot have."""


RUNS = "python|python spark|sql|console"
"""The languages of blocks that are run."""
IN_GIT = """
$ git init --initial-branch main
$ git add specs my_protocols
$ git -c user.name=me -c user.email=me@localhost -c commit.gpgsign=false commit --message "A thermometer"
$ git tag v1.0
"""
"""What somebody does who has made a protocol, before its changes are compared."""


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, languages: str) -> list[tuple[str, str]]:
    """Language and code of the blocks whose language matches, in order."""
    return re.findall(rf"^```({languages})\n(.*?)^```", text(page), re.MULTILINE | re.DOTALL)


def requirements(page: str) -> list[str]:
    """What a page says before its first block that one needs: extras, or what pip is to install."""
    introduction = re.split(rf"^```(?:{RUNS})\n", text(page), maxsplit=1, flags=re.MULTILINE)[0]
    installed = re.search(r"pip install '[\w/]*wireloom(\[[\w,]+\])'([^`#]*)", introduction)
    if installed:
        return [f"wireloom{installed[1]}", *installed[2].split()]
    named = " ".join(re.findall(r"extras? ((?:`\w+`(?:, | and )?)+)", introduction))
    extras = ",".join(re.findall(r"`(\w+)`", named))
    return [f"wireloom[{extras}]"] if extras else []
