"""The rivals on Kaitai Struct's Python runtime: classes written by hand as its compiler writes them.

One class a type, fields read in order, a sized region read as bytes and parsed from a stream of its own, numbers with
names looked up in an enum. The FlatBuffers tables are opaque types, written by hand in Kaitai too: here they call
``by_struct.flatbuffer``. Needs ``kaitaistruct``.
"""

from enum import IntEnum
from io import BytesIO
from typing import Any

from by_struct import EVENT, STATUS, TABLES, flatbuffer
from kaitaistruct import KaitaiStream, KaitaiStruct, ValidationNotEqualError

Status = IntEnum("Status", {name: number for number, name in STATUS.items()})
Event = IntEnum("Event", {name: number for number, name in EVENT.items()})


def mutations(data: bytes) -> list[Any]:
    """All frames of a buffer in which there are only mutations."""
    return Mutations(KaitaiStream(BytesIO(data))).frames


def mixed(data: bytes) -> list[Any]:
    """All frames of mixed traffic."""
    return Mixed(KaitaiStream(BytesIO(data))).frames


class Type(KaitaiStruct):
    """A type: it knows its parent and the root, and reads itself when it is made."""

    def __init__(self, _io: Any, _parent: Any = None, _root: Any = None) -> None:
        super().__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()


class Mutations(Type):
    """Mutations to the end of the stream."""

    def _read(self) -> None:
        self.frames = []
        while not self._io.is_eof():
            self.frames.append(Mutation(self._io, self, self._root))


class Mutation(Type):
    """A mutation."""

    def _read(self) -> None:
        self.magic = self._io.read_u1()
        if self.magic != 0x80:
            raise ValidationNotEqualError(0x80, self.magic, self._io, "/types/mutation/seq/0")
        self.opcode = self._io.read_u1()
        if self.opcode != 0x57:
            raise ValidationNotEqualError(0x57, self.opcode, self._io, "/types/mutation/seq/1")
        self.key_length = self._io.read_u2be()
        self.extras_length = self._io.read_u1()
        self.datatype = self._io.read_u1()
        self.vbucket = self._io.read_u2be()
        self.total_body_length = self._io.read_u4be()
        self.opaque = self._io.read_u4be()
        self.cas = self._io.read_u8be()
        self.by_seqno = self._io.read_u8be()
        self.rev_seqno = self._io.read_u8be()
        self.flags = self._io.read_u4be()
        self.expiration = self._io.read_u4be()
        self.lock_time = self._io.read_u4be()
        self.metadata_length = self._io.read_u2be()
        self.nru = self._io.read_u1()
        self.key = self._io.read_bytes(self.key_length).decode("UTF-8")
        self.value = self._io.read_bytes(self.total_body_length - self.extras_length - self.key_length)


class Mixed(Type):
    """Frames to the end of the stream."""

    def _read(self) -> None:
        self.frames = []
        while not self._io.is_eof():
            self.frames.append(Frame(self._io, self, self._root))


class Frame(Type):
    """A frame: its header, its framing extras, and by magic and opcode what the rest is."""

    def _read(self) -> None:
        self.magic = self._io.read_u1()
        self.opcode = self._io.read_u1()
        flexible = self.magic in (0x08, 0x18)
        if flexible:
            self.framing_extras_length = self._io.read_u1()
        self.key_length = self._io.read_u1() if flexible else self._io.read_u2be()
        self.extras_length = self._io.read_u1()
        self.datatype = self._io.read_u1()
        request = self.magic in (0x80, 0x08)
        if request:
            self.vbucket = self._io.read_u2be()
        else:
            self.status = KaitaiStream.resolve_enum(Status, self._io.read_u2be())
        self.total_body_length = self._io.read_u4be()
        self.opaque = self._io.read_u4be()
        self.cas = self._io.read_u8be()
        framing = self.framing_extras_length if flexible else 0
        if flexible:
            self._raw_frame_infos = self._io.read_bytes(framing)
            self.frame_infos = FrameInfos(KaitaiStream(BytesIO(self._raw_frame_infos)), self, self._root)
        self._raw_body = self._io.read_bytes(self.total_body_length - framing)
        body = _BODIES.get((request, self.opcode), Unknown)
        self.body = body(KaitaiStream(BytesIO(self._raw_body)), self, self._root)


class FrameInfos(Type):
    """Framing extras to the end."""

    def _read(self) -> None:
        self.items = []
        while not self._io.is_eof():
            self.items.append(FrameInfo(self._io, self, self._root))


class FrameInfo(Type):
    """A framing extra."""

    def _read(self) -> None:
        self.id = self._io.read_bits_int_be(4)
        self.length_nibble = self._io.read_bits_int_be(4)
        self._io.align_to_byte()
        if self._parent._parent.magic == 0x08:
            self.stream_id = self._io.read_u2be()
        else:
            self.server_duration = self._io.read_u2be()


class SnapshotType(Type):
    """The kind of snapshot, bit by bit."""

    def _read(self) -> None:
        self._reserved = self._io.read_bits_int_be(26)
        self.is_duplicates = self._io.read_bits_int_be(1) != 0
        self.is_history = self._io.read_bits_int_be(1) != 0
        self.is_acknowledge = self._io.read_bits_int_be(1) != 0
        self.is_checkpoint = self._io.read_bits_int_be(1) != 0
        self.is_disk = self._io.read_bits_int_be(1) != 0
        self.is_memory = self._io.read_bits_int_be(1) != 0


class Marker(Type):
    """A snapshot marker of any version."""

    def _read(self) -> None:
        if self._parent.extras_length == 1:
            self.version = self._io.read_u1()
        self.start_seqno = self._io.read_u8be()
        self.end_seqno = self._io.read_u8be()
        self.snapshot_type = SnapshotType(self._io, self, self._root)
        if self._parent.extras_length == 1:
            self.max_visible_seqno = self._io.read_u8be()
            self.high_completed_seqno = self._io.read_u8be()
            if self.version == 1:
                self.timestamp = self._io.read_u8be()
            if self.version == 2:
                self.purge_seqno = self._io.read_u8be()
                if not self._io.is_eof():
                    self.high_prepared_seqno = self._io.read_u8be()


class SystemEvent(Type):
    """A system event of any version."""

    def _read(self) -> None:
        self.by_seqno = self._io.read_u8be()
        self.event = KaitaiStream.resolve_enum(Event, self._io.read_u4be())
        self.version = self._io.read_u1()
        self.key = self._io.read_bytes(self._parent.key_length).decode("UTF-8")
        if self.version == 2:
            self.value_flatbuffer = self._io.read_bytes_full()
            self.value = FlatBuffer(self.value_flatbuffer, self.event)
        else:
            self.manifest_uid = self._io.read_u8be()
            self.scope_id = self._io.read_u4be()
            if self.event in (Event.BeginCollection, Event.EndCollection):
                self.collection_id = self._io.read_u4be()
            if self.version == 1:
                self.max_ttl = self._io.read_u4be()


class FlatBuffer:
    """An opaque type: a FlatBuffers table."""

    def __init__(self, data: bytes, event: int) -> None:
        vars(self).update(flatbuffer(data, TABLES[event][1]))


class FailoverEntry(Type):
    """A branch of a failover log."""

    def _read(self) -> None:
        self.vb_uuid = self._io.read_u8be()
        self.vb_seqno = self._io.read_u8be()


class Response(Type):
    """Nothing, a cluster map or an error."""

    def _read(self) -> None:
        if self._parent.status == Status.NotMyVbucket:
            self.cluster_map = self._io.read_bytes_full().decode("UTF-8")
        elif self._parent.status != Status.Success:
            self.error = self._io.read_bytes_full().decode("UTF-8")


class FailoverLog(Type):
    """A failover log, a cluster map or an error."""

    def _read(self) -> None:
        if self._parent.status == Status.Success:
            self.entries = []
            while not self._io.is_eof():
                self.entries.append(FailoverEntry(self._io, self, self._root))
        else:
            self.response = Response(self._io, self._parent, self._root)


class Unknown(Type):
    """A frame that is not described."""

    def _read(self) -> None:
        self.extras = self._io.read_bytes(self._parent.extras_length)
        self.key = self._io.read_bytes(self._parent.key_length)
        self.value = self._io.read_bytes_full()


_BODIES = {
    (True, 0x56): Marker,
    (True, 0x5F): SystemEvent,
    (False, 0x54): FailoverLog,
    (False, 0x56): Response,
    (False, 0x5F): Response,
}
