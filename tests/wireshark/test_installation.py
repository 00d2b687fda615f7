"""Dissectors as Wireshark loads them: from its plugin folder with wireloom.lua, without it, and as one file."""

import os
import subprocess
from pathlib import Path

import pytest
from support.paths import ROOT
from support.tshark import dissected, program, udp

from wireloom_generator.generate import generate
from wireshark.dissectors import OWN, compared, protocol_in, rows_of, sound, tables

pytestmark = pytest.mark.wireshark

GENERATED = ROOT / "generated" / "wireshark"
PLUGINS = Path(".local", "lib", "wireshark", "plugins")


def copied(home: Path, *names: str) -> Path:
    """The plugin folder of a home, with these files in it; another name for a copy comes after ``=``."""
    folder = home / PLUGINS
    folder.mkdir(parents=True)
    for name, _, other in (name.partition("=") for name in names):
        (folder / (other or name)).write_bytes((GENERATED / name).read_bytes())
    return folder


def loaded(home: Path, *options: str, folder: Path | None = None) -> tuple[set[str], str]:
    """The protocols that Wireshark knows with the plugins of a home, and what it says about scripts."""
    done = subprocess.run(
        [program(), "-G", "protocols", *options],
        capture_output=True,
        check=True,
        env={**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home)},
        cwd=folder,
    )
    said = [line for line in done.stderr.decode().splitlines() if not line.startswith("Running as")]
    return {line.rpartition("\t")[2] for line in done.stdout.decode().splitlines()}, "\n".join(said)


def test_the_plugin_folder_has_all_dissectors(tmp_path: Path) -> None:
    copied(tmp_path, *(path.name for path in GENERATED.glob("*.lua")))
    protocols, said = loaded(tmp_path)
    assert said == ""
    assert {*OWN, "packets", "wireloom_pcap", "wireloom_pcapng"} <= protocols


def test_the_order_of_plugins_does_not_matter(tmp_path: Path) -> None:
    """They are loaded by their names: one before wireloom.lua, and one after it."""
    copied(tmp_path, "couchbase_dcp.lua", "wireloom.lua", "databus.lua=zebra.lua")
    protocols, said = loaded(tmp_path)
    assert said == ""
    assert {"couchbase_dcp", "databus"} <= protocols


def test_the_library_alone_changes_nothing(tmp_path: Path) -> None:
    before, _ = loaded(tmp_path)
    copied(tmp_path, "wireloom.lua")
    assert loaded(tmp_path) == (before, "")


def test_a_dissector_without_the_library_says_what_to_copy(tmp_path: Path) -> None:
    folder = copied(tmp_path, "databus.lua")
    protocols, said = loaded(tmp_path)
    _, what, cure, *_ = said.splitlines()
    assert what.startswith("databus.lua needs wireloom.lua (")
    assert cure == f"Copy wireloom.lua, which is generated beside databus.lua, into {folder}/"
    assert "databus" not in protocols


def test_a_library_of_another_version_is_refused(tmp_path: Path) -> None:
    folder = copied(tmp_path, "databus.lua", "wireloom.lua")
    library = folder / "wireloom.lua"
    text = library.read_text(encoding="utf-8")
    version = text.partition('VERSION = "')[2][:8]
    library.write_text(text.replace(f'"{version}"', '"00000000"'), encoding="utf-8")
    protocols, said = loaded(tmp_path)
    _, what, cure, *_ = said.splitlines()
    assert what == f"databus.lua needs version {version} of wireloom.lua, and finds 00000000."
    assert cure == f"Copy databus.lua and wireloom.lua from the same folder into {folder}/"
    assert "databus" not in protocols


def test_a_dissector_is_loaded_from_the_current_folder(tmp_path: Path) -> None:
    protocols, said = loaded(tmp_path, "-X", "lua_script:databus.lua", folder=GENERATED)
    assert said == ""
    assert "databus" in protocols


@pytest.mark.parametrize("name", OWN)
def test_a_bundle_is_one_file_that_shows_the_same(name: str, tmp_path: Path) -> None:
    assert not generate([ROOT / "specs" / name], tmp_path, write=True, emit=["wireshark_bundle"]).problems
    script = tmp_path / "alone.lua"
    (tmp_path / "wireshark_bundle" / f"{name}.lua").rename(script)
    records = sound(name)[:20]
    found = dissected(udp(records), {name: script}, tmp_path)
    rows = [row for record in records for row in rows_of(OWN[name], record)]
    assert compared(rows, found, OWN[name], tables(protocol_in(name))) == []
