"""Every rule of compatibility, a file each in ``compat``: what it says of the two versions of a small spec.

A file is a protocol, one YAML document a spec file; lines that begin with ``-`` are only in the old version, those with
``+`` only in the new one. In front stands all that is found, a line each behind ``#``: rule, category, whom it breaks
(``-``: nobody), element and what happened to it. That the verdicts are true is seen by running both versions over the
same bytes.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.cases import each
from support.compiled import folders
from support.paths import ROOT

from wireloom.codec import DecodeError
from wireloom_generator import emitters, examples, rules
from wireloom_generator.compat import rules as compat_rules
from wireloom_generator.compat.changes import Category, Side
from wireloom_generator.compat.compare import BadSpecsError, Version, compare, read

HERE = Path(__file__).with_name("changes")
INVALID = sorted(ROOT.joinpath("tests/language/invalid").glob("*.yaml"))
CASES = sorted(path.stem for path in HERE.glob("*.diff"))

UNSEEN = {
    "range-changed--computed: BACKWARD": "no record here has such a number",
    "through-changed--of_compressions: BACKWARD": "no record here is compressed",
    "through-changed--of_compressions: FORWARD": "no record here is compressed",
    "through-changed--of_escapes: BACKWARD": "no record here is escaped",
    "through-changed--of_escapes: FORWARD": "no record here is escaped",
    "framing-changed--between: BACKWARD": "no record here is between flags",
    "framing-changed--between: FORWARD": "no record here is between flags",
    "framing-changed--between_raw: BACKWARD": "no record here is between flags",
    "framing-changed--between_raw: FORWARD": "no record here is between flags",
    "framing-changed--several_terminators: BACKWARD": "no record here has a line feed",
    "framing-changed--several_terminators: FORWARD": "no record here has a line feed",
    "framing-changed--unterminated: BACKWARD": "what ended with a terminator still does",
    "framing-changed--unterminated: FORWARD": "no record here has a line feed",
    "framing-changed--fields: FORWARD": "a record with no bytes left over ends where its fields end",
    "framing-changed--rest: BACKWARD": "a single record is all there is",
    "byte-order-changed--told_by_another: BACKWARD": "parameters are what they are by default",
    "byte-order-changed--told_by_another: FORWARD": "parameters are what they are by default",
    "checksum-changed: BACKWARD": "bytes that are made up have no right checksum",
    "checksum-changed--const: BACKWARD": "bytes that are made up have no right checksum",
    "column-retyped: FORWARD": "twice a byte fits either type",
    "computed-changed: BACKWARD": "a + a is a * 2, which the comparison does not know",
    "computed-changed: FORWARD": "a + a is a * 2, which the comparison does not know",
    "derivation-changed: BACKWARD": "size(a) + 0 is size(a), which the comparison does not know",
    "derivation-changed: FORWARD": "size(a) + 0 is size(a), which the comparison does not know",
    "flag-renumbered: FORWARD": "old readers name a bit that has no name now, as when a flag is gone",
    "flatbuffer-changed: BACKWARD": "bytes that are made up are no FlatBuffers",
    "flatbuffer-changed: FORWARD": "bytes that are made up are no FlatBuffers",
    "flatbuffer-changed--id_reused: BACKWARD": "bytes that are made up are no FlatBuffers",
    "flatbuffer-changed--id_reused: FORWARD": "bytes that are made up are no FlatBuffers",
    "form-changed: BACKWARD": "the form is another, not the bytes",
    "form-changed: FORWARD": "the form is another, not the bytes",
    "framing-changed--and_the_match: BACKWARD": "records that are made up begin with their length",
    "framing-changed--until: BACKWARD": "records that are made up end with no terminator",
    "framing-changed--until: FORWARD": "records that are made up end with no terminator",
    "match-changed--to_what_is_written: FORWARD": "its records are unknown and lose no bytes",
    "optional-changed--what_may_be_empty: FORWARD": "old readers tell an empty text where new ones tell none",
    "parameter-default-changed--told_by_captures: BACKWARD": "one record tells nothing of another",
    "parameter-default-changed--told_by_captures: FORWARD": "one record tells nothing of another",
    "parameter-removed: BACKWARD": "what the parameter asks for by default is what is asked for now",
    "parameter-removed: FORWARD": "what the parameter asks for by default is what is asked for now",
    "protocol-removed: BACKWARD": "there is nothing to read the bytes with",
    "protocol-removed: FORWARD": "there is nothing to read the bytes with",
    "framing-changed--header: BACKWARD": "a header of a capture stands in front of all records",
    "framing-changed--header: FORWARD": "a header of a capture stands in front of all records",
}
"""Breaks that the bytes below do not show, and why."""


def _lines(name: str) -> list[str]:
    return (HERE / f"{name}.diff").read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Version, Version]]:
    """The old and the new version of a case, read when they are first asked for."""
    root = tmp_path_factory.mktemp("versions")
    return cache(lambda name: _versions(name, root / name))


def _versions(name: str, folder: Path) -> tuple[Version, Version]:
    old, new = (
        folders("\n".join(line[2:] for line in _lines(name) if line[:1] not in other), folder / which)
        for which, other in (("old", ("#", "+")), ("new", ("#", "-")))
    )
    return read([old], earlier=True), read([new])


def _report(name: str) -> list[str]:
    return [line.removeprefix("# ") for line in _lines(name) if line.startswith("#")]


@each("name", CASES)
def test_says_what_changed_and_whom_it_breaks(name: str, versions: Callable[[str], tuple[Version, Version]]) -> None:
    found = [
        f"{finding.rule} {finding.category} {','.join(sorted(finding.change.breaks)) or '-'} "
        f"{finding.change.element}: {finding.change.what}"
        for finding in compare(*versions(name))
    ]
    assert sorted(found) == _report(name)


@each("rule", [rule.id for rule in compat_rules.RULES])
def test_every_rule_has_a_pair_of_specs(rule: str) -> None:
    assert rule in {line.split()[0] for line in _report(rule)}


@pytest.mark.sweep
@pytest.mark.parametrize("name", CASES)
def test_bytes_decode_otherwise_where_it_says_so_and_nowhere_else(
    name: str, versions: Callable[[str], tuple[Version, Version]]
) -> None:
    both = versions(name)
    broken = _broken(both)
    old, new = (_read(_codec(version)) for version in both)
    for side, (written, found) in ((Side.BACKWARD, (old, new)), (Side.FORWARD, (new, old))):
        differing = [data for data in RECORDS if _differ(written[data], found[data], side)]
        if side not in broken[Category.WIRE] | broken[Category.CODEC]:
            assert not differing, f"{side}: {differing[0].hex()} decodes otherwise"
        elif side in broken[Category.WIRE]:
            assert bool(differing) is not (f"{name}: {side}" in UNSEEN), f"{side}: {len(differing)} differ"


@pytest.mark.sweep
def test_earlier_versions_need_only_be_understood(tmp_path: Path) -> None:
    compared = set()
    for path, rule in ((path, path.stem.partition(".")[0]) for path in INVALID):
        if rule not in rules.RULES:
            continue
        with suppress(BadSpecsError):
            version = read([folders(path.read_text(encoding="utf-8"), tmp_path / path.stem)], earlier=True)
            compare(version, version)  # which raises nothing
            compared.add(rule)
    assert {"variant-open", "trailing", "order-proof", "example", "absent-value"} <= compared


def test_what_is_unseen_is_there() -> None:
    assert {key.partition(":")[0] for key in UNSEEN} <= set(CASES)


def _broken(versions: tuple[Version, Version]) -> Mapping[Category, frozenset[Side]]:
    found = compare(*versions)
    return {
        category: frozenset(side for one in found if one.category is category for side in one.change.breaks)
        for category in Category
    }


def _codec(version: Version) -> Any:
    (protocol,) = version.protocols.values()
    with examples.running(emitters.modules(protocol)) as codec:
        return codec


def _records() -> Iterator[bytes]:
    """Records of the lengths that their first byte says, of the bytes that the specs ask about."""
    generator = random.Random(4)
    ordinary = (b"\0", b"\1", b"\1", b"\2", b"\2", b"\3", b"\4", b"\5", b"a", b"\x80", b"\x81", b"\xff", "é".encode())
    fillings = (ordinary, (*[b"\0"] * 9, b"\1"))
    for length in (2, 3, 4, 5, 6, 7, 8, 9, 12, 17):
        for first in (b"", b"\0", b"\1", b"\2", b"\3", b"\4", b"\x80\x80\x80\x80\x80\1", b"\x81"):
            for filling in fillings:
                content = first + b"".join(generator.choices(filling, k=length - 1))
                yield bytes([length]) + content[: length - 1]
        yield bytes([length - 1, *range(1, length)])


RECORDS = tuple(dict.fromkeys(_records()))


def _read(codec: Any) -> dict[bytes, Any]:
    """The rows of all records; the error of one that has none. What the header of their capture says is 1."""
    found: dict[bytes, Any] = {}
    said = {parameter.name: 1 for parameter in codec.parameters if parameter.default is None}
    for data in RECORDS:
        try:
            found[data] = codec.parse(data, **said)
        except DecodeError as error:
            found[data] = error
    return found


def _differ(row: Any, found: Any, side: Side) -> bool:
    """Whether what is a good record to its writer is another, or none, to its reader.

    A new reader has to tell all that the old one told. An old one need not tell what it has no name for: messages,
    variants, labels, columns. What either tells beyond that is no difference.
    """
    if isinstance(row, Exception) or row["message"] == "unknown":
        return False
    if isinstance(found, DecodeError):
        return found.code == "invalid" or not _unnamed(row)  # what has no variant may be too short for one that is new
    if _unnamed(row):
        return False
    if found["message"] != row["message"]:
        return side is Side.BACKWARD or found["message"] != "unknown"
    before, after = ({**one, **one[one["message"]]} for one in (row, found))
    told = (name for name, value in before.items() if value is not None and name not in ("m", "p", "left_over"))
    meant = (name for name in told if not name.startswith("spare"))  # what is reserved has no meaning
    return any(not _same(name, before[name], after, side) for name in meant)


def _unnamed(row: Any) -> bool:
    """Whether it has none of the variants its message has."""
    values = row[row["message"]]
    return "variant" in values and values["variant"] is None


def _same(name: str, value: Any, row: Any, side: Side) -> bool:
    """Whether the row has the value too, as far as it must."""
    found, must = row.get(name), side is Side.BACKWARD
    if name.endswith("_flags") and found is not None:
        return set(value) <= set(found) or (not must and set(found) <= set(value))
    if found is None and (name not in row or name == "variant" or name.endswith("_name")):
        return not must
    return bool(value == found)
