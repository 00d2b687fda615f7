"""Worked examples."""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.analysis.scopes import Visit, head, message_scopes, struct_of
from wireloom_generator.analysis.written_columns import Sort, WrittenColumn, columns, inner_columns
from wireloom_generator.model import Named, Resolved
from wireloom_generator.problems import Location, Violation, closest
from wireloom_generator.types import FlatBuffers, spelled

_CODES = (
    "ambiguous", "checksum", "constant", "count", "damaged", "derived", "escape", "flatbuffers", "gap", "http",
    "invalid", "invalid-size", "json", "leb128", "message", "missing-package", "overrun", "packed", "padding", "place",
    "range", "text", "tls", "too-deep", "too-long", "trailing-bytes", "truncated", "unknown-layout", "unterminated",
    "varint",
)  # fmt: skip
"""The kinds of damage that readers distinguish."""


def example(spec: Resolved) -> Iterator[Violation]:
    """Reports examples that contradict themselves, and unknown names in them."""
    header = list(columns(spec, head(spec)))
    for message, scope in message_scopes(spec):
        known = [*header, *columns(spec, scope)]
        for example in message.examples:
            yield from _outcome(example)
            yield from _parameters(spec, example)
            for name, value in example.decoded.items():
                yield from _column(spec, known, example.where(f"decoded.{name}"), name, value)


def _outcome(example: model.Example) -> Iterator[Violation]:
    if example.decoded and example.malformed is not None:
        yield Violation(example.where("malformed"), "an example has both malformed and decoded")
    if example.malformed is not None and example.malformed not in _CODES:
        what = f"there is no kind of malformed record called {example.malformed!r}"
        yield Violation(example.where("malformed"), what, closest(example.malformed, _CODES))
    if not example.data and example.malformed is None:
        yield Violation(example.where("hex"), "the example has no bytes")


def _parameters(spec: Resolved, example: model.Example) -> Iterator[Violation]:
    for name, value in example.parameters.items():
        at, parameter = example.where(f"parameters.{name}"), spec.parameters.get(name)
        if parameter is None:
            yield Violation(at, f"unknown parameter {name!r}", closest(name, spec.parameters))
        elif parameter.choices and value not in parameter.choices:
            yield Violation(at, f"{name!r} is never {spelled(value)}", closest(str(value), parameter.choices))
        elif parameter.type == "bool" and not isinstance(value, bool):
            yield Violation(at, f"{name!r} is true or false, not {spelled(value)}")
        elif parameter.bounds is not None and not parameter.can_be(value):
            least, most = parameter.bounds
            yield Violation(at, f"{name!r} is a number from {least} to {most}, not {spelled(value)}")


def _column(spec: Resolved, known: list[WrittenColumn], at: Location, path: str, value: object) -> Iterator[Violation]:
    """Whether there is a column for the last name of ``path``, and for the names inside its value."""
    name = path.rpartition(".")[2]
    found = [column for column in known if column.name == name]
    if not found:
        yield Violation(at, f"there is no column {path!r}", closest(name, {column.name for column in known}))
    inside = value if isinstance(value, list) else [value]
    if found and all(column.sort in (Sort.NAME, Sort.FLAGS) for column in found):
        labels = {label for column in found for label in _labels(spec, column)}
        for label in inside:
            if labels and isinstance(label, str) and label not in labels:
                yield Violation(at, f"{path!r} is never {spelled(label)}", closest(label, labels))
    for column in found[:1]:
        if column.sort is Sort.FIELD and column.visit is not None:
            for inner in inside:
                if isinstance(inner, dict):
                    yield from _inner_columns(spec, column.visit, at, path, inner)


def _labels(spec: Resolved, column: WrittenColumn) -> Iterator[str]:
    """The names that a label column can have; none if nothing declares them."""
    field = column.visit.item if column.visit else None
    enum = spec.enums.get(field.enum or "") if isinstance(field, Named) else None
    flags = spec.flags.get(field.flags or "") if isinstance(field, model.Field) else None
    yield from (value.label for value in (enum.values if enum else ()))
    yield from (flag.label for flag in (flags.values if flags else ()))


def _inner_columns(
    spec: Resolved, visit: Visit, at: Location, path: str, values: dict[str, object]
) -> Iterator[Violation]:
    field = visit.item
    assert isinstance(field, Named)
    table = spec.tables.get(field.type.table) if isinstance(field.type, FlatBuffers) else None
    struct = struct_of(spec, field)
    if table is not None:
        names = {item.name for item in table.fields}
        for name in values.keys() - names:
            yield Violation(at, f"there is no column '{path}.{name}'", closest(name, names))
    elif struct is not None and struct.name not in spec.recursive:
        known = list(inner_columns(spec, struct))
        for name, value in values.items():
            yield from _column(spec, known, at, f"{path}.{name}", value)
    elif struct is None:
        yield Violation(at, f"{path!r} is a single value without columns", "write the value")
