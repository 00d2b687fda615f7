"""How a spec uses a name: compares it with hexadecimal numbers, or needs the places of items or fields.

Numbers that a spec writes in hexadecimal are shown in hexadecimal.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from wireloom_generator import model
from wireloom_generator.expressions import OF_PLACES, Among, Compare, Hexadecimal, Name, Value, measured, parsed, walk
from wireloom_generator.model.names import Names
from wireloom_generator.problems import Location
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec


def compared_in(spec: Spec) -> frozenset[str]:
    """The record's fields that messages or conditions on whole records compare with hexadecimal numbers."""
    matches = [item for message in spec.messages for item in message.match.items()]
    found = frozenset(name for name, values in matches if _in_hexadecimal(values))
    proofs = [spec.record.proof, *(message.proof for message in spec.messages)]
    asked = (condition for proof in proofs if proof for condition in (proof.valid, proof.doubt))
    return found.union(_compared(asked), *map(compared, spec.messages))


def compared(message: syntax.Message) -> frozenset[str]:
    """The names that conditions on a message's whole records compare with hexadecimal numbers."""
    conditions = [message.valid, message.otherwise]
    conditions += (condition for variant in message.variants for condition in (variant.when, variant.valid))
    return _compared(conditions)


def is_in_hexadecimal(
    field: syntax.Field | syntax.BitField, enum: model.Enum | None, flags: model.Flags | None, names: Names
) -> bool:
    """Whether the spec writes one of the field's values in hexadecimal."""
    written: list[object] = [field.const, field.default]
    if enum is not None:
        written += (value.first for value in enum.values)
    if flags is not None:
        written += (flag.value for flag in flags.values)
    compared_with = _compared([field.valid])
    return _in_hexadecimal(written) or field.name in compared_with or field.name in names.hexadecimal


def _compared(conditions: Iterable[str | None]) -> frozenset[str]:
    """The names that conditions compare with hexadecimal values or bits, bounds aside."""
    trees = [tree for text in conditions if text is not None and (tree := parsed(text)) is not None]
    found: set[str] = set()
    for comparison in (part for tree in trees for part in walk(tree)):
        if isinstance(comparison, Among) or (isinstance(comparison, Compare) and comparison.operator in ("==", "!=")):
            inside = list(walk(comparison))
            if _in_hexadecimal(part.value for part in inside if isinstance(part, Value)):
                found |= {part.name for part in inside if isinstance(part, Name)}
    return frozenset(found)


def _in_hexadecimal(values: Iterable[object]) -> bool:
    """Whether one of the values is written in hexadecimal."""
    return any(isinstance(value, Hexadecimal) for value in values)


_SIGN = re.compile(r"\[|\b(?:first|last)\(|\b(?:size|offset)\([^()]*\.")


def watched(spec: Spec) -> frozenset[str]:
    """The names of these fields; others of these names count as well."""
    lists = (*spec.lists, *(struct.fields for struct in spec.structs.values()))
    entries = [entry for listed in lists for entry in syntax.walk(listed)]
    found = {name for entry in entries for text in _texts(entry) for name in _measured(text)}
    for message in spec.messages:
        conditions = (
            message.derive,
            message.valid,
            message.otherwise,
            *((each.when, each.valid) for each in message.variants),
        )
        found |= {name for text in _texts(conditions) for name in _measured(text)}
    own = (entry for entry in entries if isinstance(entry, syntax.Field) and entry.repeat is not None)
    return frozenset(found.union(entry.name for entry in own if any(map(_asks(entry.name), _texts(entry)))))


def _measured(text: str) -> Iterator[str]:
    """The lists and structs whose contents the text measures or locates."""
    tree = parsed(text)
    for function, name in () if tree is None else measured(tree):
        if function in OF_PLACES and name.item is not None:
            yield from (*name.steps, *name.item.inner[:-1])
        elif function in OF_PLACES:
            yield from name.steps[:-1]


def _asks(name: str) -> Callable[[str], bool]:
    """Whether a text uses items of that list."""

    def asks(text: str) -> bool:
        tree = parsed(text)
        parts = () if tree is None else walk(tree)
        return any(isinstance(part, Name) and part.item is not None and part.item.list == name for part in parts)

    return asks


def _texts(written: object) -> Iterator[str]:
    """The texts in a part of a spec that may be expressions about items, or about the contents of structs."""
    match written:
        case str():
            if _SIGN.search(written):
                yield written
        case None | int() | Location() | syntax.Doc():
            pass
        case tuple():
            for value in written:
                yield from _texts(value)
        case Mapping():
            for value in written.values():
                yield from _texts(value)
        case _:  # any other mapping of a spec
            for name in getattr(written, "__dataclass_fields__", ()):
                yield from _texts(getattr(written, name))
