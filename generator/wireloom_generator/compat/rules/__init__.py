"""The rules of compatibility, in modules by subject.

The rule ``field-moved`` is the function ``field_moved``; its page is ``pages/field-moved.md``.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from wireloom_generator.compat.changes import Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.compat.rules import (
    columns,
    documentation,
    enums,
    fields,
    layout,
    messages,
    parameters,
    protocols,
    values,
    variants,
)

Check = Callable[[Comparison], Iterator[Change]]

_CHECKS: Mapping[Category, tuple[Check, ...]] = {
    Category.WIRE: (
        enums.enum_value_renumbered,
        enums.enum_value_reused,
        enums.flag_bit_reused,
        enums.flag_renumbered,
        fields.encoding_changed,
        fields.field_resized,
        fields.field_retyped,
        fields.flatbuffer_changed,
        fields.inputs_changed,
        fields.raw_changed,
        fields.repetition_changed,
        fields.signedness_changed,
        fields.through_changed,
        layout.condition_changed,
        layout.field_added,
        layout.field_moved,
        layout.field_removed,
        layout.optional_changed,
        layout.padding_changed,
        layout.place_changed,
        layout.section_changed,
        messages.dispatch_reused,
        messages.form_changed,
        messages.match_changed,
        messages.message_added,
        messages.message_removed,
        messages.validity_changed,
        parameters.parameter_default_changed,
        protocols.byte_order_changed,
        protocols.framing_changed,
        protocols.protocol_removed,
        values.checksum_changed,
        values.computed_changed,
        values.constant_changed,
        values.derivation_changed,
        values.meaning_changed,
        values.range_changed,
        variants.variant_added,
        variants.variant_condition_changed,
        variants.variant_removed,
        variants.variant_reordered,
        variants.variant_shadowed,
    ),
    Category.CODEC: (
        enums.enum_removed,
        enums.enum_value_added,
        enums.enum_value_removed,
        enums.flag_added,
        enums.flag_removed,
        enums.label_changed,
        enums.labelling_changed,
        fields.field_renamed,
        messages.answers_changed,
        messages.message_renamed,
        parameters.parameter_added,
        parameters.parameter_removed,
        protocols.ports_changed,
        values.default_changed,
        variants.variant_renamed,
    ),
    Category.TABLE: (
        columns.column_added,
        columns.column_removed,
        columns.column_renamed,
        columns.column_reordered,
        columns.column_retyped,
    ),
    Category.DOCS: (
        documentation.doc_changed,
        documentation.erratum_changed,
        documentation.example_changed,
    ),
}


@dataclass(frozen=True, slots=True)
class CompatRule:
    """A rule: its id, what its findings break, and the function that finds them."""

    id: str
    category: Category
    check: Check


RULES: tuple[CompatRule, ...] = tuple(
    CompatRule(check.__name__.replace("_", "-"), category, check)
    for category, checks in _CHECKS.items()
    for check in checks
)
