"""Messages, and the protocol they make."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from wireloom_generator.model.declarations import Described, Parameter, Sourced
from wireloom_generator.model.matching import Match
from wireloom_generator.model.names import Names
from wireloom_generator.model.nodes import Node, Slot, Struct
from wireloom_generator.model.wires import Checksum, Condition, End, Fields, Rest, Size, Wire
from wireloom_generator.reading.declarations import Doc, Enum, Example, Flags, Form, Table
from wireloom_generator.types.columns import CORRUPT, Column, Primitive, StructType


@dataclass(frozen=True, slots=True)
class Proof(Sourced):
    """The validity check of a record's length: a condition, and the name of a checksum field.

    If ``doubt`` holds, the length is accepted only if another record, or nothing, follows.
    """

    valid: Condition | None
    checksum: str | None
    doubt: Condition | None


@dataclass(frozen=True, slots=True)
class Framed(Described):
    """The record or a message: where records end, and when that is accepted."""

    end: End | None = field(default=None, kw_only=True)
    proof: Proof | None = field(default=None, kw_only=True)

    @property
    def length(self) -> Condition | None:
        """The number of bytes of the whole record, if it is an expression."""
        return self.end.condition if isinstance(self.end, Size) else None


@dataclass(frozen=True, slots=True)
class Record(Framed):
    """The common layout of a protocol's records, with their length unless each message has its own.

    ``names`` are those that its expressions can use. With ``resync``, a reader continues at the next valid record after
    an invalid one. ``stray`` are invalid words, by key.
    """

    nodes: tuple[Node, ...]
    names: Names
    resync: bool
    stray: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The sections that messages fill."""
        return tuple(node for node in self.nodes if isinstance(node, Slot))


@dataclass(frozen=True, slots=True)
class Variant(Described):
    """One of a message's layouts; ``sections`` are the nodes that it adds to each slot; ``valid`` must hold if it is
    taken.

    ``shared`` is the declaration of one that several messages share. ``filled`` are the sections that it names.
    """

    name: str
    when: Condition | None
    sections: Mapping[str, tuple[Node, ...]]
    valid: Condition | None
    shared: Doc | None = field(default=None, compare=False)
    filled: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Answers(Sourced):
    """The messages ``to`` which this one is an answer; both have the same values of the fields ``by``.

    ``quiet`` requests usually get none. After an answer of a variant in ``more``, another one follows.
    """

    to: tuple[str, ...]
    by: tuple[str, ...]
    quiet: Match
    more: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Message(Framed):
    """A message. ``trailing`` names the slots in which bytes can be left over.

    ``valid`` must hold for all its records, ``otherwise`` for those without a variant; it is None if every record has
    one. The variant is known after the shared fields of the slot ``decisive``. ``names`` are those that its expressions
    can use, ``filled`` the sections that it names itself. ``derive`` says from what fields of the header follow.
    """

    name: str
    match: Match
    sections: Mapping[str, tuple[Node, ...]]
    variants: tuple[Variant, ...]
    trailing: tuple[str, ...]
    columns: tuple[Column, ...]
    examples: tuple[Example, ...]
    forms: tuple[Form, ...]
    path: Path | None
    derive: Mapping[str, Condition] = field(default_factory=dict)
    valid: Condition | None = None
    otherwise: Condition | None = None
    decisive: str = ""
    answers: Answers | None = None
    filled: tuple[str, ...] = field(default=(), compare=False)
    names: Names = field(compare=False, repr=False, kw_only=True)

    @property
    def layouts(self) -> Iterator[tuple[Node, ...]]:
        """Every list of nodes: by section those that all variants share, then each variant's."""
        yield from self.sections.values()
        for variant in self.variants:
            yield from variant.sections.values()

    @property
    def nodes(self) -> Iterator[Node]:
        """The nodes of every list."""
        return (node for nodes in self.layouts for node in nodes)


@dataclass(frozen=True, slots=True)
class BitSlice:
    """``width`` bits of an integer, above the ``shift`` lowest."""

    shift: int
    width: int
    boolean: bool


@dataclass(frozen=True, slots=True)
class Probe:
    """A number at a fixed offset that is read before the record is, or such ``bits`` of it."""

    name: str
    offset: int
    wire: Wire
    hex: bool = field(default=False, compare=False)
    bits: BitSlice | None = None


@dataclass(frozen=True, slots=True)
class Beginning:
    """The start of a record, read to find its length: the header, and the next nodes of ``message`` if there is one.

    It takes at ``most`` so many bytes, if known. ``nodes`` are read; ``reached`` ones only begin there.
    """

    message: str | None
    most: int | None
    nodes: tuple[Node, ...]
    reached: str | None


@dataclass(frozen=True, slots=True)
class Lengths:
    """How to find and check the end of the records that ``match`` selects.

    If one of the ``doubts`` holds, the end is accepted only if another record, or nothing, follows. If the checksum
    ``rest``, of bytes that the proof does not cover, is wrong and no record follows, the end is accepted only if no
    record begins inside. ``stored`` is the position of the proof's checksum if its offset is not fixed. If the length
    does not follow from numbers at fixed offsets, it follows from the ``beginning``.
    """

    match: Match
    probes: tuple[Probe, ...]
    end: End
    valid: Condition | None
    doubts: tuple[Condition, ...]
    checksum: tuple[str, Checksum] | None
    stored: tuple[Wire, Condition] | None = None
    beginning: Beginning | None = None
    rest: tuple[Probe, Checksum] | None = None


@dataclass(frozen=True, slots=True)
class Protocol:
    """A whole protocol. ``header`` are the record's own columns, recorded parameters first.

    The byte order is the parameter ``byte_order``, or else ``little`` if that holds, or that of each number.
    ``capture`` is the header of captures, and ``ports`` are where servers usually listen.

    ``included`` has the descriptions of shared structs whose fields are included somewhere, by name. ``sources`` are
    the spec's files, ``folders`` their folders.
    """

    name: str
    doc: Doc
    included: Mapping[str, Doc]
    libraries: tuple[Doc, ...]
    path: Path
    ports: tuple[int, ...]
    parameters: tuple[Parameter, ...]
    byte_order: str | None
    little: Condition | None
    capture: Struct | None
    enums: tuple[Enum, ...]
    flags: tuple[Flags, ...]
    structs: tuple[Struct, ...]
    tables: tuple[Table, ...]
    record: Record
    header: tuple[Column, ...]
    messages: tuple[Message, ...]
    lengths: tuple[Lengths, ...]
    match: tuple[Probe, ...]
    sources: tuple[Path, ...]
    folders: tuple[Path, ...]

    def group(self, message: Message) -> str:
        """The subfolder of a message's file, if it is in one."""
        is_grouped = message.path is not None and message.path.parent != self.path.parent
        return message.path.parent.name if message.path is not None and is_grouped else ""

    @property
    def preamble(self) -> "Protocol | None":
        """The header of captures, as a protocol of one message whose only record ends with its fields."""
        found = self.capture
        if found is None:
            return None
        names, written = replace(self.record.names, header={}), found.written
        slot = Slot(found.name, Rest(), None, doc=found.doc, written=written)
        record = Record((slot,), names, False, end=Fields(), doc=found.doc, written=written)
        message = Message(
            name=found.name,
            doc=replace(found.doc, title="The header of a capture"),
            match={},
            sections={found.name: found.nodes},
            variants=(),
            trailing=(),
            columns=found.columns,
            examples=(),
            forms=(),
            path=self.path,
            names=names,
            written=written,
        )
        lengths = (Lengths({}, (), Fields(), None, (), None),)
        return replace(self, capture=None, record=record, messages=(message,), lengths=lengths, match=(), header=())

    @property
    def has_datagrams(self) -> bool:
        """Whether a record is the whole input, as in a datagram; other records are in streams."""
        return all(isinstance(lengths.end, Rest) for lengths in self.lengths)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of a row."""
        own = () if self.capture is None else (self.capture,)
        structs = (Column(m.name, StructType(m.columns), m.doc.brief) for m in (*own, *self.messages))
        message = Column(
            "message", Primitive.STRING, "Which message the record is; unknown if the spec has none for it"
        )
        return (message, *self.header, *structs, *CORRUPT)

    @property
    def layouts(self) -> Iterator[tuple[Node, ...]]:
        """Every list of nodes: those of shared structs, of the record, of messages and of their variants."""
        yield from (shared.nodes for shared in self.structs)
        if self.capture is not None:
            yield self.capture.nodes
        yield self.record.nodes
        for message in self.messages:
            yield from message.layouts
