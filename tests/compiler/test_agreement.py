"""The outputs of our specs agree with the running codec, and edits to what one emitter gave are found."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

import pytest
from support import agreement_of_names
from support.agreement import check_outputs, differences
from support.paths import ROOT

from wireloom.codec import Protocol
from wireloom_generator import emitters, examples
from wireloom_generator.emitters import columnar, docs, enums, parsers, spark
from wireloom_generator.output import OutputFile
from wireloom_generator.reading import spec
from wireloom_generator.resolve import protocol_of, resolve


@dataclass(frozen=True)
class Emitted:
    """A running codec, and what the emitters gave for its protocol."""

    codec: Protocol
    files: Mapping[PurePosixPath, OutputFile]


@cache
def emitted(name: str) -> Emitted:
    (one,), problems = spec.load([ROOT / "specs" / name])
    assert not problems
    protocol = protocol_of(resolve(one))
    with examples.running(emitters.modules(protocol)) as codec:
        traces, _ = examples.run(protocol, codec)
        files = [*enums.emit(protocol), *parsers.emit(protocol), *spark.emit(protocol), *columnar.emit(protocol)]
        files += docs.emit(protocol, traces)
        return Emitted(codec, {file.path: file for file in files})


SPARK, COLUMNAR = "databus/spark.py", "databus/columnar.py"
INDEX, PAGE = "docs/databus/index.md", "docs/databus/dbus_event.md"


def test_the_outputs_of_our_specs_agree() -> None:
    assert check_outputs([ROOT / "specs"]) == []


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (SPARK, 'StructField("version", ShortType()', 'StructField("version", IntegerType()'),
        (SPARK, '"header_crc", LongType()', '"header_crc", DecimalType(20, 0)'),
        (SPARK, 'StructField("header_crc"', 'StructField("headerCrc"'),
        (SPARK, '("header_crc", LongType(),', '("header_crc", LongType(), False,'),
        (SPARK, '("header_crc", LongType(),', '("header_crc", LongType(), nullable=False,'),
        (SPARK, "ArrayType(StringType())", "StringType()"),
        (SPARK, "ArrayType(StringType())", "ArrayType(StringType(), False)"),
        (SPARK, "ArrayType(StringType())", "ArrayType(BinaryType())"),
        (SPARK, "DBUS_EVENT = StructType(", "DBUS_EVENTS = StructType("),
        (SPARK, "\nSCHEMA = ", "\nSCHEMAS = "),
        (SPARK, "StringType()", "VarcharType(3)"),
        (INDEX, "| `version` | `short` |", "| `version` | `int` |"),
        (INDEX, "| `version` | `short` |", "| `versions` | `short` |"),
        (INDEX, "| `dbus_event` | `struct` |", "| `dbus_event` | `string` |"),
        (INDEX, "\n## Columns\n", "\n## Column\n"),
        (PAGE, "| `length` | `int` |", "| `length` | `long` |"),
        (PAGE, "| `attributes_flags` | `array<string>` |", "| `attributes_flags` | `string` |"),
        (PAGE, "| `opcode` | `short` |", "| opcode | `short` |"),
    ],
)  # fmt: skip
def test_an_output_that_differs_from_the_codec_is_found(file: str, old: str, new: str) -> None:
    one, path = emitted("databus"), PurePosixPath(file)
    before, found, after = one.files[path].text.rpartition(old)
    assert found
    edited = OutputFile(path, before + new + after)
    (what,) = differences(one.codec, {**one.files, path: edited})
    assert f" of {path.name} is " in what


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        (SPARK, '"comment": "Whether this is a trace event."', '"comment": "Whether this is one."'),
        (COLUMNAR, '"version": "The version of the layout. In no CRC."', '"version": "The version."'),
        (COLUMNAR, '"dbus_event.key": "The key."', '"dbus_event.keys": "The key."'),
        (COLUMNAR, '    "dbus_event.key": "The key.",\n', ""),
        (COLUMNAR, "COMMENTS = {", "OTHERS = {"),
    ],
)
def test_a_comment_that_only_one_output_has_is_found(file: str, old: str, new: str) -> None:
    one, path = emitted("databus"), PurePosixPath(file)
    assert old in one.files[path].text
    edited = OutputFile(path, one.files[path].text.replace(old, new))
    (what,) = differences(one.codec, {**one.files, path: edited})
    assert what.startswith("the comment of ")


@pytest.mark.parametrize("file", [SPARK, INDEX, PAGE])
def test_columns_in_another_order_are_found(file: str) -> None:
    one, path = emitted("databus"), PurePosixPath(file)
    text = one.files[path].text
    for name, other in (("_corrupt_record", "_corrupt_reason"), ("trace", "ext_replicated")):
        text = text.replace(name, "\0").replace(other, name).replace("\0", other)
    edited = OutputFile(path, text)
    assert len(list(differences(one.codec, {**one.files, path: edited}))) == 1


@pytest.mark.parametrize("file", [SPARK, INDEX, PAGE])
def test_an_output_that_is_not_there_is_found(file: str) -> None:
    one = emitted("databus")
    files = {path: text for path, text in one.files.items() if path != PurePosixPath(file)}
    columns, *enums = differences(one.codec, files)
    assert columns.startswith(f"column 0 of {PurePosixPath(file).name} is None")
    assert all(what.endswith(" of enums.py is on no page") for what in enums)


def test_a_decimal_of_another_size_is_found() -> None:
    one, path = emitted("couchbase_dcp"), PurePosixPath("couchbase_dcp/spark.py")
    text = one.files[path].text
    assert "DecimalType(20, 0)" in text
    edited = OutputFile(path, text.replace("DecimalType(20, 0)", "DecimalType(38, 0)", 1))
    (what,) = differences(one.codec, {**one.files, path: edited})
    assert "decimal(38,0)" in what


ENUMS = "databus/enums.py"


@pytest.mark.parametrize(
    ("file", "old", "new", "name", "number"),
    [
        (ENUMS, "    DELETE = 2\n", "    DELETE = 3\n", "DbusOpcode", "2 is DELETE"),
        (ENUMS, "    DELETE = 2\n", "", "DbusOpcode", "2 is DELETE"),
        (ENUMS, "    TRACE = 0x0004\n", "    TRACES = 0x0004\n", "EventAttributes", "4 is TRACE"),
        (ENUMS, '(-49, -5, "ERROR")', '(-48, -5, "ERROR")', "SourceId", "-49 to -5 is ERROR"),
        (INDEX, "| 2 | `DELETE` |", "| 3 | `DELETE` |", "DbusOpcode", "2 is DELETE"),
        (PAGE, "| 0x0004 | `TRACE` |", "| 0x0040 | `TRACE` |", "EventAttributes", "4 is TRACE"),
        (INDEX, "| -49 to -5 | `ERROR` |", "| -49 to -4 | `ERROR` |", "SourceId", "-49 to -5 is ERROR"),
    ],
)
def test_a_number_of_two_names_is_found(file: str, old: str, new: str, name: str, number: str) -> None:
    one, path = emitted("databus"), PurePosixPath(file)
    text = one.files[path].text
    assert text.count(old) == 1
    edited = OutputFile(path, text.replace(old, new))
    page = "dbus_event.md" if name == "EventAttributes" else "index.md"
    assert list(differences(one.codec, {**one.files, path: edited})) == [
        f"{name} in {page}: {number} in only one of the page and enums.py"
    ]


def test_an_enum_that_no_page_has_is_found() -> None:
    text = "class Kind(WireEnum):\n    ONE = 1\n"
    assert list(agreement_of_names.differences(text, [("index.md", "## Enums\n")])) == [
        "Kind of enums.py is on no page"
    ]


def test_a_heading_that_is_called_as_an_enum_is_no_table_of_it() -> None:
    text = "class Fields(WireEnum):\n    ONE = 1\n"
    pages = [("index.md", "### Fields\n\n| Value | Name | Meaning |\n|---|---|---|\n| 1 | `ONE` | |\n")]
    pages.append(
        ("echo.md", "## Fields\n\n| Offset | Size | Type | Name |\n|---|---|---|---|\n| 0 | 2 | `u16` | `a` |\n")
    )
    assert list(agreement_of_names.differences(text, pages)) == []
