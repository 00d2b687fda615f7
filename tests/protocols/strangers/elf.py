"""Object files as LLVM writes them, a library as a linker has, and what pyelftools reads in them."""

import _json
import struct
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

from elftools.elf.elffile import ELFFile
from llvmlite import binding as llvm

from protocols.strangers import Capture

TRIPLES = ("x86_64-linux-gnu", "i386-linux-gnu", "aarch64_be-linux-gnu", "powerpc-linux-gnu")
"""Machines of 32 and 64 bits, in both byte orders."""
LIBRARY = Path(_json.__file__).read_bytes()
"""One of Python's, which is an ELF file on most machines."""
CODE = """
@table = global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@text = internal constant [6 x i8] c"hello\\00"
define i32 @twice(i32 %number) {
  %sum = add i32 %number, %number
  ret i32 %sum
}
"""


def captures() -> Iterator[Capture]:
    """An object file for each kind of machine, and a library of Python's where it is an ELF file."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module = llvm.parse_assembly(CODE)
    for triple in TRIPLES:
        data = llvm.Target.from_triple(triple).create_target_machine().emit_object(module)
        yield Capture(triple, data, (_read(data),))
    if LIBRARY.startswith(b"\x7fELF"):
        yield Capture("library", LIBRARY, (_read(LIBRARY),))


def _read(data: bytes) -> dict[str, Any]:
    """What pyelftools reads in a file."""
    file = ELFFile(BytesIO(data))
    bits = file.elfclass
    found = file.header
    own: dict[str, Any] = {
        name: found[name]
        for name in (
            "e_entry", "e_phoff", "e_shoff", "e_flags", "e_ehsize", "e_phentsize", "e_phnum",
            "e_shentsize", "e_shnum", "e_shstrndx",
        )
    }  # fmt: skip
    own |= {"e_type_name": found["e_type"], "program_headers": None}
    if file.num_segments():
        own["program_headers"] = [_plain(dict(each.header)) for each in file.iter_segments()]
        own["segments"] = [each.data() for each in file.iter_segments()]
    sections = list(file.iter_sections())
    own["section_headers"] = [_plain(dict(each.header)) for each in sections]
    own["section_names"] = [each.name for each in sections]
    own["sections"] = [b"" if each["sh_type"] in ("SHT_NULL", "SHT_NOBITS") else each.data() for each in sections]
    return {"ei_data": 1 if file.little_endian else 2, f"elf{bits}": own}


def _plain(header: dict[str, Any]) -> dict[str, Any]:
    """A header without the names that pyelftools puts in place of numbers."""
    return {name: value for name, value in header.items() if isinstance(value, int)}


VARIED = (
    *TRIPLES,
    *("armv7-linux-gnueabi", "mips-linux-gnu", "mips64el-linux-gnuabi64", "riscv32-linux-gnu", "riscv64-linux-gnu"),
    *("powerpc64le-linux-gnu", "sparcv9-linux-gnu", "s390x-linux-gnu", "hexagon-linux-gnu", "x86_64-linux-gnux32"),
)


def varied(random: Random) -> Iterator[Capture]:
    """Object files of many machines, with many sections or few, and with numbers that stand in the first section."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    while True:
        triple = random.choice(VARIED)
        try:
            machine = llvm.Target.from_triple(triple).create_target_machine(
                opt=random.randrange(4), reloc=random.choice(("default", "static", "pic"))
            )
        except RuntimeError:  # not every build has every machine
            continue
        data = machine.emit_object(llvm.parse_assembly(CODE + "".join(_more(random))))
        if random.random() < 0.1 and LIBRARY.startswith(b"\x7fELF"):
            triple, data = "library", LIBRARY
        if random.random() < 0.5:
            data = _extended(data)
        yield Capture(triple, data, (_read(data),))


def _more(random: Random) -> Iterator[str]:
    for number in range(random.randrange(6)):
        section, align = random.choice(("", ', section ".own"', ', section ".data.rel.ro"')), 1 << random.randrange(7)
        value = random.choice(("zeroinitializer", "undef", 'c"\\01\\02\\03\\04"'))
        kind = random.choice(("global", "thread_local global", "constant"))
        yield f"@more{number} = {kind} [4 x i8] {value}{section}, align {align}\n"


def _extended(data: bytes) -> bytes:
    """The file with the number of its sections, and that of their names, where they stand if they do not fit."""
    found, made = ELFFile(BytesIO(data)), bytearray(data)
    order, wide = "<" if found.little_endian else ">", found.elfclass == 64
    count_at, first = 60 if wide else 48, found["e_shoff"]
    struct.pack_into(f"{order}HH", made, count_at, 0, 0xFFFF)
    numbers = found["e_shnum"], found["e_shstrndx"], found["e_phnum"]
    struct.pack_into(f"{order}{'QII' if wide else 'III'}", made, first + (32 if wide else 20), *numbers)
    if found["e_phnum"]:
        struct.pack_into(f"{order}H", made, count_at - 4, 0xFFFF)
    return bytes(made)
