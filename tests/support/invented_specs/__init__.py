"""Invented specs: fields of every type in every place of the language, drawn from what the types say of themselves.

A spec comes with rows that can be written by it. No two fields of a spec have one name, so that a row is filled in by
name, with values from the domain of each field's type. What is new among the types is drawn from the day it is there.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from support import compiled
from support.invented_specs.drawing import Row
from support.invented_specs.specs import Spec
from wireloom_generator import frontend, model
from wireloom_generator.types import WireType

ROWS = 12


@dataclass(frozen=True, slots=True)
class Invented:
    """A spec, compiled, and rows that it can write; captures may begin with the ``header``."""

    text: str
    compiled: compiled.Compiled
    rows: tuple[Row, ...]
    header: Row

    @property
    def told(self) -> Row:
        """What the header says of the records."""
        return {each.name: self.header[each.name] for each in self.compiled.codec.parameters if each.default is None}

    @property
    def records(self) -> tuple[bytes, ...]:
        """The rows as bytes."""
        return tuple(self.compiled.codec.build(row, **self.told) for row in self.rows)

    @property
    def opening(self) -> bytes:
        """The header as bytes."""
        opening: bytes = self.compiled.codec.build({"capture": self.header}) if self.header else b""
        return opening


def invented(random: Random) -> Invented:
    """A spec that nobody has written."""
    drawing = Spec(random)
    text, fill = drawing.spec()
    with TemporaryDirectory() as folder:
        path = compiled.folders(text, Path(folder))
        assert not frontend.read([path])[1], text
        found = compiled.compiled(path)
    message = found.protocol.messages[0]
    drawing.types |= dict(_types(found.protocol, message))
    rows = []
    for _ in range(ROWS):
        values: Row = {}
        fill(values)
        kind = random.choice(drawing.kind[3])
        rows.append({"message": message.name, message.name: values} | ({} if kind is None else {"kind": kind}))
    return Invented(text, found, tuple(rows), drawing.header)


def _types(protocol: model.Protocol, message: model.Message) -> Iterator[tuple[str, WireType]]:
    for nodes in (*message.sections.values(), *(struct.nodes for struct in protocol.structs)):
        for node in model.walk(nodes):
            if isinstance(node, model.Field):
                yield node.name, node.wire.type
