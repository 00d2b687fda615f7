"""The decision records have one form, and their index names each of them, and each number that is not used."""

import re
from pathlib import Path

import pytest
from support.paths import ROOT

FOLDER = ROOT / "docs" / "decisions"
INDEX = (FOLDER / "README.md").read_text(encoding="utf-8")
RECORDS = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
MOST_LINES = 60


def test_the_index_has_a_row_for_each_record_and_each_gap() -> None:
    rows = re.findall(r"^\| (?:\[(\d{4})\]\((\S+)\)|(\d{4})) \| (.*) \|$", INDEX, re.MULTILINE)
    assert [int(number or unused) for number, _, unused, _ in rows] == list(range(1, len(rows) + 1))
    listed = {name: cells for number, name, _, cells in rows if number}
    assert sorted(listed) == [path.name for path in RECORDS]
    for path in RECORDS:
        title, decision, status = listed[path.name].split(" | ")
        text = path.read_text(encoding="utf-8")
        assert text.startswith(f"# {path.name[:4]}: {title}\n\nStatus: {status}.\n")
        assert decision.endswith(".")
    assert all("never used" in cells for _, _, unused, cells in rows if unused)


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.name[:4])
def test_a_record_has_context_decision_and_consequences_on_one_page(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Context", "Decision", "Consequences"]
    assert text.count("\n") <= MOST_LINES


@pytest.mark.parametrize("path", [FOLDER / "README.md", *RECORDS], ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not (FOLDER / link).exists()] == []


def test_a_superseded_record_names_the_one_that_superseded_it() -> None:
    for path in RECORDS:
        found = re.search(r"^Status: superseded by \[(\d{4})\]", path.read_text(encoding="utf-8"), re.MULTILINE)
        if found:
            (later,) = FOLDER.glob(f"{found[1]}-*.md")
            assert f"supersedes [{path.name[:4]}]" in later.read_text(encoding="utf-8")
