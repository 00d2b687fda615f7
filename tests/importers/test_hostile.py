"""Files that are large, deep or endless: each is refused with one sentence, or read in bounded time and memory.

Sizes are such that what is not bounded would take hours, or all memory.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from wireloom_generator import importers, importing
from wireloom_generator.importers import SourceError

_SBE = '<sbe:messageSchema xmlns:sbe="http://fixprotocol.io/2016/sbe" id="1" version="0" package="p">'
_HEADER = "".join(
    f'<type name="{name}" primitiveType="uint16"/>' for name in ("blockLength", "templateId", "schemaId", "version")
)
_TWICE = "".join(
    f'<composite name="c{each + 1}"><ref name="a" type="c{each}"/><ref name="b" type="c{each}"/></composite>'
    for each in range(60)
)
_DBC = 'VERSION ""\nBU_: A\nBO_ 1 M: 8 A\n SG_ S : 0|8@1+ (1,0) [0|0] "" A\n'
_DIALECT = "<mavlink><messages>{}</messages></mavlink>"
_MESSAGE = '<message id="{0}" name="M{0}"><field type="uint8_t" name="a">A.</field></message>'

REFUSED: Mapping[str, tuple[str, Mapping[str, str], str]] = {
    "elements inside each other": ("sbe", {"a.xml": "<a>" * 1_000_000}, "elements are nested more than 64 deep"),
    "entities of entities": (
        "mavlink",
        {"a.xml": '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]><mavlink>&b;</mavlink>'},
        "a document type, which may declare entities, is not read",
    ),
    "composites that have each other twice": (
        "sbe",
        {
            "a.xml": f'{_SBE}<types><composite name="messageHeader">{_HEADER}</composite>'
            f'<composite name="c0"><type name="a" primitiveType="uint8"/></composite>{_TWICE}</types>'
            '<sbe:message name="M" id="1"><field name="f" id="1" type="c60"/></sbe:message></sbe:messageSchema>'
        },
        "types are nested more than 8 deep",
    ),
    "dialects that include each other": (
        "mavlink",
        {f"{one}.xml": f"<mavlink><include>{other}.xml</include></mavlink>" for one, other in ("ab", "bc", "ca")},
        "a.xml includes itself",
    ),
    "too many messages": (
        "mavlink",
        {"a.xml": _DIALECT.format("".join(_MESSAGE.format(number) for number in range(7_000)))},
        "its spec would have more than 40,000 lines",
    ),
    "a copybook of 10 MB": (
        "copybook",
        {"a.cpy": "       01 R.\n" + "           05 FILLER PIC X(10).\n" * 320_000},
        "more than 8 MiB in all files together",
    ),
    "a copybook of many entries": (
        "copybook",
        {"a.cpy": "       01 R.\n" + "           05 FILLER PIC X(10).\n" * 200_000},
        "more than 10000 entries",
    ),
    "tables in tables": (
        "copybook",
        {
            "a.cpy": "       01 R.\n"
            + "".join(f"       {level:02d} F{level} OCCURS 9999 TIMES.\n" for level in range(2, 22))
            + "       49 X PIC X.\n"
        },
        "bytes; COBOL has items of up to 134,217,727",
    ),
    "lists in lists": (
        "ksy",
        {"a.ksy": f"meta: {{id: a}}\nseq: {'[' * 1_000_000}"},
        "more than 100 lists and mappings",
    ),
    "lists by name": (
        "ksy",
        {
            "a.ksy": "meta: {id: a}\na0: &a0 [1, 1]\n"
            + "".join(f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]\n" for n in range(30))
        },
        "more than 200000 values, each counted as often as it is repeated",
    ),
    "a million lines": ("dbc", {"a.dbc": _DBC + 'CM_ "";\n' * 1_000_000}, "more than 100,000 lines"),
    "structs in structs": (
        "cstruct",
        {"a.h": "struct a {" * 100_000 + "int x;" + "} b;" * 100_000},
        "more than 200 brackets inside each other",
    ),
    "brackets in brackets": (
        "cstruct",
        {"a.h": f"struct a {{ int x[{'(' * 100_000}1{')' * 100_000}]; }};\n"},
        "more than 200 brackets inside each other",
    ),
    "pointers to pointers": ("cstruct", {"a.h": f"struct a {{ int {'*' * 100_000}x; }};\n"}, "it is nested too deep"),
    "constants that double": (
        "cstruct",
        {
            "a.h": "#define A0 x\n"
            + "".join(f"#define A{n + 1} A{n} A{n}\n" for n in range(60))
            + "struct a { int A60; };\n"
        },
        "constants make it too long",
    ),
}


def written(folder: Path, files: Mapping[str, str]) -> Path:
    """The first of the files, which are written."""
    for name, text in files.items():
        folder.joinpath(name).write_text(text, encoding="utf-8")
    return folder / next(iter(files))


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_with_a_sentence(tmp_path: Path, case: str) -> None:
    name, files, told = REFUSED[case]
    path = written(tmp_path, files)
    with pytest.raises(SourceError) as error:
        importing.imported([path], importers.named(name), tmp_path / "specs")
    assert told in str(error.value)
    assert "\n" not in str(error.value)


READ: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "files that import each other": (
        "ksy",
        {
            f"k{one}.ksy": f"meta: {{id: k{one}, imports: [{', '.join(f'k{other}' for other in range(30))}]}}\n"
            "seq:\n  - {id: x, type: u1}\n"
            for one in range(30)
        },
    ),
    "structs that have each other": (
        "cstruct",
        {"a.h": "struct a { struct a x; };\nstruct b { struct c y; };\nstruct c { struct b z; };\n"},
    ),
    "types that have the one before twice": (
        "cstruct",
        {
            "a.h": "typedef struct { int x; } t0;\n"
            + "".join(f"typedef struct {{ t{n} a; t{n} b; }} t{n + 1};\n" for n in range(60))
        },
    ),
    "an array of arrays": ("cstruct", {"a.h": "struct a { int x[2147483647][2147483647]; };\n"}),
    "a shift without end": ("cstruct", {"a.h": "struct a { int x[1 << 1 << 9999999999]; };\n"}),
    "headers that include each other": (
        "cstruct",
        {"a.h": '#include "b.h"\nstruct a { int x; };\n', "b.h": '#include "a.h"\nstruct b { int x; };\n'},
    ),
    "a picture of a million characters": (
        "copybook",
        {"a.cpy": f"       01 R.\n           05 A PIC {'X' * 1_000_000}.\n"},
    ),
}


@pytest.mark.parametrize("case", READ)
def test_it_is_read_at_once(tmp_path: Path, case: str) -> None:
    name, files = READ[case]
    found = importing.imported([written(tmp_path, files)], importers.named(name), tmp_path / "specs")
    assert found.outcomes != ()
