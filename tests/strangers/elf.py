"""Object files as LLVM writes them, a library as a linker has, and what pyelftools reads in them."""

import _json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile
from llvmlite import binding as llvm

from strangers import Capture

TRIPLES = ("x86_64-linux-gnu", "i386-linux-gnu", "aarch64_be-linux-gnu", "powerpc-linux-gnu")
"""Machines of 32 and 64 bits, in both byte orders."""
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
    library = Path(_json.__file__).read_bytes()
    if library.startswith(b"\x7fELF"):
        yield Capture("library", library, (_read(library),))


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
    if found["e_phnum"]:
        own["program_headers"] = [_plain(dict(each.header)) for each in file.iter_segments()]
        own["segments"] = [each.data() for each in file.iter_segments()]
    sections = list(file.iter_sections())
    own["section_headers"] = [_plain(dict(each.header)) for each in sections]
    own["section_names"] = [each.name for each in sections]
    own["sections"] = [b"" if each["sh_type"] == "SHT_NOBITS" else each.data() for each in sections]
    return {"ei_data": 1 if file.little_endian else 2, f"elf{bits}": own}


def _plain(header: dict[str, Any]) -> dict[str, Any]:
    """A header without the names that pyelftools puts in place of numbers."""
    return {name: value for name, value in header.items() if isinstance(value, int)}
