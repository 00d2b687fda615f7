"""The configurations of editors: they can be read, and start a command that there is."""

import json
import tomllib

from support.pages import blocks

from wireloom.cli import _COMMANDS

PAGE = "docs/editors.md"


def test_visual_studio_code_starts_the_server() -> None:
    ((_, text),) = blocks(PAGE, "json")
    settings = json.loads(text)
    assert settings["glspc.server.command"] == "wireloom"
    assert set(settings["glspc.server.commandArguments"]) <= set(_COMMANDS)
    assert settings["glspc.server.languageId"] == ["yaml"]


def test_helix_starts_the_server() -> None:
    ((_, text),) = blocks(PAGE, "toml")
    server = tomllib.loads(text)["language-server"]["wireloom"]
    assert (server["command"], server["args"]) == ("wireloom", ["lsp"])


def test_neovim_starts_the_server() -> None:
    ((_, text),) = blocks(PAGE, "lua")
    assert 'cmd = { "wireloom", "lsp" }' in text
    assert text.count("(") == text.count(")")
    assert text.count("{") == text.count("}")
