"""The rules that a spec must keep, in modules by subject.

The rule ``known-type`` is the function ``known_type``; its page is ``pages/known-type.md``. The folder also has the
pages of problems that the compiler finds before or after the rules.
"""

from collections.abc import Callable, Iterator, Mapping

from wireloom_generator import acceptance
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem, Violation
from wireloom_generator.rules import (
    alternatives,
    checksums,
    columns,
    cycles,
    declarations,
    enums,
    examples,
    expression,
    extents,
    forms,
    known,
    messages,
    names,
    numbers,
    operands,
    parameters,
    possible,
    proofs,
    records,
    sections,
    sequences,
    structs,
    transforms,
    values,
)

Rule = Callable[[Resolved], Iterator[Violation]]

_CHECKS: tuple[Rule, ...] = (
    alternatives.choice,
    alternatives.variant_columns,
    alternatives.variant_open,
    alternatives.variant_order,
    alternatives.variant_overlap,
    checksums.checksum_algorithm,
    columns.column_collision,
    columns.table_type,
    cycles.checksum_cycle,
    cycles.derive_cycle,
    cycles.recursive_type,
    declarations.deprecated,
    declarations.empty,
    declarations.unused,
    enums.enum_on_integer,
    enums.enum_values,
    enums.flag_values,
    examples.example,
    expression.expression,
    extents.extent,
    forms.form,
    known.known_enum,
    known.known_include,
    known.known_section,
    known.known_table,
    known.known_type,
    known.known_variant,
    messages.answers,
    messages.dispatch,
    messages.ports,
    names.file_name,
    names.name_style,
    names.spark_format,
    names.unique_name,
    numbers.bits,
    numbers.byte_order,
    numbers.integer_width,
    operands.absent_value,
    operands.expression_type,
    operands.item,
    operands.read_order,
    parameters.parameters,
    possible.possible_bytes,
    possible.possible_value,
    proofs.order_proof,
    proofs.proof,
    records.capture,
    records.record_length,
    sections.section_nesting,
    sections.section_size,
    sections.trailing,
    sequences.elsewhere,
    sequences.one_rest,
    sequences.optional_last,
    sequences.padding,
    sequences.repeat,
    structs.given,
    structs.table_fields,
    transforms.through,
    values.const_fits,
    values.default_fits,
    values.meaning,
    values.value_source,
)

RULES: Mapping[str, Rule] = {rule.__name__.replace("_", "-"): rule for rule in _CHECKS}
"""Every rule by its id."""


def check(spec: Resolved) -> Iterator[Problem]:
    """All problems of a spec that it does not accept."""
    found = {violation.of(name) for name, rule in RULES.items() for violation in rule(spec)}
    return acceptance.applied(spec, found, RULES)
