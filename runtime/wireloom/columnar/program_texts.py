"""The programs of a protocol, and what they leave to the codec, for those who ask."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pyarrow as pa

from wireloom.codec import Protocol
from wireloom.columnar import arrow_schema
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.execution.disassembly import ProgramLine, disassembled
from wireloom.columnar.execution.encoding import WritingProgram
from wireloom.columnar.execution.encoding import writing as programs_to_write
from wireloom.columnar.execution.executable import Executable
from wireloom.columnar.execution.executor import Program, Stage
from wireloom.columnar.execution.input_columns import outline_of_type
from wireloom.columnar.execution.programs import programs_of
from wireloom.options import ReadOptions, resolve
from wireloom.programs import support
from wireloom.views import View


class ProgramText(NamedTuple):
    """A program of a message: what it is for, its lines, and how many instructions and registers it has."""

    purpose: str
    lines: list[ProgramLine]
    instructions: int
    registers: int

    @classmethod
    def of(cls, purpose: str, assembled: Executable) -> "ProgramText":
        return cls(purpose, disassembled(assembled), len(assembled.code), assembled.registers)


class ProgramTexts(NamedTuple):
    """The programs of a message, none if it has none, and what it may have that no program says."""

    programs: list[ProgramText]
    left: tuple[str, ...] = ()


def reading(protocol: Protocol, message: str, parameters: Mapping[str, Any]) -> ProgramTexts:
    """The programs that read a message with all of its columns, and those of the header."""
    schema, told, little = _asked(protocol, parameters)
    programs = programs_of(protocol, told, little=little)
    header = [each for each in schema if each.name in {column.name for column in protocol.record.columns}]
    found = programs.of(list(protocol.records).index(message), list(schema.field(message).type), header)
    texts = [] if found is None else [ProgramText.of("reads a record", found.assembled), *_items(found)]
    return ProgramTexts(texts, support.unread(protocol)[message])


def writing(protocol: Protocol, message: str, parameters: Mapping[str, Any]) -> ProgramTexts:
    """The programs that write a message from a table with all columns, any value of which may be missing."""
    schema, told, little = _asked(protocol, parameters)
    programs = programs_to_write(protocol, told, little=little)
    names = {message, *(column.name for column in protocol.record.columns)}
    outlines = tuple((each.name, outline_of_type(each.type)) for each in schema if each.name in names)
    found = programs.made(list(protocol.records).index(message), outlines)
    return ProgramTexts([], (found,)) if isinstance(found, str) else ProgramTexts(list(_written(found, "a record")))


def _asked(protocol: Protocol, parameters: Mapping[str, Any]) -> tuple[pa.Schema, dict[str, Any], bool]:
    """The schema of all columns, the parameters of programs, and whether records are little-endian: the first order, if
    several are tried.
    """
    options = ReadOptions.of({}, (), protocol.messages)
    options = options._replace(parameters=resolve(protocol.parameters, parameters))
    decoder = Decoder(protocol, options, arrow_schema(View(protocol, options).columns))
    told = {**protocol.assumed, **options.parameters}
    return decoder.schema, told, protocol.framing.orders(told)[0]


def _items(program: Program) -> Iterator[ProgramText]:
    for stage in program.stages:
        yield from _item(stage)


def _item(stage: Stage) -> Iterator[ProgramText]:
    name = ".".join(stage.field)
    yield ProgramText.of(f"reads an item of {name}", stage.program.assembled)
    yield from _items(stage.program)


def _written(program: WritingProgram, what: str) -> Iterator[ProgramText]:
    yield ProgramText.of(f"writes {what}", program.assembled)
    yield ProgramText.of(f"says how many bytes {what} takes", program.sizing)
    for path, items in program.items.items():
        yield from _written(items, f"an item of {'.'.join(path)}")
    for _, stage in program.stages:
        yield from _item(stage)
