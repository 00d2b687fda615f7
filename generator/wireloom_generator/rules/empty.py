"""Everything that has parts has at least one.

An enum without values names nothing, and Spark and Parquet cannot hold a struct without columns.

Bad::

    enums:
      - {name: Status, values: []}

Good::

    enums:
      - {name: Status, values: [{name: Ok, value: 0}]}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import nodes, structs
from wireloom_generator.analysis.written_columns import columns
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Problem


def check(spec: Resolved) -> Iterator[Problem]:
    """Lists with nothing in them, and structs without a column."""
    for shared in spec.shared:
        for numbers in shared.numbers:
            if not numbers.values:
                yield Problem(numbers.where("values"), "empty", f"{numbers.name} has no values")
        for table in shared.tables:
            if not table.fields:
                yield Problem(table.where("fields"), "empty", f"table {table.name} has no fields")
    for scope in structs(spec):
        struct = scope.owner
        if isinstance(struct, model.Struct) and not list(columns(spec, scope)):
            yield Problem(struct.where("fields"), "empty", f"type {struct.name} has no columns")
    for node in nodes(spec):
        if isinstance(node, model.Bits) and not node.fields:
            hint = "write the choice around the bits, with an integer in each alternative" if node.others else ""
            yield Problem(node.where("fields"), "empty", "no bit field is given", hint)
    for message in spec.messages:
        for form in message.forms:
            if not form.entries:
                yield Problem(form.where("entries"), "empty", f"form {form.name} has no entries")
