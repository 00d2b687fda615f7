"""Edits to the specs of this repository, one at a time: exactly what each changes is found, and nothing else.

Of Couchbase and memcached there are the messages that are edited, and few others.
"""

import re
import shutil
from pathlib import Path

import pytest
from support.cases import each
from support.compiled import FEATURES, folders
from support.paths import ROOT
from support.small_checkout import small_specs

from compat.edits import EDITS, EVENT, MARKER
from wireloom_generator.compat.changes import Category
from wireloom_generator.compat.compare import Version, compare
from wireloom_generator.reading.spec import Spec, load
from wireloom_generator.resolve import protocol_of, resolve

SPECS = ROOT / "specs"
OURS = sorted(
    {path.parent for path in (*SPECS.rglob("protocol.yaml"), *(ROOT / "examples/protocols").rglob("protocol.yaml"))}
)
"""Where the specs of protocols are."""


def _version(folder: Path) -> Version:
    """The specs without what the rules would say of them: an edit may be wrong, and is compared all the same."""
    return _version_of(_loaded(folder))


def _loaded(folder: Path) -> list[Spec]:
    specs, problems = load([folder])
    assert not problems
    return specs


def _version_of(specs: list[Spec]) -> Version:
    resolved = {spec.protocol.protocol: resolve(spec) for spec in specs}
    return Version({name: protocol_of(spec) for name, spec in resolved.items()}, resolved)


def _edited(path: str, sought: str, replacement: str, folder: Path) -> Version:
    """The protocol whose file, or whose library's, has one text in place of another."""
    text = (folder / path).read_text(encoding="utf-8")
    assert sought in text
    (folder / path).write_text(text.replace(sought, replacement, 1), encoding="utf-8")
    try:
        return _version(folder / _protocol(path))
    finally:
        (folder / path).write_text(text, encoding="utf-8")


def _protocol(path: str) -> str:
    return "databus" if path.startswith("databus") else "couchbase_dcp"


def _found(old: Version, new: Version) -> set[str]:
    found = [one for one in compare(old, new) if one.category in Category.TABLE.kept]
    return {
        f"{one.rule} {one.category} {''.join(sorted(side[0] for side in one.change.breaks)) or '-'} "
        f"{one.change.element.partition('.')[2]}"
        for one in found
    }


@pytest.fixture(scope="module")
def specs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Those that are edited; each edit is taken back."""
    folder = tmp_path_factory.mktemp("edited") / "specs"
    small_specs(folder)
    return folder


@pytest.fixture(scope="module")
def released(specs: Path) -> dict[str, Version]:
    return {name: _version(specs / name) for name in ("couchbase_dcp", "databus")}


OFTEN = tuple(edit for edit, (path, *_) in EDITS.items() if path.startswith("databus"))
"""What every run tries; the others read a large library each."""


@pytest.mark.parametrize(
    "edit", [edit if edit in OFTEN else pytest.param(edit, marks=pytest.mark.sweep) for edit in EDITS]
)
def test_an_edit_is_found(edit: str, released: dict[str, Version], specs: Path) -> None:
    path, (sought, part, replacement), expected = EDITS[edit]
    edited = _edited(path, sought, sought.replace(part, replacement, 1) if part else replacement, specs)
    assert _found(released[_protocol(path)], edited) == expected


def test_an_enum_that_is_renamed_wherever_it_is_used_is_found(released: dict[str, Version], tmp_path: Path) -> None:
    specs = shutil.copytree(SPECS, tmp_path / "specs")
    for path in specs.glob("databus/*.yaml"):
        path.write_text(re.sub(r"\bSourceId\b", "SourceIds", path.read_text(encoding="utf-8")), encoding="utf-8")
    assert _found(released["databus"], _version(specs / "databus")) == {
        "enum-removed CODEC B SourceId",
        "labelling-changed CODEC B dbus_event.src_id",
        "labelling-changed CODEC B dbus_event_v2.src_id",
    }


@each("path", [*FEATURES, *(str(folder.relative_to(ROOT)) for folder in OURS)])
def test_nothing_is_found_where_nothing_changed(path: str, tmp_path: Path) -> None:
    folder = ROOT / path if path not in FEATURES else folders(FEATURES[path].read_text(encoding="utf-8"), tmp_path)
    specs = _loaded(folder)
    version = _version_of(specs)
    assert version.protocols
    assert compare(version, _version_of(specs)) == []


def _between(path: str, start: str, end: str) -> str:
    """The text of a spec from one mark to before another."""
    text = (SPECS / path).read_text(encoding="utf-8")
    return text[text.index(start) : text.index(end)]


def test_the_second_revision_of_system_event_breaks_nobody(released: dict[str, Version], specs: Path) -> None:
    """It has version 2, FlatBuffers, which the first has not; readers of the first keep such values as bytes."""
    path = f"couchbase_dcp/streams/{EVENT}.yaml"
    first = _edited(path, _between(path, "  - name: collection_flatbuffer\n", "\nexamples:\n"), "", specs)
    structs = ("collection", "dropped_collection", "scope", "dropped_scope")
    assert _found(first, released["couchbase_dcp"]) == {
        *(f"variant-added WIRE - {EVENT}.{name}_flatbuffer" for name in structs),
        *(f"column-added TABLE - {EVENT}.{name}" for name in (*structs, "value_flatbuffer")),
    }


def test_a_snapshot_marker_that_grew_from_44_to_52_bytes_breaks_nobody(
    released: dict[str, Version], specs: Path
) -> None:
    """The last 8 bytes are optional to today's readers, and kept by those that do not know them."""
    path = f"couchbase_dcp/streams/{MARKER}.yaml"
    shorter = _edited(path, _between(path, "        - name: high_prepared_seqno\n", "\notherwise:"), "", specs)
    assert _found(shorter, released["couchbase_dcp"]) == {
        f"field-added WIRE - {MARKER}.v2_2.high_prepared_seqno",
        f"column-added TABLE - {MARKER}.high_prepared_seqno",
    }
