"""The files for Kaitai Struct: what its own compiler makes of them reads what the codec reads."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from support import compiled, kaitai_struct
from support.paths import ROOT

from kaitai.compared import Comparison
from wireloom.codec import Protocol
from wireloom_generator import emitters, examples, frontend, importers, importing, model, on_disk, types
from wireloom_generator.importers import Coverage
from wireloom_generator.kaitai import file_of
from wireloom_generator.resolve import protocol_of

_MADE = TemporaryDirectory(prefix="wireloom-kaitai-")
FOLDERS = {
    path.parent.name: path.parent
    for pattern in ("specs/*/protocol.yaml", "examples/protocols/*/protocol.yaml")
    for path in sorted(ROOT.glob(pattern))
}
"""The protocols of ours."""
NAMES = (*FOLDERS, *compiled.FEATURES)
DIFFERENT = {
    "ends_with_raw": "a name that is no text",
    "memcached": "a key that is not text",
    "given_lookups": "an item that does not exist",
    "messagepack": "bytes instead of the deepest values, which are read",
    "recursion": "bytes instead of the deepest values, which are not read",
    "recursion_without_ends": "bytes instead of the deepest values, which are not read",
}
"""Where some examples have what Kaitai Struct refuses."""
SAID_BACK = (
    "gdl90", "rtcm3", "answers", "bitmap", "bits", "bits_choice", "bits_in_other_orders", "byte_order_of_a_field",
    "choice", "compute", "derive", "elsewhere", "enum_groups", "flags", "given_items", "given_lists", "header_sections",
    "integers_little_endian", "items", "optional_when", "pad", "paths", "repeat_structs", "repeat_until",
    "sections_nested", "text_encodings", "variants", "variants_sharing_a_column", "when_follows",
)  # fmt: skip
"""Protocols of which the importer of Kaitai Struct says again all that the file says."""
pytestmark = [pytest.mark.program, pytest.mark.xdist_group("kaitai")]


@cache
def protocol(name: str) -> compiled.Compiled:
    return compiled.compiled(FOLDERS[name]) if name in FOLDERS else compiled.feature(name)


@cache
def classes() -> Mapping[str, Any]:
    """The parsers of all protocols, by their names."""
    texts = {(said := protocol(name).protocol).name: file_of(said).text for name in NAMES}
    files = {name: yaml.safe_load(text) for name, text in texts.items()}
    made = kaitai_struct.modules(list(files), files)
    return {name: kaitai_struct.parser(made[name], name, Path(_MADE.name)) for name in files}


@dataclass(frozen=True)
class Case:
    """A worked example: the bytes of the record without what is around it, and its row."""

    example: model.Example
    contents: bytes
    row: Mapping[str, Any]


def cases(found: compiled.Compiled) -> Iterator[Case]:
    """The worked examples that are sound."""
    codec: Protocol = found.codec
    for _, example in compiled.worked(found.protocol):
        if example.malformed is None:
            contents = example.data.removesuffix(codec.record.until)
            if codec.record.envelope is not None:
                contents = codec.record.envelope.open(example.data).contents
            yield Case(example, contents, codec.parse(example.data, **example.parameters))


def parameters(said: model.Protocol, case: Case) -> Iterator[object]:
    """The values of parameters; a byte order that was found out is in the row."""
    for each in said.parameters:
        value = case.example.parameters.get(each.name, each.default)
        yield case.row[each.name] if value == "auto" else value


SENSORS = """\
protocol: sensors
title: Sensors
doc: What sensors send.
source: {document: sensors.md}
byte_order: little
enums:
  - name: Kind
    values: [{name: Reading, value: 1, doc: A value.}, {name: None, value: 2, label: no value}]
types:
  - name: Point
    fields: [{name: x, type: i24}, {name: flag, type: bool}]
record:
  length: 4 + size
  fields:
    - {name: kind, type: u8, enum: Kind}
    - {name: size, type: u16, derive: size(body), unit: bytes}
    - {section: body, size: size}
    - {name: sum, type: u8, checksum: {algorithm: xor8, from: 0, to: offset(sum)}}
---
message: reading
match: {kind: Reading}
sections:
  body:
    - bits: u8
      fields: [{name: has_point, width: 1}, {name: level, width: 7, as: {decimal: {scale: 0.5}}}]
    - {name: point, type: Point, when: has_point}
    - {name: name, type: text, prefix: u8, encoding: latin-1}
    - {name: late, type: bool, compute: level > 100, doc: Too late.}
    - {name: packed, type: bytes, size: rest, through: {zeros: 20}}
---
message: nothing
match: {kind: 2}
sections: {body: []}
"""


def test_the_text_is_as_a_person_would_write_it() -> None:
    text = file_of(compiled.of(SENSORS).protocol).text
    assert (
        text.partition("\n")[2]
        == """\
# Do not edit; change the spec and run `wireloom generate`.
# A stream is one record, without what is around it: no terminator, flags or escapes.
# Bytes instead of values, or left out:
#   reading: packed: bytes that are packed (zeros: 20)
meta: {id: sensors, title: Sensors, ks-version: 0.11, endian: le, bit-endian: be}
doc: What sensors send.
doc-ref: sensors.md
seq:
  - {id: kind, type: u1, enum: kind}
  # Not checked: it is size(body).
  - {id: size, type: u2, doc: In bytes.}
  - id: body
    size: size
    type: {switch-on: kind, cases: {kind::none_value: nothing, kind::reading: reading, _: unknown}}
  # Not checked: it is a checksum, the XOR of all bytes.
  - {id: sum, type: u1}
types:
  nothing: {}
  point:
    seq:
      - {id: x, type: i24_le}
      - {id: flag, type: boolean}
  reading:
    seq:
      - {id: has_point, type: b1}
      - {id: level, type: b7, doc: "The value is a decimal, raw value × 0.5."}
      - {id: point, type: point, if: has_point}
      - {id: len_name, type: u1}
      - {id: name, type: str, encoding: ISO-8859-1, size: len_name}
      # bytes that are packed (zeros: 20); here its bytes
      - {id: packed_octets, size-eos: true}
    instances: {late: {value: level > 100, doc: Too late.}}
  unknown:
    doc: A well-formed record that the spec has no message for; every byte is kept.
    seq: [{id: body, size-eos: true, doc: Bytes of the body.}]
  i24_le:
    seq: [{id: raw, type: b24le}]
    instances: {value: {value: raw - (raw >> 23 << 24)}}
  boolean:
    seq: [{id: raw, type: u1, valid: {max: 1}}]
    instances: {value: {value: raw == 1}}
enums: {kind: {1: {id: reading, doc: A value.}, 2: {id: none_value, doc: no value.}}}
"""
    )


@pytest.mark.parametrize("name", NAMES)
def test_kaitai_struct_reads_every_worked_example(name: str) -> None:
    if kaitai_struct.missing():
        pytest.skip(f"needs {kaitai_struct.missing()}")
    found = protocol(name)
    written = file_of(found.protocol)
    comparison = Comparison(found.protocol)
    refused = []
    for case in cases(found):
        try:
            theirs = kaitai_struct.opened(
                classes()[found.protocol.name], case.contents, *parameters(found.protocol, case)
            )
            comparison.compare(case.row, theirs)
        except (AssertionError, NameError, AttributeError):
            raise
        except Exception as error:
            refused.append((case.example.name, error))
    assert comparison.differing == []
    assert name in DIFFERENT or refused == []
    if not written.lost and not written.refused:
        names = {at.rpartition(".")[2].partition("[")[0] for at in comparison.missing}
        assert name in DIFFERENT or names - kept_otherwise(found.protocol) == set()


@pytest.mark.parametrize("name", SAID_BACK)
def test_what_is_imported_again_has_the_same_values(name: str, tmp_path: Path) -> None:
    found = protocol(name)
    path = tmp_path / f"{found.protocol.name}.ksy"
    path.write_text(file_of(found.protocol).text, encoding="utf-8")
    result = importing.imported([path], importers.named("ksy"), tmp_path / "specs")
    assert [outcome for outcome in result.outcomes if outcome.coverage is not Coverage.WHOLE] == []
    on_disk.put(dict(result.files))
    models, problems = frontend.read([tmp_path / "specs"])
    assert [str(problem) for problem in problems if problem.severity == "error"] == []
    comparison = Comparison(found.protocol)
    with examples.running(emitters.codec_modules(protocol_of(models[0]))) as codec:
        for case in cases(found):
            row = codec.parse(case.contents)
            assert codec.build(row) == case.contents
            comparison.compare(case.row, {**row, **(row.get(row["message"]) or {})})
    assert comparison.differing == []
    assert comparison.pairs > 0


def kept_otherwise(said: model.Protocol) -> frozenset[str | None]:
    """Columns for how the bytes of others were, and tables, which are bytes."""
    fields = [each for nodes in said.layouts for each in model.walk(nodes) if isinstance(each, model.Field)]
    packed = [
        each for nodes in said.layouts for each in model.walk(nodes) if isinstance(each, model.Field | model.Section)
    ]
    end = said.record.end
    return frozenset(
        {
            *(each.raw for each in fields),
            *(each.through.raw for each in packed if each.through is not None),
            *(each.name for each in fields if isinstance(each.type, types.FlatBuffers)),
            end.raw if isinstance(end, model.Terminator | model.BetweenFlags) else None,
        }
    )
