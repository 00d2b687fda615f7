"""Whole records in programs that write."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from wireloom.codec import Column
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler
from wireloom.programs.reading.lowering import Lowering
from wireloom.programs.records import RecordLowering, is_proven
from wireloom.programs.values import Level, NoProgramError
from wireloom.programs.writing.inputs import Inputs, Outline, Path
from wireloom.programs.writing.layout import Arranging
from wireloom.programs.writing.scope import Laid
from wireloom.programs.writing.verification import ListRead, reread


class WrittenRecord(NamedTuple):
    """A record that a program writes from ``inputs`` and then reads again, and the lists that are to be compared."""

    laid: Arranging
    inputs: Inputs
    read: Lowering
    lists: dict[Path, ListRead]


def write_record(
    records: RecordLowering, number: int, outlines: Mapping[str, Outline], settled: Mapping[str, int] = {}
) -> WrittenRecord:
    """Write records of the message with that number, from a table with columns of these outlines: those of the header,
    and of the message. The table has the numbers of their variants, too, as ``VARIANT``. Fields of the header have the
    numbers that are ``settled``. Raises ``NoProgramError``.
    """
    protocol, said = records.protocol, records.messages[number]
    asm = Assembler()
    inputs = Inputs(asm)
    if said.name not in outlines:
        raise NoProgramError("a message without a struct of its own")
    outline = outlines[said.name]
    with asm.field(said.name):
        asm.check(inputs.valid((said.name,), outline), op.ONES)
    of_header = {name: each for name, each in outlines.items() if name != said.name}
    header = _given(inputs, (), of_header, protocol.record.columns)
    with asm.field(said.name):
        fields = _given(inputs, (said.name,), dict(outline.fields), said.columns)
    laid = Arranging(records.parameters, asm, header, little=records.little)
    for name, selection in said.match.items():
        if name in {column.name for column in protocol.record.columns}:
            if selection.first is not None:
                laid.fill(header, name, selection.first)
            if len(selection.listed) == 1 and not selection.spans and isinstance(selection.any, int):
                laid.settle(header, name, int(selection.any))
    for name, known in settled.items():
        if name in header.columns:
            laid.settle(header, name, known)
    variant = inputs.variant()
    laid.message(said, variant, fields)

    def is_of(read: Level) -> int:
        return asm.value(op.EQUAL_NUMBER, (records.message_number(asm, read.columns),), (number,))

    proven = is_proven(protocol, said.match)
    return WrittenRecord(laid, inputs, *reread(said, laid, fields, variant, protocol.framing, proven, is_of))


def _given(inputs: Inputs, path: Path, outlines: Mapping[str, Outline], columns: Iterable[Column]) -> Laid:
    """What is given of the header, or of a message. Rows with labels of numbers that are missing are not sound."""
    labels = {column.name for column in columns if column.label}
    told = {name: each for name, each in outlines.items() if name not in labels | {"variant"}}
    found = Laid(inputs.columns(path, told), outlines=told, inputs=inputs, path=path)
    for label in labels & outlines.keys():
        number = found.columns.get(label.rpartition("_")[0])
        if number is None or number.valid != op.ONES:
            with inputs.asm.field(label):
                labelled = inputs.valid((*path, label), outlines[label])
                inputs.asm.check(inputs.asm.number(0) if number is None else number.valid, labelled)
    return found
