"""The state of a recording after some of its files: open conversations, saved as bytes with which the next files
continue.

The bytes are pickled. Only names of these types are loaded, since whoever can write the bytes could run any code.
"""

import io
import pickle
from collections import OrderedDict
from collections.abc import Mapping
from hashlib import blake2b
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from wireloom.codec import DecodeError
from wireloom.codec.cutting import Cutter, MalformedRange
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.traffic.conversations import Dialogue, OneWay
from wireloom.columnar.traffic.datagrams import Datagrams, FramedMessage, MessageKey
from wireloom.columnar.traffic.fragments import Fragmented, Fragments
from wireloom.columnar.traffic.http_bodies import Bodies, PackedBody
from wireloom.columnar.traffic.reading import Traffic
from wireloom.columnar.traffic.reassembly import Chunk, Delivered, Stream
from wireloom.columnar.traffic.stream_readers import Plain
from wireloom.columnar.traffic.wrapped_streams import Encrypted
from wireloom.endpoints import Endpoints
from wireloom.http1 import Messages
from wireloom.options import SOUGHT, Sender


class UnfitStateError(ValueError):
    """The bytes are damaged, or were saved by another version or for other options."""


class _Ahead(NamedTuple):
    """How far parameters were looked for: ``Ahead``."""

    values: dict[str, bool]
    open: tuple[str, ...]
    position: int | None
    cutter: "_Cutting"


class _Cutting(NamedTuple):
    """Where the one who cuts a stream into records is: ``Cutter``."""

    parameters: dict[str, Any]
    order: bool | None
    range: MalformedRange | None
    ahead: _Ahead | None

    @classmethod
    def of(cls, cutter: Cutter) -> "_Cutting":
        ahead = None
        if cutter.ahead is not None:
            listener = cutter.ahead.listener
            ahead = _Ahead(listener.values, tuple(listener.open), cutter.ahead.position, cls.of(cutter.ahead.cutter))
        return cls(dict(cutter.parameters), cutter.order, cutter.range, ahead)

    def put(self, cutter: Cutter) -> None:
        """Copy the state to another one with the same parameters, which continues from there."""
        cutter.order, cutter.range = self.order, self.range
        if self.ahead is not None:
            assert cutter.ahead is not None
            listener = cutter.ahead.listener
            listener.values, cutter.ahead.position = self.ahead.values, self.ahead.position
            listener.open = {name: listener.open[name] for name in self.ahead.open}
            self.ahead.cutter.put(cutter.ahead.cutter)


_TYPES = (
    *(
        Bodies,
        Chunk,
        Datagrams,
        Delivered,
        Dialogue,
        Encrypted,
        Endpoints,
        Fragmented,
        Fragments,
        FramedMessage,
        MessageKey,
        Messages,
        OneWay,
        PackedBody,
        Plain,
        Sender,
    ),
    *(Stream, DecodeError, MalformedRange, OrderedDict, _Ahead, _Cutting, int, memoryview),
)
_NAMED: Mapping[tuple[str, str], type] = {(each.__module__, each.__qualname__): each for each in _TYPES}
_SUM = 16
"""How many bytes the checksum has."""
_DECODER, _CUTTER = "decoder", "cutter"
"""The attributes that are not saved, but created again."""


def suspended(traffic: Traffic, digest: str) -> bytes:
    """The state of a recording after the files read so far. ``digest`` is that of the protocol."""
    found = io.BytesIO()
    pickler = _Pickler(found, traffic.decoder)
    pickler.dump((traffic.conversations, traffic.waiting, traffic.datagrams, traffic.fragments, traffic.count))
    pickler.dump({number: traffic.files[number] for number in sorted(pickler.sources)})
    return _told(traffic.decoder, digest) + _sum(found.getvalue()) + found.getvalue()


def resumed(decoder: Decoder, digest: str, data: bytes) -> Traffic:
    """A recording that continues from there. Raises ``UnfitStateError``."""
    traffic, told = Traffic(decoder), _told(decoder, digest)
    if not data.startswith(told):
        raise UnfitStateError("it was saved by another version of wireloom, or with other options")
    begun = len(told) + _SUM
    if data[len(told) : begun] != _sum(data[begun:]):
        raise UnfitStateError("it is damaged")
    try:
        unpickler = _Unpickler(io.BytesIO(data[begun:]), decoder)
        state = unpickler.load()
        traffic.conversations, traffic.waiting, traffic.datagrams, traffic.fragments, traffic.count = state
        traffic.files = unpickler.load()
    except Exception as error:  # whatever bytes can do
        raise UnfitStateError(f"it is not a state of conversations: {error}") from None
    return traffic


def _sum(data: bytes) -> bytes:
    """A digest that detects damage, which could make conversations wait forever."""
    return blake2b(data, digest_size=_SUM).digest()


def _told(decoder: Decoder, digest: str) -> bytes:
    """What bytes begin with that may be read: all that conversations keep of how they are read."""
    options = decoder.options
    parameters: dict[str, Any] = dict(options.parameters)
    known = {**parameters, SOUGHT: sorted(parameters.get(SOUGHT, ()))}
    told = f"{version('wireloom')} {decoder.protocol.name} {digest} {known} {options.max_record_bytes}"
    return f"{told} {options.resync} {options.direction}\n".encode()


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, decoder: Decoder) -> None:
        super().__init__(file, protocol=5)
        self.decoder = decoder
        self.sources: set[int] = set()
        """The numbers of the files that bytes are from."""

    def persistent_id(self, obj: Any) -> Any:
        match obj:
            case Cutter():
                return _CUTTER, _Cutting.of(obj)
            case Chunk():
                self.sources.add(obj.packet[-1])
            case Plain() | Bodies():
                self.sources.update(packet[-1] for packet in obj.packets)
        return (_DECODER, None) if obj is self.decoder else None

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, memoryview):
            return memoryview, (bytes(obj),)
        if isinstance(obj, Sender):  # as later versions of Python have it
            return Sender, (obj.value,)
        return (int, (int(obj),)) if isinstance(obj, np.integer) else NotImplemented


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, decoder: Decoder) -> None:
        super().__init__(file)
        self.decoder = decoder

    def persistent_load(self, pid: Any) -> Any:
        kind, cutting = pid
        if kind == _DECODER:
            return self.decoder
        cutter = self.decoder.cutter(cutting.parameters)
        cutting.put(cutter)
        return cutter

    def find_class(self, module: str, name: str) -> Any:
        if (found := _NAMED.get((module, name))) is not None:
            return found
        raise pickle.UnpicklingError(f"{module}.{name} is no part of it")
