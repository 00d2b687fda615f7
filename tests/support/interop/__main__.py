"""``python -m support.interop``: runs all consumers, and writes the tables of ``docs/interop.md`` or compares them.

Places may be named, such as ``Delta``; all are run otherwise. With ``--check``, differences are printed and are a
failure; other versions are only printed.
"""

from __future__ import annotations

import argparse
import difflib
import logging
import sys
import warnings

from support.interop.cases import cases
from support.interop.findings import findings
from support.interop.page import PAGE, filled, tables, titles, versions, with_versions
from support.interop.places import PLACES


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="support.interop", description="What consumers do with each Arrow type.")
    parser.add_argument("places", nargs="*", metavar="PLACE", help=f"{', '.join(PLACES)}; all, if none is named")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page says something else")
    arguments = parser.parse_args()
    if unknown := set(arguments.places) - set(PLACES):
        parser.error(f"no such place: {', '.join(sorted(unknown))}")
    warnings.simplefilter("ignore")  # of libraries about themselves
    logging.disable()
    committed = page = PAGE.read_text(encoding="utf-8")
    known = cases()
    for title in arguments.places or titles(page):
        place = PLACES[title]
        page = filled(page, title, tables(place, known, findings(place, list(known.values()))))
    if not arguments.check:
        PAGE.write_text(with_versions(page), encoding="utf-8")
        return 0
    sys.stdout.writelines(
        difflib.unified_diff(committed.splitlines(True), page.splitlines(True), "docs/interop.md", "seen", n=0)
    )
    sys.stdout.write(f"seen with {versions()}\n")
    return int(page != committed)


if __name__ == "__main__":
    raise SystemExit(main())
