"""Syntax → model for what a spec declares: nothing in it refers to anything else."""

from collections.abc import Iterable

from wireloom_generator import model, types
from wireloom_generator.reading import syntax
from wireloom_generator.types import Declared


def documentation(written: syntax.Documented, *, title: str | None = None, unit: str | None = None) -> model.Doc:
    """The spec's description of something."""
    source = written.source
    where = model.Source(source.document, source.section, source.revision) if source else None
    text = " ".join((written.doc or "").split())
    errata = tuple(" ".join(erratum.split()) for erratum in written.erratum)
    old = written.deprecated
    deprecated = model.Deprecation(old.since, old.replaced_by) if old else None
    return model.Doc(title or "", text, written.since, where, errata, unit, deprecated, _accepted(written.accept))


def included(written: syntax.Include) -> model.Included:
    """An include."""
    return model.Included(written.include, doc=model.Doc(accepted=_accepted(written.accept)), written=written)


def _accepted(written: Iterable[syntax.Acceptance]) -> tuple[model.Acceptance, ...]:
    return tuple(model.Acceptance(entry.rule, entry.reason, written=entry) for entry in written)


def declarations(written: syntax.Protocol | syntax.Library) -> model.Declarations:
    """What a file declares, but for shared structs and variants, which refer to others."""
    if isinstance(written, syntax.Protocol):
        kind, name, parameters = "protocol", written.protocol, written.parameters
    else:
        kind, name, parameters = "library", written.library, ()
    return model.Declarations(
        kind=kind,
        name=name,
        doc=documentation(written, title=written.title or name),
        parameters=tuple(map(parameter, parameters)),
        enums=tuple(map(enum, written.enums)),
        flags=tuple(map(flags, written.flags)),
        structs=(),
        tables=tuple(map(table, written.tables)),
        variants=(),
        written=written,
    )


def parameter(written: syntax.Parameter) -> model.Parameter:
    """A fact that is not in the bytes."""
    return model.Parameter(
        name=written.name,
        type=written.type,
        default=written.default,
        choices=written.choices,
        column=written.column,
        doc=documentation(written),
        written=written,
    )


def enum(written: syntax.Enum) -> model.Enum:
    """Named numbers."""
    values = tuple(map(_enum_value, written.values))
    return model.Enum(written.name, values, written.groups, doc=documentation(written), written=written)


def _enum_value(written: syntax.EnumValue) -> model.EnumValue:
    """A named number, or else a range; an end that is not given is where the other is."""
    given = [number for number in (written.value, written.first, written.last) if number is not None] or [0]
    is_range = written.value is None
    last = given[-1] if is_range else given[0]
    label = written.name if written.label is None else written.label
    return model.EnumValue(written.name, label, given[0], last, is_range, doc=documentation(written), written=written)


def flags(written: syntax.Flags) -> model.Flags:
    """Named bits."""
    values = tuple(map(_flag, written.values))
    return model.Flags(written.name, values, doc=documentation(written), written=written)


def _flag(written: syntax.FlagValue) -> model.Flag:
    label = written.name if written.label is None else written.label
    return model.Flag(written.name, label, written.value, doc=documentation(written), written=written)


def table(written: syntax.Table) -> model.Table:
    """A FlatBuffers table; fields of unknown types have no column."""
    fields = tuple(
        model.TableField(
            field.name, field.type, field.id, _table_default(field), doc=documentation(field), written=field
        )
        for field in written.fields
    )
    found = ((field, types.parse(field.type)) for field in fields)
    columns = (
        model.Column(field.name, type_.column(Declared({}, {})), field.doc.comment) for field, type_ in found if type_
    )
    return model.Table(written.name, fields, tuple(columns), doc=documentation(written), written=written)


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
        written=written,
    )


def form(written: syntax.Form) -> model.Form:
    """A textual form."""
    entries = tuple(
        model.FormEntry(
            entry.key, entry.field, entry.notation, entry.const, entry.omit, doc=documentation(entry), written=entry
        )
        for entry in written.entries
    )
    return model.Form(written.name, written.style, written.reads, entries, doc=documentation(written), written=written)
