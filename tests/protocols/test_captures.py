"""The sample captures: made again they are the same, and they hold what a demonstration needs."""

import sys
from pathlib import Path

import pytest
from support.paths import ROOT

from wireloom_protocols import couchbase_dcp, databus, memcached

EXAMPLES = ROOT / "examples"
CAPTURES = sorted(path.relative_to(EXAMPLES / "captures") for path in (EXAMPLES / "captures").rglob("*.*"))
PROTOCOLS = {"couchbase_dcp": couchbase_dcp, "databus": databus, "memcached": memcached}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The captures, made afresh."""
    sys.path.insert(0, str(EXAMPLES))
    try:
        from make_captures import make
    finally:
        sys.path.pop(0)
    folder = tmp_path_factory.mktemp("captures")
    make(folder)
    return folder


def test_the_same_files_are_made(made: Path) -> None:
    assert sorted(path.relative_to(made) for path in made.rglob("*.*")) == CAPTURES


@pytest.mark.parametrize("path", CAPTURES, ids=str)
def test_the_same_bytes_are_made(made: Path, path: Path) -> None:
    assert (made / path).read_bytes() == (EXAMPLES / "captures" / path).read_bytes()


@pytest.mark.parametrize("path", [path for path in CAPTURES if path.suffix == ".bin"], ids=str)
def test_every_byte_comes_back(path: Path) -> None:
    data = (EXAMPLES / "captures" / path).read_bytes()
    protocol = PROTOCOLS[path.parts[0]]
    assert b"".join(map(protocol.build, protocol.iter_records(data, "PERMISSIVE"))) == data


@pytest.mark.parametrize("name", PROTOCOLS)
def test_every_message_and_something_malformed_is_among_them(name: str) -> None:
    protocol = PROTOCOLS[name]
    found = {
        row["message"]
        for path in CAPTURES
        if path.parts[0] == name
        for row in protocol.iter_records((EXAMPLES / "captures" / path).read_bytes(), "PERMISSIVE")
    }
    assert found == {*protocol.messages, None}
