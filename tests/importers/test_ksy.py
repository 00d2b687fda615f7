"""Imports of ``.ksy`` files: the values are those that Kaitai Struct's own implementation reads from the same bytes."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from support import kaitai_struct as kaitai

from wireloom_generator import emitters, examples, frontend, importers, importing, on_disk
from wireloom_generator.importers import Coverage, SourceError
from wireloom_generator.importing import SpecImport
from wireloom_generator.resolve import protocol_of

CASES = sorted(Path(__file__).parent.joinpath("ksy").glob("*.ksy"))
"""Each begins with comments: the bytes, and where values of the spec have another name than those of Kaitai Struct."""


def imported(path: Path) -> SpecImport:
    """The import of a file."""
    return importing.imported([path], importers.named("ksy"), Path("specs"))


def spec(result: SpecImport) -> str:
    """The text of the protocol's file."""
    return next(text for path, text in result.files.items() if path.name == "protocol.yaml")


def told(path: Path, key: str) -> str:
    """What a comment at the beginning of a case says."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return " ".join(line.removeprefix(f"# {key}:").strip() for line in lines if line.startswith(f"# {key}:"))


def decoded(result: SpecImport, data: bytes, folder: Path) -> Mapping[str, Any]:
    """The row that the written spec makes of the bytes."""
    on_disk.put({folder / path: text for path, text in result.files.items()})
    models, problems = frontend.read([folder / "specs"])
    assert [str(problem) for problem in problems if problem.severity == "error"] == []
    with examples.running(emitters.codec_modules(protocol_of(models[0]))) as codec:
        row: Mapping[str, Any] = codec.parse(data)
        assert codec.build(row) == data
        return row


def compared(
    row: Mapping[str, Any], other: Any, names: Mapping[str, str], at: str = ""
) -> Iterator[tuple[str, Any, Any]]:
    """Each value of a row, with that of Kaitai Struct, but for what Kaitai Struct does not have."""
    for name, value in row.items():
        path = f"{at}{name}"
        if path in names and value is None:  # another of several types
            continue
        if path in names:
            theirs = eval(names[path], {"r": other}) if names[path] else None
        elif hasattr(other, name):
            theirs = getattr(other, name)
        else:
            assert value is None or name.endswith(("_name", "unread")), f"{path} is not compared"
            continue
        if names.get(path, "-"):
            yield from _compared(value, theirs, names, path)


def _compared(value: Any, theirs: Any, names: Mapping[str, str], path: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(value, Mapping):
        yield from compared(value, theirs, names, f"{path}.")
    elif isinstance(value, list):
        assert len(value) == len(theirs)
        for ours, each in zip(value, theirs, strict=True):
            yield from _compared(ours, each, names, path)
    else:
        yield path, value, theirs.decode("latin-1") if isinstance(theirs, bytes) and isinstance(value, str) else theirs


def _plain(value: Any) -> Any:
    """A row or an object of Kaitai Struct as YAML can have it."""
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items() if each is not None and not name.startswith("_")}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, bytes):
        return value.hex()
    return value if isinstance(value, bool | float | str) else int(value)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_the_spec_is_whole_and_has_the_values(path: Path, tmp_path: Path) -> None:
    result = imported(path)
    assert [outcome for outcome in result.outcomes if outcome.coverage is not Coverage.WHOLE] == []
    assert [str(problem) for problem in result.problems] == []
    row = decoded(result, bytes.fromhex(told(path, "bytes")), tmp_path)
    expected = yaml.safe_load(told(path, "values"))
    found = _plain(row)
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.program
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_kaitai_struct_reads_the_same(path: Path, tmp_path: Path) -> None:
    if kaitai.missing():
        pytest.skip(f"needs {kaitai.missing()}")
    data = bytes.fromhex(told(path, "bytes"))
    row = decoded(imported(path), data, tmp_path)
    files = {each.stem: yaml.safe_load(each.read_text(encoding="utf-8")) for each in path.parent.rglob("*.ksy")}
    theirs = kaitai.read(files, path.stem, data, tmp_path)
    names = yaml.safe_load(told(path, "names")) or {}
    own = {name: value for name, value in row.items() if name not in ("message", "_corrupt_record", "_corrupt_reason")}
    pairs = list(compared(own, theirs, {path.stem: "", **names}))
    assert len(pairs) >= 3
    assert [(at, ours) for at, ours, other in pairs if ours != other] == []


SMALL = """\
meta:
  id: small
  endian: le
seq:
{seq}
"""


def small(tmp_path: Path, seq: str, more: str = "") -> SpecImport:
    """The import of a file with this sequence."""
    path = tmp_path / "small.ksy"
    path.write_text(SMALL.format(seq="\n".join(f"  {line}" for line in seq.splitlines())) + more, encoding="utf-8")
    return imported(path)


def test_the_text_is_as_a_person_would_write_it(tmp_path: Path) -> None:
    path = tmp_path / "sensor.ksy"
    path.write_text(
        """\
meta:
  id: sensor
  title: Sensors
  license: CC0-1.0
  endian: be
doc: |
  What sensors
  send.
doc-ref: https://example.com
seq:
  - id: magic
    contents: SENS
  - id: len_readings
    type: u2
    doc: How many bytes.
  - id: readings
    type: reading
    size: len_readings
types:
  reading:
    doc: One reading.
    seq:
      - id: kind
        type: u1
        enum: kind
        valid: kind::warm
      - id: level
        type: s2le
        if: kind == kind::warm
        -unit: 0.1 °C
enums:
  kind:
    1:
      id: warm
      doc: Above zero.
    2: cold
""",
        encoding="utf-8",
    )
    result = imported(path)
    assert result.files[Path("specs/sensor/sensor.yaml")] == (
        "# yaml-language-server: $schema=../schema.json\nmessage: sensor\nmatch: {}\n"
    )
    assert spec(result) == (
        "# yaml-language-server: $schema=../schema.json\n"
        "protocol: sensor\n"
        "title: Sensors\n"
        "doc: What sensors send. See https://example.com.\n"
        "# License: CC0-1.0\n"
        "source: {document: sensor.ksy}\n"
        "byte_order: big\n"
        "enums:\n"
        "  - name: Kind\n"
        "    values:\n"
        "      - {name: warm, value: 1, doc: Above zero.}\n"
        "      - {name: cold, value: 2}\n"
        "types:\n"
        "  - name: Reading\n"
        "    doc: One reading.\n"
        "    source: {document: sensor.ksy, section: line 20}\n"
        "    fields:\n"
        "      - {name: kind, type: u8, enum: Kind, valid: kind == Kind.warm}\n"
        "      - {name: level, type: i16, byte_order: little, when: kind == Kind.warm, unit: 0.1 °C}\n"
        "      - {name: unread, type: bytes, size: rest, optional: true}\n"
        "record:\n"
        "  length: rest\n"
        "  fields:\n"
        "    - {name: magic, type: text, size: 4, const: SENS}\n"
        "    - {name: len_readings, type: u16, doc: How many bytes.}\n"
        "    - {name: readings, type: Reading, size: len_readings}\n"
        "    - {section: unread, size: rest, trailing: unread}\n"
    )


@pytest.mark.parametrize(
    ("seq", "lines"),
    [
        (
            "- {id: n, type: u1}\n- {id: data, size: n, process: my_cipher(1)}",
            ["# TODO: process: my_cipher has no counterpart", "- {name: data, type: bytes, size: n}"],
        ),
        (
            "- {id: a, type: other_type, size: 4}\n- {id: b, type: u1}",
            ["# TODO: there is no type other_type", "- {name: a, type: bytes, size: 4}", "- {name: b, type: u8}"],
        ),
        (
            "- {id: a, type: other_type}\n- {id: b, type: u1}",
            [
                "# TODO: there is no type other_type",
                "- {name: a, type: bytes, size: rest}",
                "- {section: unread, size: 0}",
            ],
        ),
        (
            "- {id: a, size: 2, process: xor(_io.pos)}",
            ["# TODO: the position behind it is not known here", "- {name: a, type: bytes, size: 2}"],
        ),
        (
            "- {id: a, type: f4, valid: {min: a * 2}}",
            ["# TODO: there is no arithmetic with floats", "- {name: a, type: f32}"],
        ),
        (
            "- {id: a, type: f4}\n- {id: b, type: u1, if: a.to_i == 1}",
            [
                "- {name: a, type: f32}",
                "# TODO: to_i of a float has no counterpart in expressions",
                "- {name: b, type: bytes, size: rest}",
            ],
        ),
    ],
)
def test_what_cannot_be_said_is_bytes_with_the_reason(tmp_path: Path, seq: str, lines: list[str]) -> None:
    result = small(tmp_path, seq)
    found = [line.strip() for line in spec(result).splitlines()]
    assert [line for line in found if line in lines] == lines
    assert [outcome.coverage for outcome in result.outcomes] == [Coverage.BYTES]
    assert [problem for problem in result.problems if problem.severity == "error"] == []


def test_an_instance_that_cannot_be_said_is_left_out(tmp_path: Path) -> None:
    more = "instances:\n  both:\n    value: a.to_s + 'x'\n  other:\n    value: a + 1\n"
    result = small(tmp_path, "- {id: a, type: u1}", more)
    assert "# TODO: both, a.to_s + 'x': to_s of a int has no counterpart in expressions\n" in spec(result)
    assert "- {name: other, type: i64, compute: a + 1}" in spec(result)


def test_values_that_are_left_out_cost_no_bytes(tmp_path: Path) -> None:
    """Kaitai Struct computes them when they are asked for, when the field that they need has long been read."""
    more = (
        "types:\n  flags:\n    seq:\n      - {id: bits, type: u1}\n    instances:\n      is_deflated:\n"
        "        value: _parent.method == 8 and bits != 0\n"
        "  part:\n    seq:\n      - {id: flags, type: flags}\n      - {id: method, type: u1}\n"
    )
    result = small(tmp_path, "- {id: part, type: part}", more)
    reason = "is_deflated, _parent.method == 8 and bits != 0: method is read after flags"
    assert [(outcome.name, outcome.coverage, outcome.reasons) for outcome in result.outcomes] == [
        ("small", Coverage.WHOLE, ()),
        ("small::flags", Coverage.VALUES, (reason,)),
        ("small::part", Coverage.WHOLE, ()),
    ]
    assert decoded(result, b"\1\10", tmp_path)["part"] == {"flags": {"bits": 1}, "method": 8}


def test_parameters_of_the_file_are_those_of_the_protocol(tmp_path: Path) -> None:
    path = tmp_path / "small.ksy"
    path.write_text(
        "meta: {id: small, endian: le}\nparams:\n  - {id: width, type: u1, doc: How many bytes.}\n"
        "  - {id: is_long, type: bool}\nseq:\n  - {id: a, size: width}\n  - {id: b, type: u2, if: is_long}\n",
        encoding="utf-8",
    )
    result = imported(path)
    assert (
        "parameters:\n"
        "  - {name: width, type: u8, default: 0, doc: How many bytes.}\n"
        "  - {name: is_long, type: bool, default: false}\n"
    ) in spec(result)
    assert [outcome.coverage for outcome in result.outcomes] == [Coverage.WHOLE]
    assert [problem for problem in result.problems if problem.severity == "error"] == []


def test_types_without_fields_lose_nothing(tmp_path: Path) -> None:
    cases = "- {id: a, type: u1}\n- id: b\n  type:\n    switch-on: a\n    cases: {0: nothing, 1: something}"
    more = "types:\n  nothing: {}\n  something:\n    seq:\n      - {id: x, type: u1}\n"
    result = small(tmp_path, cases, more)
    assert {outcome.coverage for outcome in result.outcomes} == {Coverage.WHOLE}


def test_types_that_nothing_has_are_refused(tmp_path: Path) -> None:
    result = small(tmp_path, "- {id: a, type: u1}", "types:\n  spare:\n    seq:\n      - {id: x, type: u1}\n")
    assert [(outcome.name, outcome.coverage, outcome.reasons) for outcome in result.outcomes] == [
        ("small", Coverage.WHOLE, ()),
        ("small::spare", Coverage.REFUSED, ("no field has this type",)),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("seq: []\n", r"^\S+small\.ksy:1:1: meta has no id$"),
        ("- a\n", r"^\S+small\.ksy:1:1: a mapping expected"),
        ("meta: {id: small}\nseq: 3\n", r"^\S+small\.ksy:2:6: seq must be a list$"),
        ("meta: {id: small}\nseq: [3]\n", r"^\S+small\.ksy:2:7: a mapping expected$"),
        ("meta: {id: small, imports: [other]}\n", r"^\S+small\.ksy:1:29: there is no file \S+other\.ksy$"),
        ("meta: {id: small, imports: ['a b']}\n", r"^\S+small\.ksy:1:29: 'a b' cannot be imported$"),
        ("meta: {id: small}\nenums: {e: {x: y}}\n", r"^\S+small\.ksy:2:13: 'x' is not a number$"),
        ("meta: {id: small\n", r"^\S+small\.ksy:2:1: did not find expected ',' or '}'"),
        ("a: &a [1]\nb: &b [*a, *a, *a]\nc: " + "[" * 200, r"more than 100 lists and mappings inside each other"),
    ],
)
def test_wrong_files_are_refused(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "small.ksy"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=told):
        imported(path)


def test_types_inside_each_other_without_end_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "small.ksy"
    inner = "{}"
    for number in range(40):
        inner = f"{{types: {{t{number}: {inner}}}}}"
    path.write_text(f"meta: {{id: small}}\ntypes: {{t: {inner}}}\n", encoding="utf-8")
    with pytest.raises(SourceError, match="more than 32 types inside each other"):
        imported(path)


def test_files_may_import_each_other(tmp_path: Path) -> None:
    """Kaitai Struct allows it, and each file is read once."""
    for name, other in (("one", "two"), ("two", "one")):
        tmp_path.joinpath(f"{name}.ksy").write_text(
            f"meta: {{id: {name}, imports: [{other}]}}\nseq:\n  - {{id: more, type: u1}}\n"
            f"  - {{id: inner, type: {other}, if: more == 1}}\n",
            encoding="utf-8",
        )
    result = imported(tmp_path / "one.ksy")
    assert [outcome.name for outcome in result.outcomes] == ["one", "two"]
    assert [problem for problem in result.problems if problem.severity == "error"] == []


def test_what_is_too_deep_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="nested too deeply"):
        small(tmp_path, "- {id: a, type: u1}", f"instances:\n  i:\n    value: {' + '.join(['a'] * 30_000)}\n")


def test_names_of_names_are_not_multiplied(tmp_path: Path) -> None:
    instances = "".join(f"  i{n + 1}:\n    value: 'a == 1 ? i{n} : i{n}'\n" for n in range(60))
    more = f"instances:\n  i0:\n    value: b\n{instances}types:\n  t:\n    seq:\n      - {{id: x, type: u1}}\n"
    result = small(tmp_path, "- {id: a, type: u1}\n- {id: b, type: t}", more)
    assert result.outcomes[0].coverage is Coverage.VALUES


@pytest.mark.parametrize("text", ["a +", "a ? b", "(a", "a..b", "'x", "$", "a[", "1 2", "(" * 100 + "a" + ")" * 100])
def test_hostile_expressions_are_reasons(tmp_path: Path, text: str) -> None:
    result = small(tmp_path, "- {id: a, type: u1}", f"instances:\n  i:\n    value: {yaml.dump(text).strip()}\n")
    assert result.outcomes[0].coverage is Coverage.VALUES
    assert [problem for problem in result.problems if problem.severity == "error"] == []
