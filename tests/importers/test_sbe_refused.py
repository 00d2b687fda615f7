"""What is no schema of Simple Binary Encoding, and what a spec cannot say of one."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from cli.calls import run

from importers.imports import read_damaged
from importers.sbe_schemas import HEAD, RICH


def _schema_of(body: str, types: str = "", attributes: str = 'id="1"') -> str:
    return f"<messageSchema {attributes}>\n<types>{HEAD}</types>\n<types>{types}</types>\n{body}</messageSchema>\n"


MESSAGE = '<message name="A" id="1">\n{}</message>'
REFUSED = [
    ("<a/>", "1:1: <a> is not <messageSchema>, so this is no schema of SBE"),
    ("<!DOCTYPE a><messageSchema/>", "1:12: a document type, which may declare entities, is not read"),
    ("<sbe:messageSchema/>", "1:1: not XML: unbound prefix"),
    ("<messageSchema/>", "1:1: there is no type 'messageHeader'; known: "),
    ('<messageSchema><include href="schema.xml"/></messageSchema>', "1:16: {folder}/schema.xml includes itself"),
    ("<messageSchema><include/></messageSchema>", "1:16: <include> has no href"),
    (_schema_of("", attributes='id="1" headerType="groupSizeEncoding"'), "1:1: groupSizeEncoding has no templateId; "),
    (_schema_of("", '<type name="a" primitiveType="int"/>') + "", None),
    (_schema_of('<message id="1"/>'), "14:1: <message> has no name"),
    (_schema_of('<message name="A"/>'), "14:1: <message> has no id"),
    (_schema_of('<message name="A" id="x"/>'), "14:1: id is 'x', not a number"),
    (_schema_of('<message name="A" id="1"/><message name="B" id="1"/>'), "14:27: B has the id of A, 1"),
    (_schema_of(MESSAGE.format('<field name="a" type="b"/>')), "15:1: there is no type 'b'"),
    (_schema_of(MESSAGE.format('<field name="a"/>')), "15:1: <field> has no type"),
    (
        _schema_of(MESSAGE.format('<field name="a" type="b"/>'), '<type name="b" primitiveType="int7"/>'),
        "13:8: 'int7' is not a primitive type; did you mean 'int8'?",
    ),
    (
        _schema_of(MESSAGE.format('<field name="a" type="int8"/>\n<field name="b" type="int8" offset="0"/>')),
        "16:1: offset 0 is before the end of the field before it, 1",
    ),
    (
        _schema_of('<message name="A" id="1" blockLength="1"><field name="a" type="int16"/></message>'),
        "14:1: blockLength is 1, but the fields have 2 bytes",
    ),
    (
        _schema_of(
            MESSAGE.format('<field name="a" type="c"/>'), '<composite name="c"><ref name="d" type="c"/></composite>'
        ),
        "13:8: c contains itself",
    ),
    (
        _schema_of(MESSAGE.format('<field name="a" type="int8" offset="70000"/>')),
        "15:1: offset is 70000, more than 65535",
    ),
    (
        _schema_of(MESSAGE.format('<group name="g" blockLength="0"/>\n<field name="a" type="int8"/>')),
        "16:1: <field> is after <group>; fields, groups and data are in this order",
    ),
    (
        _schema_of(MESSAGE.format('<field name="a" type="e"/>'), '<enum name="e" encodingType="float"/>'),
        "13:8: <enum> is not encoded as float",
    ),
    (
        _schema_of(
            MESSAGE.format('<field name="a" type="e"/>'),
            '<set name="e" encodingType="uint8"><choice name="b">8</choice></set>',
        ),
        "13:43: there is no bit 8 in uint8",
    ),
    (
        _schema_of(
            MESSAGE.format('<field name="a" type="e"/>'),
            '<enum name="e" encodingType="uint8"><validValue name="b">256</validValue></enum>',
        ),
        "13:44: '256' is not a value of uint8",
    ),
    (
        _schema_of(MESSAGE.format('<field name="a" type="int8" presence="constant"/>')),
        "15:1: '' is not a constant of int8",
    ),
    (
        _schema_of(MESSAGE.format('<field name="a" type="int8" presence="constant" valueRef="int8.a"/>')),
        "15:1: there is no value int8.a",
    ),
    (
        _schema_of("", '<type name="a" primitiveType="int8"/><set name="a"/>'),
        "13:45: there is another type a, in line 13",
    ),
    (_schema_of(MESSAGE.format("<group name='a'>" * 9 + "</group>" * 9)), "15:113: groups are nested more than 8 deep"),
    (
        _schema_of(
            MESSAGE.format('<field name="a" type="c9"/>'),
            '<composite name="c0"><type name="a" primitiveType="int8"/></composite>'
            + "".join(
                f'<composite name="c{n + 1}">' + f'<ref name="a" type="c{n}"/>' * 90 + "</composite>" for n in range(9)
            ),
        ),
        "13:",
    ),
]


@pytest.mark.parametrize(("text", "told"), REFUSED)
def test_what_is_no_schema_is_refused_with_a_sentence(tmp_path: Path, text: str, told: str | None) -> None:
    path = tmp_path / "schema.xml"
    path.write_text(text)
    result = run("import", path, "--format", "sbe", "--out", tmp_path / "out", status=0 if told is None else 1)
    if told is not None:
        start = f"wireloom: {path.as_posix()}:{told.format(folder=tmp_path.as_posix())}"
        assert result.stderr.startswith(start)
        assert result.stderr.count("\n") == 1
        assert not (tmp_path / "out").exists()


def _told(lines: Sequence[str], path: Path) -> list[str]:
    return [line.replace(f"{path.as_posix()}:", "") for line in lines]


def test_what_cannot_be_said_is_told(tmp_path: Path) -> None:
    path = tmp_path / "own.xml"
    path.write_text(
        _schema_of(
            '<message name="Charset" id="1">\n<field name="a" type="name"/><data name="b" type="varText"/></message>\n'
            '<message name="Endless" id="2"><field name="c" type="once"/><field name="a" type="varText"/></message>\n'
            '<message name="Odd" id="3"><data name="b" type="odd"/></message>\n'
            '<message name="Twice" id="4"><field name="c" type="e"/><field name="d" type="empty"/></message>\n',
            '<type name="name" primitiveType="char" length="4" characterEncoding="JIS_X0201"/>'
            '<composite name="varText"><type name="length" primitiveType="uint8"/>'
            '<type name="varData" primitiveType="uint8" length="0" characterEncoding="JIS_X0201"/></composite>'
            '<composite name="odd"><type name="a" primitiveType="uint8"/><type name="length" primitiveType="uint8"/>'
            '<type name="varData" primitiveType="uint8" length="0"/></composite>\n'
            '<enum name="once" encodingType="uint8"><validValue name="a">1</validValue></enum>'
            '<enum name="empty" encodingType="uint8"/>\n'
            '<enum name="e" encodingType="uint8"><validValue name="a">1</validValue><validValue name="b">1</validValue>'
            "</enum>",
            'id="1" package="own"',
        )
    )
    result = run("import", path, "--out", tmp_path / "out")
    assert _told(result.stderr.splitlines(), path) == [
        "16:1: Charset: in bytes: a: unknown encoding 'jis_x0201'; b: unknown encoding 'jis_x0201'",
        "18:1: Endless: refused: a has no length",
        "19:1: Odd: refused: b is not a length and what has that length",
        "15:1: e: in bytes: b: it has the value of a",
        "20:1: Twice: in bytes: d: empty has no values",
    ]
    assert result.stdout.endswith("messages and types: 0 whole, 3 in bytes, 2 refused, no problems\n")
    assert (
        tmp_path.joinpath("out/own/charset.yaml")
        .read_text()
        .endswith("""\
  block:
    # TODO: unknown encoding 'jis_x0201'
    - {name: a, type: bytes, size: 4}
  groups:
    # TODO: unknown encoding 'jis_x0201'
    - {name: b, type: bytes, prefix: u8}
""")
    )


def test_damaged_files_are_read_or_refused_with_a_sentence(tmp_path: Path) -> None:
    assert 20 < read_damaged("sbe", tmp_path / "a.xml", RICH.replace("ORDER", "bigEndian"), 300) < 280
