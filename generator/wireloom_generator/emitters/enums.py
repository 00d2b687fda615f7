"""enums.py: a ``WireEnum`` (an ``IntEnum``) for each enum, a ``WireFlags`` (an ``IntFlag``) for each set of flags."""

from collections.abc import Iterator

from wireloom_generator import model, naming
from wireloom_generator.blocks import class_name
from wireloom_generator.emitters import ModuleEmitter, module
from wireloom_generator.output import OutputFile
from wireloom_generator.python_code.pretty import docstring, group, imported, literal, render, string


def emit(protocol: model.Protocol) -> Iterator[OutputFile]:
    """The module with the protocol's named numbers and bits."""
    bases = [base for base, used in (("WireEnum", protocol.enums), ("WireFlags", protocol.flags)) if used]
    yield module(
        protocol,
        "enums.py",
        f"Named numbers and bits of {protocol.doc.title}.",
        bases=imported("wireloom.codec", bases) if bases else "",
        enums=map(_enum, protocol.enums),
        flags=map(_flags, protocol.flags),
    )


def _enum(enum: model.Enum) -> dict[str, object]:
    single = [_member(value, value.first) for value in enum.values if not value.range]
    ranges = sorted((value for value in enum.values if value.range), key=lambda value: value.last - value.first)
    rows = [group(literal(value.first), literal(value.last), string(value.label)) for value in ranges]
    return {
        "name": class_name(enum.name),
        "doc": _doc(enum),
        "members": single,
        "ranges": render(group(*rows), indent=8, before="return ") if rows else "",
    }


def _flags(flags: model.Flags) -> dict[str, object]:
    return {
        "name": class_name(flags.name),
        "doc": _doc(flags),
        "members": [_member(flag, flag.value) for flag in flags.values],
    }


def _doc(named: model.Enum | model.Flags) -> str:
    """The docstring of a class, with a paragraph for each of its values that is deprecated."""
    told = [f"{value.name}: {value.doc.deprecated}." for value in named.values if value.doc.deprecated]
    return docstring("\n\n".join([named.doc.comment or named.name, *told]), indent=4)


def _member(named: model.EnumValue | model.Flag, number: int) -> str:
    """A member of a class: its number, and the label if that is not the name."""
    name = naming.member(named.name)
    label = f", {string(named.label)}" if named.label != name else ""
    return f"{name} = {literal(number)}{label}"


EMITTER = ModuleEmitter(emit)
