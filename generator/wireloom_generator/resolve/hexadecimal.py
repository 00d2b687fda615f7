"""Which names a spec writes numbers of in hexadecimal, so that people are shown them so."""

from collections.abc import Iterable

from wireloom_generator import model
from wireloom_generator.expressions import notation, parsed
from wireloom_generator.model.names import Names
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec


def compared_in(spec: Spec) -> frozenset[str]:
    """The record's fields that messages or conditions on whole records compare with hexadecimal numbers."""
    matches = [item for message in spec.messages for item in message.match.items()]
    found = frozenset(name for name, values in matches if notation.in_hexadecimal(values))
    proofs = [spec.record.proof, *(message.proof for message in spec.messages)]
    asked = (condition for proof in proofs if proof for condition in (proof.valid, proof.doubt))
    return found.union(_compared(asked), *map(compared, spec.messages))


def compared(message: syntax.Message) -> frozenset[str]:
    """The names that conditions on a message's whole records compare with hexadecimal numbers."""
    conditions = [message.valid, message.otherwise]
    conditions += (condition for variant in message.variants for condition in (variant.when, variant.valid))
    return _compared(conditions)


def is_written(
    field: syntax.Field | syntax.BitField, enum: model.Enum | None, flags: model.Flags | None, names: Names
) -> bool:
    """Whether the spec writes one of the field's values in hexadecimal."""
    written: list[object] = [field.const, field.default]
    if enum is not None:
        written += (value.first for value in enum.values)
    if flags is not None:
        written += (flag.value for flag in flags.values)
    told = _compared([field.valid])
    return notation.in_hexadecimal(written) or field.name in told or field.name in names.hexadecimal


def _compared(conditions: Iterable[str | None]) -> frozenset[str]:
    return notation.compared(*(text for text in conditions if text is not None and parsed(text) is not None))
