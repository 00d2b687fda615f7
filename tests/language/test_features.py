"""Every feature of the language, a file each in ``valid``: its examples hold, and it bears records cut short."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from support import compiled
from support.agreement import check_outputs as check
from support.cases import each
from support.compiled import FEATURES, Compiled, feature

from wireloom.codec.captures import may_lack_terminator
from wireloom_generator import model
from wireloom_generator.types import Struct

Values = dict[str, Any]


@each("name", FEATURES)
def test_the_compiler_finds_nothing_wrong(name: str, tmp_path: Path) -> None:
    assert check([compiled.folders(FEATURES[name].read_text(encoding="utf-8"), tmp_path / name)]) == []


@each("name", FEATURES)
def test_examples_decode_and_encode_as_they_say(name: str) -> None:
    assert compiled.failures(feature(name)) == []


@each("name", FEATURES)
def test_what_follows_from_the_rest_can_be_left_out(name: str) -> None:
    found = feature(name)
    for message, example in _wellformed(found):
        row = found.codec.parse(example.data, **example.parameters)
        assert found.codec.build(_needed(found.protocol, message, row), **example.parameters) == example.data


@each("name", FEATURES)
def test_a_record_cut_short_is_malformed(name: str) -> None:
    found = feature(name)
    for _, example in _wellformed(found):
        for length in range(1, len(example.data)):
            rows = list(found.codec.iter_records(example.data[:length], "PERMISSIVE", **example.parameters))
            if found.codec.framing.flagged and not example.data[:length].strip(found.codec.framing.ends[0]):
                assert not rows  # flags alone are skipped
                continue
            if found.codec.framing.to_the_end or may_lack_terminator(found.codec):  # a shorter record may be one, too
                rows = [{"_corrupt_record": found.codec.build(row, **example.parameters)} for row in rows]
            assert b"".join(row["_corrupt_record"] for row in rows) == example.data[:length]


def _wellformed(found: Compiled) -> Iterator[tuple[model.Message, model.Example]]:
    examples = compiled.worked(found.protocol)
    return ((message, example) for message, example in examples if example.malformed is None)


def _needed(protocol: model.Protocol, message: model.Message, row: Values) -> Values:
    """The row without labels, and without what is derived, constant or told by the rest of it."""
    types = {struct.name: struct for struct in protocol.structs}
    header = {column.name: row[column.name] for column in protocol.header}
    parts = [message.sections, *(variant.sections for variant in message.variants)]
    nodes = [node for sections in parts for nodes in sections.values() for node in nodes]
    values = {name: value for name, value in row[message.name].items() if name != "variant"}
    return {**_inputs(header, protocol.record.nodes, types), message.name: _inputs(values, nodes, types)}


def _inputs(values: Values, nodes: Iterable[model.Node], types: dict[str, model.Struct]) -> Values:
    needed = dict(values)
    for field in _fields(nodes):
        for column in field.columns:
            if column.name == getattr(field, "raw", None):
                continue  # no other value tells these bytes
            if column.label or field.derive or getattr(field, "checksum", None) or field.const is not None:
                needed.pop(column.name, None)
        found = field.wire.type if isinstance(field, model.Field) else None
        if isinstance(field, model.Field) and isinstance(found, Struct) and values.get(field.name) is not None:
            inner, value = types[found.name].nodes, values[field.name]
            one = field.repeat is None
            needed[field.name] = _inputs(value, inner, types) if one else [_inputs(v, inner, types) for v in value]
    return needed


def _fields(nodes: Iterable[model.Node]) -> Iterator[model.Field | model.BitField]:
    return (node for node in model.walk(nodes) if isinstance(node, model.Field | model.BitField))
