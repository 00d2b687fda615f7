"""Structs of C → sizes and offsets, as on x86-64 with Linux: little endian, LP64, bit fields as GCC has them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from wireloom_generator.importers.cstruct.constants import UnknownValueError, evaluated
from wireloom_generator.importers.cstruct.source import ALIGNED, ODD, PACKED, Source

_INTEGERS = {"char": 1, "short": 2, "int": 4, "long": 8, "longlong": 8, "__int128": 16}
_FLOATS = {"float": 4, "double": 8, "longdouble": 16, "_Float16": 2}
_UNSIGNED = {8: "unsigned char", 16: "unsigned short", 32: "unsigned int", 64: "unsigned long"}
_SIGNED = {8: "signed char", 16: "short", 32: "int", 64: "long"}


def _typedefs() -> Iterator[tuple[str, str]]:
    """The types that headers of systems have, in the words of C."""
    for bits in (8, 16, 32, 64):
        for name in (f"uint{bits}_t", f"u_int{bits}_t", f"u{bits}", f"__u{bits}", f"UINT{bits}", f"__le{bits}"):
            yield name, _UNSIGNED[bits]
        for name in (f"int{bits}_t", f"s{bits}", f"__s{bits}", f"INT{bits}"):
            yield name, _SIGNED[bits]
        for name in (f"__be{bits}", f"be{bits}"):
            yield name, _UNSIGNED[bits]
        yield f"le{bits}", _UNSIGNED[bits]
    yield from (
        ("bool", "_Bool"), ("size_t", "unsigned long"), ("ssize_t", "long"), ("ptrdiff_t", "long"),
        ("intptr_t", "long"), ("uintptr_t", "unsigned long"), ("wchar_t", "int"), ("char16_t", "unsigned short"),
        ("char32_t", "unsigned int"), ("time_t", "long"), ("off_t", "long"), ("pid_t", "int"),
        ("uid_t", "unsigned int"), ("gid_t", "unsigned int"), ("mode_t", "unsigned int"),
        ("ushort", "unsigned short"), ("uint", "unsigned int"),
        ("BYTE", "unsigned char"), ("WORD", "unsigned short"), ("DWORD", "unsigned int"), ("QWORD", "unsigned long"),
        ("UCHAR", "unsigned char"), ("USHORT", "unsigned short"), ("ULONG", "unsigned int"), ("LONG", "int"),
        ("CHAR", "char"), ("SHORT", "short"), ("in_addr_t", "unsigned int"), ("in_port_t", "unsigned short"),
        ("sa_family_t", "unsigned short"), ("__kernel_sa_family_t", "unsigned short"), ("__sum16", "unsigned short"),
    )  # fmt: skip


BIG_ENDIAN = frozenset({f"{name}{bits}" for name in ("__be", "be") for bits in (16, 32, 64)})
PRELUDE = " ".join(f"typedef {words} {name};" for name, words in _typedefs())
"""In front of what pycparser reads, on a line of its own."""


class UnsayableError(Exception):
    """A struct has no known layout."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.line = line


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number: ``kind`` is ``i``, ``u``, ``f``, ``char``, ``bool``, or ``bytes`` with the reason for that."""

    kind: str
    size: int
    reason: str = ""
    is_big: bool = False
    enum: "CEnum | None" = None

    @property
    def align(self) -> int:
        return self.size


@dataclass(slots=True)
class CEnum:
    name: str
    line: int
    values: list[tuple[str, int]]
    is_packed: bool = False


@dataclass(slots=True)
class StructMember:
    """A member at its place, in bits from the start of the struct; ``width`` is that of a bit field."""

    name: str
    line: int
    type: "Scalar | Struct"
    start: int
    bits: int
    dims: tuple[int, ...] = ()
    width: int | None = None
    is_flexible: bool = False

    @property
    def stop(self) -> int:
        return self.start + self.bits


@dataclass(slots=True)
class Struct:
    name: str
    line: int
    members: list[StructMember] = field(default_factory=list)
    size: int = 0
    align: int = 1
    is_union: bool = False
    reason: str = ""

    @property
    def is_flexible(self) -> bool:
        return bool(self.members) and self.members[-1].is_flexible


@dataclass
class Layouts:
    """The types of a file."""

    source: Source
    typedefs: dict[str, Any] = field(default_factory=dict)
    tags: dict[str, Any] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    """The typedefs of structs and enums without a tag, by node."""
    constants: dict[str, int] = field(default_factory=dict)
    structs: dict[int, "Struct | UnsayableError | None"] = field(default_factory=dict)
    enums: dict[int, CEnum] = field(default_factory=dict)
    found: list[Any] = field(default_factory=list)
    """The structs with a name, in order."""
    used: set[int] = field(default_factory=set)
    """Those that are members of others."""

    def add(self, node: Any) -> None:
        """A declaration of the file."""
        kind = type(node).__name__
        if kind == "Typedef":
            self._declared(node.type, node.name)
            self.typedefs[node.name] = node.type
        elif kind == "Decl":
            self._declared(node.type, "")

    def _declared(self, node: Any, name: str) -> None:
        """Note the structs and enums that a type declares."""
        kind = type(node).__name__
        if kind in ("TypeDecl", "ArrayDecl", "PtrDecl"):
            self._declared(node.type, name if kind == "TypeDecl" else "")
        elif kind == "Enum":
            if node.values is not None:
                self.tags[f"enum {node.name}"] = node
                self.names[id(node)] = node.name or name
                self._enum(node)
        elif kind in ("Struct", "Union") and node.decls is not None:
            self.tags[f"{kind.lower()} {node.name}"] = node
            self.names[id(node)] = node.name or name
            if kind == "Struct" and (node.name or name):
                self.found.append(node)
            for each in node.decls:
                if type(each).__name__ == "Decl":
                    self._declared(each.type, "")

    def is_false(self, node: Any) -> bool:
        """Whether it is an assertion on the layout that does not hold."""
        try:
            return type(node).__name__ == "StaticAssert" and self.value(node.cond) == 0
        except UnknownValueError:
            return False

    def line(self, node: Any) -> int:
        """The line of the text, which has one in front for pycparser."""
        return node.coord.line - 1 if getattr(node, "coord", None) else 1

    def _enum(self, node: Any) -> CEnum:
        if id(node) in self.enums:
            return self.enums[id(node)]
        found = CEnum(self.names.get(id(node), ""), self.line(node), [])
        following = 0
        for each in node.values.enumerators:
            if each.name == PACKED:
                found.is_packed = True
                continue
            if each.value is not None:
                try:
                    following = self.value(each.value)
                except UnknownValueError:
                    raise UnsayableError(f"the value of {each.name} is not known", self.line(each)) from None
            self.constants[each.name] = following
            found.values.append((each.name, following))
            following += 1
        self.enums[id(node)] = found
        return found

    def value(self, node: Any) -> int:
        """The value of a constant expression. Raises ``UnknownValueError``."""
        return evaluated(node, self.constants, self._size_of)

    def _size_of(self, node: Any) -> int | None:
        try:
            found, dims, _ = self._resolved(node.type if type(node).__name__ == "Typename" else node, 0)
        except UnsayableError:
            return None
        return _product(dims) * found.size

    def _resolved(self, node: Any, depth: int) -> "tuple[Scalar | Struct, tuple[int, ...], bool]":
        """The type of a declaration, the numbers of items, and whether the first of these is open."""
        kind = type(node).__name__
        if depth > 100:
            raise UnsayableError("its type is too deep", self.line(node))
        if kind == "TypeDecl":
            return self._resolved(node.type, depth + 1)
        if kind == "ArrayDecl":
            found, dims, is_open = self._resolved(node.type, depth + 1)
            if is_open:
                raise UnsayableError("only the first number of items may be open", self.line(node))
            if node.dim is None:
                return found, (0, *dims), True
            try:
                count = self.value(node.dim)
            except UnknownValueError:
                raise UnsayableError("the number of items is not known", self.line(node)) from None
            if not 0 <= count < 1 << 31:
                raise UnsayableError(f"{count} items", self.line(node))
            return found, (count, *dims), count == 0
        if kind in ("PtrDecl", "FuncDecl"):
            return Scalar("bytes", 8, "a pointer means something in its process alone"), (), False
        if kind == "Enum":
            return self._enum_type(node), (), False
        if kind in ("Struct", "Union"):
            return self._struct_type(node), (), False
        if kind == "IdentifierType":
            return self._named(node, depth)
        raise UnsayableError(f"{kind} is no type", self.line(node))

    def _named(self, node: Any, depth: int) -> "tuple[Scalar | Struct, tuple[int, ...], bool]":
        words = list(node.names)
        if len(words) == 1 and words[0] in self.typedefs:
            found, dims, is_open = self._resolved(self.typedefs[words[0]], depth + 1)
            is_big = words[0] in BIG_ENDIAN
            return (replace(found, is_big=True) if is_big and isinstance(found, Scalar) else found), dims, is_open
        bare = "".join(word for word in words if word not in ("signed", "unsigned"))
        bare = bare.replace("int", "", 1) if bare not in ("int", "__int128") and "int" in words else bare
        if words == ["_Bool"]:
            return Scalar("bool", 1), (), False
        if bare in _FLOATS:
            size = _FLOATS[bare]
            return (Scalar("bytes", 16, "a long double") if size == 16 else Scalar("f", size)), (), False
        if words == ["char"]:
            return Scalar("char", 1), (), False
        size = _INTEGERS.get(bare or "int", 0)
        if not size:
            raise UnsayableError(f"the type {' '.join(words)} is not known", self.line(node))
        kind = "u" if "unsigned" in words else "i"
        return (Scalar("bytes", 16, "an integer of 128 bits") if size == 16 else Scalar(kind, size)), (), False

    def _enum_type(self, node: Any) -> Scalar:
        if node.values is None:
            node = self.tags.get(f"enum {node.name}")
            if node is None:
                raise UnsayableError("an enum that is declared nowhere", 1)
        found = self._enum(node)
        lowest = min((number for _, number in found.values), default=0)
        highest = max((number for _, number in found.values), default=0)
        kind = "i" if lowest < 0 else "u"
        bits = max(highest.bit_length() + (lowest < 0), (-lowest - 1).bit_length() + 1 if lowest < 0 else 0)
        sizes = (1, 2, 4) if found.is_packed else (4,)
        return Scalar(kind, next((size for size in sizes if 8 * size >= bits), 8), enum=found)

    def _struct_type(self, node: Any) -> Struct:
        name = f"{type(node).__name__.lower()} {node.name}"
        if node.decls is None:
            if name not in self.tags:
                raise UnsayableError(f"{name} is declared nowhere", self.line(node))
            node = self.tags[name]
        found = self.struct(node)
        if isinstance(found, Struct):
            return found
        raise UnsayableError(f"{name}: {found}" if node.name else str(found), self.line(node))

    def struct(self, node: Any) -> "Struct | UnsayableError":
        """The layout of a struct, or why it has none."""
        key = id(node)
        if key not in self.structs:
            self.structs[key] = None
            try:
                self.structs[key] = self._laid_out(node)
            except UnsayableError as error:
                self.structs[key] = error
            except RecursionError:
                self.structs[key] = UnsayableError("it is too deep", self.line(node))
        return self.structs[key] or UnsayableError("it contains itself", self.line(node))

    def _laid_out(self, node: Any) -> Struct:
        found = Struct(self.names.get(id(node), node.name or ""), self.line(node))
        found.is_union = type(node).__name__ == "Union"
        decls = [each for each in node.decls if type(each).__name__ == "Decl"]
        names = [each.name for each in decls]
        if ODD in names:
            raise UnsayableError("it has an attribute that is not known here", found.line)
        is_packed = PACKED in names
        pack = self.source.packs[min(found.line, len(self.source.packs)) - 1]
        at = end = 0
        for each in decls:
            if each.name == ALIGNED:
                found.align = max(found.align, self._alignment(each.type.dim, found.line))
            if each.name in (ALIGNED, PACKED):
                continue
            member = self._member(each, 0 if found.is_union else at, is_packed=is_packed, pack=pack, struct=found)
            if member is not None:
                found.members.append(member)
                at = member.stop
                end = max(end, at)
            elif each.bitsize is not None:
                at = self._aligned_unnamed(each, at, pack)
                end = max(end, at)
        size = (end + 7) // 8
        found.size = -(-size // found.align) * found.align
        return found

    def _alignment(self, node: Any, line: int) -> int:
        try:
            found = self.value(node)
        except UnknownValueError:
            found = 0
        if found <= 0 or found & (found - 1) or found > 4096:
            raise UnsayableError("its alignment is not known", line)
        return found

    def _aligned_unnamed(self, decl: Any, at: int, pack: int) -> int:
        """Where the bits after ``: 0`` begin."""
        scalar, _, _ = self._resolved(decl.type, 0)
        unit = 8 * scalar.align
        return -(-at // unit) * unit

    def _member(self, decl: Any, at: int, *, is_packed: bool, pack: int, struct: Struct) -> StructMember | None:
        line = self.line(decl)
        scalar, dims, is_open = self._resolved(decl.type, 0)
        align = 1 if is_packed else min(scalar.align, pack or scalar.align)
        if decl.align:
            align = max(align, *(self._alignment(each.alignment, line) for each in decl.align))
        if decl.bitsize is not None:
            try:
                width = self.value(decl.bitsize)
            except UnknownValueError:
                raise UnsayableError("the width of a bit field is not known", line) from None
            if not isinstance(scalar, Scalar) or not 0 <= width <= 8 * scalar.size:
                raise UnsayableError("a bit field is too wide", line)
            if not width:
                return None
            unit = 8 * scalar.size
            if not is_packed and not pack and at % unit + width > unit:
                at = -(-at // unit) * unit
            if decl.name is not None:
                struct.align = max(struct.align, align)
            return StructMember(decl.name or "", line, scalar, at, width, width=width)
        if isinstance(scalar, Struct):
            if not struct.is_union:
                self.used.add(id(scalar))
            if scalar.is_flexible:
                raise UnsayableError("a struct without an end is inside it", line)
        struct.align = max(struct.align, align)
        at = -(-at // (8 * align)) * 8 * align
        return StructMember(
            decl.name or "", line, scalar, at, 8 * scalar.size * _product(dims), dims, is_flexible=is_open
        )


def _product(numbers: Sequence[int]) -> int:
    found = 1
    for number in numbers:
        found *= number
    return found
