"""The server as an editor uses it: a process that speaks the Language Server Protocol."""

from typing import Any

import pytest
from support.language_client import LanguageClient, language_client

from language_server.opened import CURSOR, Opened

pytestmark = pytest.mark.program
READING, LIBRARY = "station/reading.yaml", "shared/library.yaml"
OPTIONS = {"tabSize": 2, "insertSpaces": True}


def at(opened: Opened, name: str, around: str) -> dict[str, Any]:
    path, line, column = opened.cursor(name, around)
    return {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": column}}


def document(opened: Opened, name: str) -> dict[str, Any]:
    return {"textDocument": {"uri": opened.path(name).as_uri()}}


def test_a_spec_is_written_with_an_editor(opened: Opened) -> None:
    path, good = opened.path(READING), opened.text(READING)
    with language_client(opened.root) as client:
        client.open(path, good.replace("type: Point", "type: Poimt").replace("Which room", "𝄞 Which room"))
        (told,) = (each for each in client.diagnostics(path) if each["code"] == "known-type")
        assert told["message"] == "unknown type 'Poimt'; did you mean 'Point'?"
        assert told["range"] == {"start": {"line": 6, "character": 27}, "end": {"line": 6, "character": 32}}
        assert told["codeDescription"]["href"].endswith("/pages/known-type.md")
        where = {**document(opened, READING), "range": told["range"], "context": {"diagnostics": [told]}}
        fix = client.request("textDocument/codeAction", **where)[0]
        assert (fix["title"], fix["kind"]) == ("Write Point", "quickfix")
        assert [edit["newText"] for edit in fix["edit"]["changes"][path.as_uri()]] == ["Point"]
        client.change(path, good)
        assert client.diagnostics(path) == []

        names(opened, client)
        completion(opened, client, good)
        formatting(opened, client, good)
        client.notify("textDocument/didClose", **document(opened, READING))


def names(opened: Opened, client: LanguageClient) -> None:
    hover = client.request("textDocument/hover", **at(opened, READING, f"name: pla{CURSOR}ce"))
    assert "Which room it is." in hover["contents"]["value"]
    (declared,) = client.request("textDocument/definition", **at(opened, READING, f"type: Po{CURSOR}int"))
    assert declared["uri"] == opened.path(LIBRARY).as_uri()
    context = {"includeDeclaration": True}
    used = client.request("textDocument/references", **at(opened, READING, f"type: Po{CURSOR}int"), context=context)
    assert len(used) == 2
    renaming = at(opened, READING, f"type: Po{CURSOR}int")
    assert client.request("textDocument/prepareRename", **renaming)["start"]["character"] == 27
    changes = client.request("textDocument/rename", **renaming, newName="Spot")["changes"]
    assert {uri: [edit["newText"] for edit in edits] for uri, edits in changes.items()} == {
        opened.path(name).as_uri(): ["Spot"] for name in (READING, LIBRARY)
    }
    with pytest.raises(RuntimeError, match="a type is written in CamelCase, not 'spot'"):
        client.request("textDocument/rename", **renaming, newName="spot")
    (message,) = client.request("textDocument/documentSymbol", **document(opened, READING))
    assert (message["name"], [each["name"] for each in message["children"]][:2]) == (
        "reading",
        ["place", "points_count"],
    )


def completion(opened: Opened, client: LanguageClient, good: str) -> None:
    path = opened.path(READING)
    client.change(path, good.replace("unit: rooms", "unit: rooms, wh"))
    found = client.request("textDocument/completion", **_moved(at(opened, READING, f"unit: rooms{CURSOR}"), 4))
    (when,) = (item for item in found["items"] if item["label"] == "when")
    assert when["textEdit"]["newText"] == "when: "
    assert when["textEdit"]["range"]["start"]["character"] == 43
    client.change(path, good)


def formatting(opened: Opened, client: LanguageClient, good: str) -> None:
    path = opened.path(READING)
    client.change(path, good.replace("unit: rooms", "unit:   'rooms'"))
    (edit,) = client.request("textDocument/formatting", **document(opened, READING), options=OPTIONS)
    client.change(path, edit["newText"])
    assert client.request("textDocument/formatting", **document(opened, READING), options=OPTIONS) is None


def _moved(place: dict[str, Any], by: int) -> dict[str, Any]:
    return {**place, "position": {**place["position"], "character": place["position"]["character"] + by}}


def test_files_that_are_no_specs_are_left_alone(opened: Opened) -> None:
    path = opened.root / "other" / "compose.yaml"
    with language_client(opened.root) as client:
        client.open(path, "services: {}\n")
        assert client.request("textDocument/formatting", textDocument={"uri": path.as_uri()}, options=OPTIONS) is None
        assert client.request("textDocument/documentSymbol", textDocument={"uri": path.as_uri()}) == []
    assert client.told == []
