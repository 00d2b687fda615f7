"""enums.py: a ``WireEnum`` (an ``IntEnum``) for each enum, a ``WireFlags`` (an ``IntFlag``) for each set of flags."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from wireloom_generator import model
from wireloom_generator.emitters import Emitter, Place
from wireloom_generator.output import OutputFile, head
from wireloom_generator.python_code.pretty import docstring, group, literal, render, string


def emit(protocol: model.Protocol) -> Iterator[OutputFile]:
    """The module with the protocol's named numbers and bits."""
    parts = [head(protocol.folders), docstring(f"Named numbers and bits of {protocol.doc.title or protocol.name}."), ""]
    bases = [base for base, used in (("WireEnum", protocol.enums), ("WireFlags", protocol.flags)) if used]
    parts += [f"from wireloom.codec import {', '.join(bases)}\n"] if bases else []
    parts += [_enum(enum) for enum in protocol.enums]
    parts += [_flags(flags) for flags in protocol.flags]
    yield OutputFile(PurePosixPath(protocol.name, "enums.py"), "\n".join(parts))


def _enum(enum: model.Enum) -> str:
    lines = [f"\nclass {enum.name}(WireEnum):", docstring(enum.doc.text or enum.name, indent=4), ""]
    lines += [f"    {value.name} = {literal(value.first)}" for value in enum.values if not value.range]
    ranges = sorted((value for value in enum.values if value.range), key=lambda value: value.last - value.first)
    if ranges:
        rows = [group(literal(value.first), literal(value.last), string(value.name)) for value in ranges]
        signature = "    def ranges(cls) -> tuple[tuple[int, int, str], ...]:"
        table = " " * 8 + render(group(*rows), indent=8, before="return ")
        lines += ["", "    @classmethod", signature, table]
    return "\n".join(lines) + "\n"


def _flags(flags: model.Flags) -> str:
    lines = [f"\nclass {flags.name}(WireFlags):", docstring(flags.doc.text or flags.name, indent=4), ""]
    lines += [f"    {flag.name} = {literal(flag.value)}" for flag in flags.values]
    return "\n".join(lines) + "\n"


EMITTER = Emitter(lambda subject: emit(subject.protocol), Place.PACKAGE)
