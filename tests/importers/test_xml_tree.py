"""XML of strangers: elements, their texts and places."""

from pathlib import Path

import pytest

from wireloom_generator.problems import SourceError
from wireloom_generator.xml_tree import parsed

TEXT = """\
<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- of somebody else -->
<a xmlns="urn:a" xmlns:b="urn:b">
  one &lt;<b:c d=" x " b:e="y"/><!-- no --> two
  <![CDATA[<three>]]>
  <c/><f/>
</a>
"""


def test_elements_have_names_texts_and_places() -> None:
    top = parsed(Path("a.xml"), TEXT)
    assert (top.name, top.text, str(top.at)) == ("a", "one < two <three>", "a.xml:3:1")
    assert [(each.name, str(each.at)) for each in top.all("c", "f")] == [
        ("c", "a.xml:4:11"), ("c", "a.xml:6:3"), ("f", "a.xml:6:7"),
    ]  # fmt: skip
    first = top.first("c")
    assert first is not None
    assert (first.get("d"), first.get("e"), first.get("none"), first.needed("d")) == ("x", "y", "", "x")
    with pytest.raises(SourceError, match=r"^a\.xml:4:11: <c> has no f$"):
        first.needed("f")
    assert top.first("d") is None


def test_entities_are_not_declared(tmp_path: Path) -> None:
    """Neither such as grow, nor such as are fetched, nor those of a document type elsewhere."""
    secret = tmp_path / "secret"
    secret.write_text("told")
    for declared in (
        '[<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]',
        f'[<!ENTITY b SYSTEM "{secret.as_uri()}">]',
        f'SYSTEM "{secret.as_uri()}"',
        f'[<!ENTITY % b SYSTEM "{secret.as_uri()}"> %b;]',
    ):
        with pytest.raises(SourceError, match="a document type, which may declare entities, is not read"):
            parsed(Path("a.xml"), f"<!DOCTYPE a {declared}><a>&b;</a>")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "1:1: not XML: no element found"),
        ("<a>", "1:4: not XML: no element found"),
        ("<a></b>", "1:6: not XML: mismatched tag"),
        ("<a/><a/>", "1:5: not XML: junk after document element"),
        ("<a b='1' b='2'/>", "1:10: not XML: duplicate attribute"),
        ("<a>\0</a>", "1:4: not XML: not well-formed (invalid token)"),
        ("<a>\ud800</a>", "1:1: not XML: half a character"),
    ],
)
def test_what_is_not_xml_is_refused(text: str, told: str) -> None:
    with pytest.raises(SourceError) as error:
        parsed(Path("a.xml"), text)
    assert str(error.value) == f"a.xml:{told}"
