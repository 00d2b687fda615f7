"""C headers: structs have the sizes, offsets and values that ctypes and cffi give them.

cffi lays out bit fields as GCC does. ctypes does not, before Python 3.14.
"""

import ctypes
import random
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cffi
import pytest
from c_code.in_c import CC
from support import compiled

from wireloom_generator import importers, importing
from wireloom_generator.importers import Coverage, SourceError

_NUMBERS = {
    "uint8_t": ctypes.c_uint8, "int8_t": ctypes.c_int8, "uint16_t": ctypes.c_uint16, "int16_t": ctypes.c_int16,
    "uint32_t": ctypes.c_uint32, "int": ctypes.c_int, "unsigned long": ctypes.c_ulong, "long long": ctypes.c_longlong,
}  # fmt: skip
_UNITS = ["uint8_t", "int8_t", "uint16_t", "int16_t", "uint32_t", "int", "uint64_t", "int64_t"]


def _result(text: str, folder: Path, name: str = "demo.h") -> importing.SpecImport:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return importing.imported([path], importers.own()["cstruct"], folder / "specs")


def _codec(text: str, folder: Path) -> Any:
    result = _result(text, folder)
    assert [str(problem) for problem in result.problems] == []
    for file, content in result.files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    return compiled.compiled(folder / "specs" / "demo").codec


def _members(chosen: random.Random, *, bits: bool) -> list[tuple[str, str, int]]:
    """Members of a struct: a type, a name, and the number of items or bits."""
    found = []
    for number in range(chosen.randrange(1, 9)):
        if bits and chosen.random() < 0.8:
            unit = chosen.choice(_UNITS)
            width = chosen.randrange(1, 8 * cffi.FFI().sizeof(unit) + 1)
            found.append((unit, f"b{number}", width))
        else:
            found.append((chosen.choice([*_NUMBERS]), f"m{number}", chosen.choice([0, 0, 0, 2, 3])))
    return found


def _header(structs: Mapping[str, list[tuple[str, str, int]]], packing: str) -> str:
    """A header with these structs."""
    after = " __attribute__((packed))" if packing == "attribute" else ""
    body = "".join(f"{_text(name, members)}{after};\n" for name, members in structs.items())
    pragma = f"#pragma pack(push, {packing[-1]})\n{body}#pragma pack(pop)\n"
    return f"#include <stdint.h>\n{pragma if packing.startswith('pragma') else body}"


def _text(name: str, members: list[tuple[str, str, int]]) -> str:
    """A struct in C."""
    lines = []
    for kind, member, number in members:
        after = f" : {number}" if member.startswith("b") else f"[{number}]" if number else ""
        lines.append(f"    {kind} {member}{after};\n")
    return f"struct {name} {{\n{''.join(lines)}}}"


@pytest.mark.parametrize("packing", ["natural", "attribute", "pragma 1", "pragma 2", "pragma 4"])
def test_members_are_where_ctypes_has_them(packing: str, tmp_path: Path) -> None:
    chosen = random.Random(packing)
    structs = {f"s{number}": _members(chosen, bits=False) for number in range(25)}
    codec = _codec(_header(structs, packing), tmp_path)
    for name, members in structs.items():
        kinds = [(member, _NUMBERS[kind] * number if number else _NUMBERS[kind]) for kind, member, number in members]
        pack = {"natural": 0, "attribute": 1}.get(packing) if packing[-1].isalpha() else int(packing[-1])
        made = type(name, (ctypes.Structure,), {**({"_pack_": pack} if pack else {}), "_fields_": kinds})
        for _ in range(5):
            value = made.from_buffer_copy(chosen.randbytes(ctypes.sizeof(made)))
            row = codec.parse(bytes(value), struct=name)[name]
            for kind, member, number in members:
                there = getattr(value, member)
                assert row[member] == (
                    bytes(there) if kind == "uint8_t" and number else list(there) if number else there
                )
            assert codec.build(codec.parse(bytes(value), struct=name), struct=name) == bytes(value)
            set_ = made(**{member: getattr(value, member) for _, member, _ in members})  # zeros are between members
            given = {member: row[member] for _, member, _ in members}
            assert codec.build({"message": name, name: given}, struct=name) == bytes(set_)


def test_bit_fields_are_where_cffi_has_them(tmp_path: Path) -> None:
    chosen = random.Random(0)
    structs = {f"s{number}": _members(chosen, bits=True) for number in range(40)}
    codec = _codec(_header(structs, "natural"), tmp_path)
    ffi = cffi.FFI()
    ffi.cdef("".join(_text(name, members) + ";" for name, members in structs.items()))
    for name, members in structs.items():
        for _ in range(5):
            data = chosen.randbytes(ffi.sizeof(f"struct {name}"))
            struct = ffi.cast(f"struct {name} *", ffi.from_buffer(data))
            row = codec.parse(data, struct=name)[name]
            for kind, member, number in members:
                if number == 64:
                    continue  # which cffi reads as 0
                there = getattr(struct, member)
                is_list = number and member.startswith("m")
                expected = (bytes(there) if kind == "uint8_t" else list(there)) if is_list else there
                assert row[member] == expected, (name, member)
            assert codec.build(codec.parse(data, struct=name), struct=name) == data


@pytest.mark.skipif(CC is None, reason="needs a C compiler")
@pytest.mark.parametrize("packing", ["natural", "attribute", "pragma 1", "pragma 2", "pragma 4"])
def test_bit_fields_are_where_the_compiler_has_them(packing: str, tmp_path: Path) -> None:
    """Each member is set to ones, the others to zeros."""
    chosen = random.Random(packing)
    structs = {f"s{number}": _members(chosen, bits=True) for number in range(40)}
    header = _header(structs, packing)
    places = [(name, member) for name, members in structs.items() for _, member, _ in members if member[0] == "b"]
    sets = "".join(
        f"{{ struct {name} v; memset(&v, 0, sizeof v); v.{member} = -1; show(&v, sizeof v); }}\n"
        for name, member in places
    )
    tmp_path.joinpath("main.c").write_text(
        f"#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n{header}"
        "static void show(const void *at, size_t size)\n"
        '{ for (size_t i = 0; i < size; i++) printf("%02x", ((const unsigned char *)at)[i]); puts(""); }\n'
        f"int main(void) {{\n{sets}return 0; }}\n"
    )
    program = tmp_path / "main"
    assert CC is not None
    subprocess.run([CC, "-w", "-Wno-packed-bitfield-compat", "-o", program, tmp_path / "main.c"], check=True)
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
    codec = _codec(header, tmp_path)
    for (name, member), line in zip(places, lines, strict=True):
        data = bytes.fromhex(line)
        row = codec.parse(data, struct=name)[name]
        for kind, each, number in structs[name]:
            if each.startswith("b"):
                ones = 1 if "uint" in kind and number == 1 else -1 if "uint" not in kind else (1 << number) - 1
                assert row[each] == (ones if each == member else 0), (name, each, line)
        assert codec.build(codec.parse(data, struct=name), struct=name) == data


READING = Path(__file__).with_name("cstruct").joinpath("reading.h").read_text(encoding="utf-8")


def test_a_struct_looks_as_if_it_were_written_by_hand(tmp_path: Path) -> None:
    result = _result(READING, tmp_path)
    assert [(each.name, str(each.coverage)) for each in result.outcomes] == [
        ("point_t", "whole"),
        ("reading", "in bytes"),
        ("MadeBy", "whole"),
    ]
    texts = {path.stem: text.partition("\n")[2] for path, text in result.files.items()}
    assert texts["protocol"] == (
        "protocol: demo\n"
        "title: Structs of demo.h\n"
        "source: {document: demo.h}\n"
        "byte_order: little\n"
        "enums:\n"
        "  - name: Kind\n"
        "    doc: What a sensor measures.\n"
        "    values:\n"
        "      - {name: KIND_NONE, value: 0}\n"
        "      - {name: KIND_HEAT, value: 3}\n"
        "      - {name: KIND_DAMP, value: 4}\n"
        "types:\n"
        "  - name: PointT\n"
        "    source: {document: demo.h, section: line 14}\n"
        "    fields:\n"
        "      - {name: x, type: i16, doc: to the east}\n"
        "      - {name: y, type: i16}\n"
        "  - name: MadeBy\n"
        "    source: {document: demo.h, section: line 34}\n"
        "    fields:\n"
        "      - {name: major, type: u8}\n"
        "      - {name: minor, type: u8}\n"
        "record:\n"
        "  length: 72\n"
        "  fields: [{section: body, size: rest}]\n"
    )
    assert texts["reading"] == (
        "message: reading\n"
        "title: reading\n"
        "doc: A reading.\n"
        "source: {document: demo.h, section: line 22}\n"
        "match: {}\n"
        "sections:\n"
        "  body:\n"
        "    - {name: version, type: u8, doc: of the format}\n"
        "    - {name: padding_1, type: bytes, size: 3, reserved: true}\n"
        "    - {name: time, type: u32}\n"
        '    - {name: name, type: text, size: 8, until: "00", raw: name_bytes}\n'
        "    - {name: kind, type: u32, enum: Kind}\n"
        "    - bits: u16\n"
        "      bit_order: lsb\n"
        "      fields:\n"
        "        - {name: state, width: 3}\n"
        "        - {name: unused_163, width: 2, reserved: true}\n"
        "        - {name: trend, width: 4, sign: twos_complement}\n"
        "        - {name: frozen_bit, width: 1, default: frozen != 0, doc: The bit of frozen.}\n"
        "        - {name: unused_170, width: 6, reserved: true}\n"
        "    - {name: frozen, type: i8, compute: -1 if frozen_bit else 0}\n"
        "    - {name: mac, type: bytes, size: 6}\n"
        "    - {name: points, type: PointT, repeat: {count: 2}}\n"
        "    - {name: grid, type: i16, repeat: {count: 6}, doc: 2 by 3 items; the last index counts fastest.}\n"
        "    # TODO: nothing says which member of the union it is: count, share\n"
        "    - {name: value, type: bytes, size: 4}\n"
        "    - {name: padding_52, type: bytes, size: 4, reserved: true}\n"
        "    # TODO: a pointer means something in its process alone\n"
        "    - {name: next, type: bytes, size: 8}\n"
        "    - {name: made_by, type: MadeBy}\n"
        "    - {name: plain, type: u8}\n"
        "    - {name: padding_67, type: bytes, size: 1, reserved: true}\n"
        "    - {name: port, type: u16, byte_order: big}\n"
        "    - {name: padding_70, type: bytes, size: 2, reserved: true}\n"
    )


def test_texts_keep_what_is_behind_their_end(tmp_path: Path) -> None:
    codec = _codec("struct label { char text[6]; char lines[2][4]; bool on; };", tmp_path)
    data = b"ab\0xyz" + b"one\0four" + b"\1"
    row = codec.parse(data)["label"]
    assert (row["text"], row["lines"], row["on"]) == ("ab", ["one", "four"], True)
    assert codec.build(codec.parse(data)) == data


def test_an_open_array_takes_the_rest(tmp_path: Path) -> None:
    codec = _codec("struct list { uint16_t count; int32_t items[]; };", tmp_path)
    row = codec.parse(bytes.fromhex("0200 0000 01000000 ffffffff"))["list"]
    assert (row["count"], row["items"]) == (2, [1, -1])


def test_constants_conditions_and_headers_beside_it(tmp_path: Path) -> None:
    tmp_path.joinpath("sizes.h").write_text("#pragma once\n#define SIZE 3\nenum { MORE = SIZE << 1, LAST };\n")
    codec = _codec(
        """#include "sizes.h"
#include "sizes.h"
#include <linux/types.h>
#if defined(SIZE) && SIZE > 2 /* so it is */
typedef __u16 word;
#elif 1
typedef missing word;
#else
typedef missing word;
#endif
struct all {
    word a[SIZE];
    word b[LAST - sizeof(struct { int x; char y; }) + 2];
    word c[(sizeof(int) == 4 ? 2 : 9) * 1];
};
""",
        tmp_path,
    )
    data = bytes(range(12))
    assert {name: len(codec.parse(data)["all"][name]) for name in "abc"} == {"a": 3, "b": 1, "c": 2}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("struct a { struct b inner; };", "struct b is declared nowhere"),
        ("struct a { int x[n]; };", "the number of items is not known"),
        ("struct a { int x[1 << 40]; };", "1099511627776 items"),
        ("struct a { int x[1/0]; };", "the number of items is not known"),
        ("struct a { struct a inner; };", "struct a: it contains itself"),
        ("struct a { int x : 33; };", "a bit field is too wide"),
        ('struct a { int x; } __attribute__((scalar_storage_order("big-endian")));', "it has an attribute that"),
        ("struct a { char c; int x __attribute__((packed)); };", "it has an attribute that is not known here"),
        ("struct __attribute__((aligned(3))) a { int x; };", "its alignment is not known"),
        ("struct a { };", "it has no bytes"),
        ("struct e { int n; int x[]; }; struct a { struct e inner; };", "a struct without an end is inside it"),
    ],
)
def test_structs_without_a_known_layout_are_refused(text: str, reason: str, tmp_path: Path) -> None:
    outcome = next(each for each in _result(text, tmp_path).outcomes if each.name == "a")
    assert (outcome.coverage, outcome.at.line) == (Coverage.REFUSED, 1)
    assert outcome.reasons[0].startswith(reason)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("int x;", "demo.h:1:1: it declares no struct"),
        ("struct a {\n int x\n};", "demo.h:3:1: not C as pycparser reads it: "),
        ("struct a { int x; };\nstruct b {\n unknown_t y; };\nstruct c { int z; };",
         "demo.h:2:1: not C as pycparser reads it: perhaps a type that is declared nowhere"),
        ("struct a {\n" * 300, "demo.h:201:1: more than 200 brackets inside each other"),
        ("int " + "*" * 100_000 + "x;", "demo.h:1:1: it is nested too deep"),
        ("enum { A = 1" + "+1" * 20_000 + " }; struct a { int x; };", "demo.h:1:1: it is nested too deep"),
        ("hello world", "demo.h:1:1: not C as pycparser reads it: "),
        ("\x00\x01", "demo.h:1:1: not C as pycparser reads it: "),
        ("#if 1\nstruct a { int x; };", "demo.h:2:1: an #if has no #endif"),
        ("#endif\n", "demo.h:1:1: #endif without #if"),
        ("#define A(x) x\nstruct a { A(int) x; };", "demo.h:2:1: A is a macro with arguments; write what"),
        ("#define A0 1 1 1\n" + "".join(f"#define A{n + 1} A{n} A{n} A{n}\n" for n in range(19)) + "int x = A19;",
         "demo.h:21:1: constants make it too long"),
        ("#error no\n", "demo.h:1:1: #error no"),
        ('#include "demo.h"\nint x;', "demo.h:1:1: it declares no struct"),
        ("enum { A = x };", "demo.h:1:1: the value of A is not known"),
    ],
)  # fmt: skip
def test_what_is_no_header_is_refused_with_a_sentence(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError) as error:
        _result(text, tmp_path)
    assert str(error.value).removeprefix(f"{tmp_path.as_posix()}/").startswith(told)
    assert "\n" not in str(error.value)


def test_headers_that_ask_for_the_machine(tmp_path: Path) -> None:
    """Two parts of a byte, as headers of Linux have them."""
    text = """struct head {
#if defined(__LITTLE_ENDIAN_BITFIELD)
    __u8 size:4, version:4;
#elif defined(__BIG_ENDIAN_BITFIELD)
    __u8 version:4, size:4;
#else
#error "no order"
#endif
#if __BYTE_ORDER != __LITTLE_ENDIAN
    int swapped;
#endif
};
"""
    assert dict(_codec(text, tmp_path).parse(b"\x45")["head"]) == {"size": 5, "version": 4}


def test_each_struct_is_a_message_where_there_are_several(tmp_path: Path) -> None:
    text = "struct a { int x; }; struct b { unsigned short y; };"
    codec = _codec(text, tmp_path)
    assert codec.parse(b"\x01\0\0\0")["a"]["x"] == 1
    assert codec.parse(b"\x01\0", struct="b")["b"]["y"] == 1


def test_assertions_that_do_not_hold_are_told(tmp_path: Path) -> None:
    text = 'struct a { long x; };\n_Static_assert(sizeof(struct a) == 4, "for 32 bits");\n'
    assert [(each.name, each.at.line, str(each.coverage)) for each in _result(text, tmp_path).outcomes] == [
        ("a", 1, "whole"),
        ("_Static_assert", 2, "refused"),
    ]


def test_alignment_that_is_asked_for(tmp_path: Path) -> None:
    text = """struct wide { char c; int n; } __attribute__((packed, aligned(16)));
struct late { char c; _Alignas(8) short n; };
struct apart { char a; int : 0; char b; unsigned c : 3; unsigned : 0; char d; };
_Static_assert(sizeof(struct wide) == 16, "");
_Static_assert(sizeof(struct late) == 16, "");
_Static_assert(sizeof(struct apart) == 12, "");
"""
    assert [(each.name, str(each.coverage)) for each in _result(text, tmp_path).outcomes] == [
        ("wide", "whole"), ("late", "whole"), ("apart", "whole")
    ]  # fmt: skip
    codec = _codec(text, tmp_path)
    late = codec.parse(bytes([1, *bytes(7), 2, *bytes(7)]), struct="late")["late"]
    assert (late["c"], late["n"]) == (1, 2)
    apart = codec.parse(bytes([1, 0, 0, 0, 2, 3, 0, 0, 4, 0, 0, 0]), struct="apart")["apart"]
    assert [apart[name] for name in "abcd"] == [1, 2, 3, 4]


def test_a_comment_above_a_struct_on_one_line_is_not_about_its_members(tmp_path: Path) -> None:
    (message,) = (
        content
        for file, content in _result(
            "/* One reading. */\nstruct reading { char id; char flags; };\n", tmp_path
        ).files.items()
        if file.stem == "reading"
    )
    assert message.count("One reading.") == 1
