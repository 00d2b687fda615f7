"""Syntax → model for what a spec declares: nothing in it refers to anything else."""

from wireloom_generator import model, types
from wireloom_generator.reading import syntax
from wireloom_generator.types import Declared


def documentation(written: syntax.Documented, *, title: str | None = None, unit: str | None = None) -> model.Doc:
    """The spec's description of something."""
    source = written.source
    where = model.Source(source.document, source.section, source.revision) if source else None
    text = " ".join((written.doc or "").split())
    errata = tuple(" ".join(erratum.split()) for erratum in written.erratum)
    return model.Doc(title or "", text, written.since, where, errata, unit)


def parameter(written: syntax.Parameter) -> model.Parameter:
    """A fact that is not in the bytes."""
    default = written.default if isinstance(written.default, bool) else str(written.default)
    return model.Parameter(
        written.name, default, written.choices, written.column, documentation(written), written=written
    )


def enum(written: syntax.Enum) -> model.Enum:
    """Named numbers."""

    def value(item: syntax.EnumValue) -> model.EnumValue:
        if item.value is not None:
            return model.EnumValue(item.name, item.value, item.value, False, documentation(item))
        assert item.first is not None and item.last is not None
        return model.EnumValue(item.name, item.first, item.last, True, documentation(item))

    return model.Enum(written.name, documentation(written), tuple(map(value, written.values)))


def flags(written: syntax.Flags) -> model.Flags:
    """Named bits."""
    values = tuple(model.Flag(item.name, item.value, documentation(item)) for item in written.values)
    return model.Flags(written.name, documentation(written), values)


def table(written: syntax.Table) -> model.Table:
    """A FlatBuffers table; fields of unknown types have no column."""
    fields = tuple(
        model.TableField(field.name, field.type, field.id, _table_default(field), documentation(field))
        for field in written.fields
    )
    found = ((field, types.parse(field.type)) for field in fields)
    columns = (
        model.Column(field.name, type_.column(Declared({}, {})), field.doc.text) for field, type_ in found if type_
    )
    return model.Table(written.name, documentation(written), fields, tuple(columns))


def _table_default(field: syntax.TableField) -> int | float | bool | str | None:
    if field.default is not None or field.type == "text":
        return field.default
    return False if field.type == "bool" else 0.0 if field.type.startswith("f") else 0


def example(written: syntax.Example) -> model.Example:
    """A worked example."""
    return model.Example(
        name=written.name,
        doc=documentation(written),
        data=bytes.fromhex(written.hex),
        parameters=written.parameters,
        decoded=written.decoded,
        malformed=written.malformed,
        at=written.at,
    )


def form(written: syntax.Form) -> model.Form:
    """A textual form."""
    entries = tuple(
        model.FormEntry(entry.key, entry.field, entry.notation, entry.const, entry.omit, documentation(entry))
        for entry in written.entries
    )
    return model.Form(written.name, documentation(written), entries)
