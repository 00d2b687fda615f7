"""``wireloom explain --program``: the programs that read or write a message, beside the lines of its spec."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from click.exceptions import Exit

from wireloom import files
from wireloom.cli.diagnostics import FAILED, MisuseError, tell
from wireloom.cli.findings import ReportFormat, report
from wireloom.cli.specs import compiler, existing
from wireloom.extras import needed

if TYPE_CHECKING:
    from wireloom.columnar.program_texts import ProgramText
    from wireloom_generator.field_lines import FieldLine, FieldLines
    from wireloom_generator.model import Message, Protocol

_WIDTH, _LEFT = 140, 68
"""The most characters of a line, and of the instruction in it."""
_INDENT = "    "


def explain_program(wanted: str, specs: Sequence[Path], parameters: Mapping[str, str], *, write: bool) -> None:
    """Print the programs that read a message, or that write it; ``wanted`` is ``protocol.message`` or ``message``."""
    paths = existing(specs)
    models, problems = compiler("frontend").read(paths)
    if errors := [problem for problem in problems if problem.severity == "error"]:
        report(errors, ReportFormat.TEXT)
        raise Exit(FAILED)
    protocol, message = _named(wanted, list(map(compiler("resolve").protocol_of, models)))
    with needed("this command", "arrow"):
        from wireloom.columnar import program_texts
    make = program_texts.writing if write else program_texts.reading
    with compiler("examples").running(compiler("emitters").codec_modules(protocol)) as codec:
        found = make(codec, message.name, parameters)
    name = f"{protocol.name}.{message.name}"
    if not found.programs:
        tell(f"No program {'writes' if write else 'reads'} {name}, which has {'; '.join(found.left)}.")
        return
    fields = compiler("field_lines").FieldLines(protocol, message)
    for number, program in enumerate(found.programs):
        if number:
            tell("")
        tell(f"{name}: {program.purpose}, with {program.instructions} instructions and {program.registers} registers")
        tell("")
        for line in _beside(program, fields):
            tell(line)
    if found.left:
        tell(f"\nRecords with {'; '.join(found.left)} are not read by this program.")


def _named(wanted: str, protocols: "Sequence[Protocol]") -> "tuple[Protocol, Message]":
    """The protocol and the message that are called so. Raises ``MisuseError``."""
    closest = compiler("problems").closest
    first, dot, _ = wanted.partition(".")
    if dot and first not in {protocol.name for protocol in protocols}:
        near = closest(first, [protocol.name for protocol in protocols])
        raise MisuseError(f"unknown protocol {first!r}{near and f'; {near}'}")
    known = {
        f"{protocol.name}.{message.name}": (protocol, message)
        for protocol in protocols
        for message in protocol.messages
        if not dot or protocol.name == first
    }
    found = [name for name in known if wanted in (name, name.partition(".")[2])]
    if len(found) > 1:
        raise MisuseError(f"several protocols have a message {wanted!r}; write {' or '.join(found)}")
    if not found:
        near = closest(wanted, known if dot else [name.partition(".")[2] for name in known])
        raise MisuseError(f"unknown message {wanted!r}{near and f'; {near}'}")
    return known[found[0]]


def _beside(program: "ProgramText", fields: "FieldLines") -> Iterator[str]:
    """The lines of a program. Each run of lines that are of one field has the line of the spec beside its first."""
    texts = [_INDENT * line.depth + line.text for line in program.lines]
    width = min(_LEFT, max(map(len, texts)))
    last = ""
    for text, line in zip(texts, program.lines, strict=True):
        said = _said(fields.of(line.field))
        first, *more = _wrapped(text, width)
        yield _shortened(f"{first:{width}}  ; {said}") if said != last else first
        yield from more
        last = said


def _wrapped(text: str, width: int) -> list[str]:
    depth = len(text) - len(text.lstrip())
    return textwrap.wrap(text, width, subsequent_indent=" " * (depth + 2 * len(_INDENT)), break_long_words=False)


def _said(lines: "Sequence[FieldLine]") -> str:
    """The places of fields, and what they are."""
    places: dict[Path, list[str]] = {}
    for line in lines:
        places.setdefault(line.at.path, []).append(str(line.at.line))
    shown = " ".join(f"{files.shown(path)}:{','.join(numbers)}" for path, numbers in places.items())
    name, kinds = lines[0].name, " or ".join(dict.fromkeys(line.type for line in lines))
    return f"{shown}  {name}: {kinds}" if kinds else f"{shown}  {name}"


def _shortened(line: str) -> str:
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
