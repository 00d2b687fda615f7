"""``Protocol``: a whole protocol as one object, from bytes to rows and back.

A row is a ``Container`` with the columns of the protocol's table: ``message``, the header's fields, one struct a
message (None unless the row is that message), ``_corrupt_record`` and ``_corrupt_reason``.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

from construct import Container

from wireloom.codec.accepted_values import given, octets, shown
from wireloom.codec.building import Building, message_to_write
from wireloom.codec.coercion import Coercion
from wireloom.codec.columns import NANOSECOND_TIME, Column
from wireloom.codec.columns import U64 as LARGE
from wireloom.codec.cutting import Cut, Cutter
from wireloom.codec.dispatch import Dispatch
from wireloom.codec.errors import DecodeError, EncodeError, NoRecordError, counted, surplus
from wireloom.codec.frames import Values
from wireloom.codec.framing import Framing
from wireloom.codec.headed import Fields
from wireloom.codec.layout import Layout, container, verify, verify_late
from wireloom.codec.longs import Longs
from wireloom.codec.message import Message, Record, Slot
from wireloom.codec.parameter_discovery import FoundParameter
from wireloom.codec.preamble import CAPTURE, Preamble
from wireloom.codec.reader import Reader
from wireloom.codec.specialised import Specialised
from wireloom.codec.text_forms import Form, Forms
from wireloom.codec.tracing import Span, Trace, Traced
from wireloom.codec.values import Rest
from wireloom.options import (
    MAX_RECORD_BYTES,
    U64,
    Mode,
    Only,
    OptionError,
    Parameter,
    Resync,
    only_of,
    resolve,
    resync_of,
    unknown,
)

CORRUPT = (Column("_corrupt_record", "binary"), Column("_corrupt_reason", "string"))
POSITIONS = (Column("_offset", "long"), Column("_length", "long"))
PROVENANCE = (
    Column("_time", NANOSECOND_TIME),
    Column("_connection", "string"),
    Column("_from_client", "boolean"),
    Column("_gap_before", "long"),
)


class Protocol:
    """A protocol's messages, framing and parameters.

    ``capture`` is the message at the start of its captures, ``found`` the parameters that captures contain, and
    ``ports`` those at which its servers usually listen.
    """

    def __init__(
        self,
        name: str,
        module: str,
        *,
        record: Record,
        messages: tuple[Message, ...],
        framing: Framing,
        parameters: tuple[Parameter, ...] = (),
        forms: tuple[Form, ...] = (),
        capture: Layout | None = None,
        found: tuple[FoundParameter, ...] = (),
        ports: tuple[int, ...] = (),
    ) -> None:
        self.name = name
        self.module = module
        self.ports = ports
        self.record = record
        self.preamble = None if capture is None else _preamble(name, module, capture, parameters, framing)
        self.found = found
        framing.preamble, framing.protocol = self.preamble, self
        own: dict[str, Message] = {} if self.preamble is None else self.preamble.protocol.messages
        self.records = {message.name: message for message in messages}
        self.messages = own | self.records
        self.framing = framing
        self.parameters = (*parameters, U64)
        self.assumed = {each.name: each.assumed for each in self.parameters if each.default is None}
        """Values of the parameters that captures contain, for where no header of a capture was read."""
        names = dict.fromkeys(form.name for form in forms)
        self.forms = {name: Forms(name, (form for form in forms if form.name == name)) for name in names}
        self._recorded = tuple(parameter for parameter in parameters if parameter.column)
        recorded = (Column(item.name, _column_type(item), texts=item.choices) for item in self._recorded)
        self.header = (*recorded, *record.columns)
        self._fields = tuple(column.name for column in record.columns)
        structs = (Column(message.name, message.type) for message in self.messages.values())
        self.columns = (Column("message", "string", texts=tuple(self.messages)), *self.header, *structs, *CORRUPT)
        self._empty: Values = dict.fromkeys(column.name for column in self.columns)
        self._coercion = Coercion(self.columns)
        self._defaults: Values | None = None
        for message in messages:
            message.protocol = self
        self._dispatch = Dispatch(self.records)
        self.specialised = Specialised(self, self._dispatch, self._empty, self._recorded, Longs(self.columns))
        self._building = Building(record, framing, self._dispatch)

    def __reduce__(self) -> tuple[Any, ...]:
        return _protocol, (self.module,)

    def __repr__(self) -> str:
        return f"<Protocol {self.name}: {', '.join(self.messages)}>"

    def decode(
        self,
        data: bytes,
        parameters: Values,
        *,
        little: bool = False,
        trace: Trace | None = None,
    ) -> Container:
        """The row of one record. ``data`` is the record, no more and no less; ``parameters`` are resolved.

        Raises ``DecodeError``, its offset counted from the record's start. ``trace`` notes where everything is.
        """
        row = self._decode(data, parameters, little, trace, None)
        assert row is not None
        return row

    def _decode(
        self,
        data: bytes,
        parameters: Values,
        little: bool,
        trace: Trace | None,
        only: Only,
    ) -> Container | None:
        """As ``decode``; None, without reading on, if the header is not that of a message ``only``."""
        envelope = self.record.envelope
        if envelope is None:
            return self._contents(data, parameters, little, trace, only)
        opened = envelope.open(data)
        if trace is not None:
            trace.open(opened.start, opened.escaped, same=opened.same)
        try:
            row = self._contents(opened.contents, parameters, little, trace, only)
        except DecodeError as error:
            raise envelope.outside(error, opened) from None
        if trace is not None:
            trace.close()
        if row is not None:
            row[envelope.raw] = opened.kept
        return row

    def _contents(
        self,
        data: bytes,
        parameters: Values,
        little: bool,
        trace: Trace | None,
        only: Only,
    ) -> Container | None:
        """As ``_decode``, for what is between the flags of a record, if there are any."""
        if trace is None and only is None:
            row = self.specialised.read(data, parameters, little=little)
            if row is not None:
                return row
        reader = self._head(data, len(data), parameters, little, trace)
        row = reader.record
        message = self._dispatch.message_of(row, parameters)
        if only is not None and message.name not in only:
            return None
        row["message"] = message.name
        try:
            row[message.name] = message.read(reader, row)
        except DecodeError as error:
            raise self._within(error, message) from None
        verify(reader, row, message.header_derived)
        verify_late(reader, row, self.record.late)
        if left := reader.left_over():
            raise surplus(left)
        return row

    def _head(self, data: bytes, whole: int, parameters: Values, little: bool, trace: Trace | None = None) -> Reader:
        """A reader that has read the head of a record of ``whole`` bytes into a row. Raises ``DecodeError``."""
        until = self.record.until
        terminator = len(until) if data.endswith(until) else 0
        reader = Reader(data, parameters, little=little, trace=trace, terminator=terminator)
        reader.frame["record"] = (0, whole)
        row = reader.record = container(self._empty)
        self.record.head.read(reader, row)
        for parameter in self._recorded:
            row[parameter.name] = parameters[parameter.name]
        if self.framing.byte_order in row:
            row[self.framing.byte_order] = "little" if little else "big"
        return reader

    def message_name(self, data: bytes, parameters: Values, *, little: bool) -> str | None:
        """The name of the message that a record is, judging by its header; None if it is none."""
        name: str | None = self._outline(data, len(data), little, parameters)["message"]
        return name

    def parse(self, data: bytes, **parameters: Any) -> Container:
        """Decode exactly one record.

        Parameters
        ----------
        data : bytes-like
            The record, with nothing before or after it.
        **parameters
            The protocol's parameters (``PROTOCOL.parameters``): facts that are not in the bytes. Those with a default
            may be left out. ``u64`` is ``'declared'``, ``'decimal'`` or ``'long'``: the type of unsigned 64-bit
            integers.

        Returns
        -------
        Container
            A dict with attribute access, and the columns of the protocol's table as keys: ``message``, the fields of
            the header, a struct per message (None unless the record is that message), ``_corrupt_record`` and
            ``_corrupt_reason`` (both None). A record that no message matches has the message ``unknown``.

        Raises
        ------
        DecodeError
            If the record is malformed, cut off, or followed by other bytes. ``code``, ``field``, ``offset`` (in bytes
            from the start of the record) and ``detail`` say how and where.
        OptionError
            If a parameter is unknown, missing, or has a wrong value.

        Examples
        --------
        >>> from wireloom_protocols import couchbase_dcp
        >>> frame = bytes.fromhex("8064000008000003000000080000000000000000000000000000000000000007")
        >>> row = couchbase_dcp.parse(frame)
        >>> row.message, row.vbucket, row.seqno_advanced.by_seqno
        ('seqno_advanced', 3, 7)
        >>> couchbase_dcp.parse(frame[:-1])
        Traceback (most recent call last):
            ...
        wireloom.codec.errors.DecodeError: truncated: record at byte 0: a record of 32 bytes, 31 left
        """
        data, resolved = bytes(memoryview(data)), self._resolved(parameters)
        row = None if self.preamble else self.specialised.parse(data, resolved)
        if row is None:
            row = self.cell(data, resolved, Mode.FAILFAST)
        assert row is not None
        return row

    def _resolved(self, parameters: Values) -> Values:
        """The value of each parameter, to be read alone. Raises ``OptionError``."""
        if parameters:
            return resolve(self.parameters, parameters)
        if self._defaults is None:
            self._defaults = resolve(self.parameters, {})
        return self._defaults

    def cell(self, data: bytes, parameters: Values, mode: Mode, only: Only = None) -> Container | None:
        """The row of a value that is one record; None if it is left out, as ``row`` has it."""
        whole: int | None = None
        little = False
        self.must_know(parameters)
        try:
            whole, little = self.framing.first(data, 0, len(data), parameters, bound=max(len(data), MAX_RECORD_BYTES))
            if whole != len(data):
                raise self._misfit(whole, data)
            return self._decode(data, parameters, little, None, only)
        except DecodeError as error:
            if mode is Mode.DROPMALFORMED:
                return None
            return self._malformed(error, self._outline(data, whole, little, parameters), data, mode, only)

    def _malformed(self, error: DecodeError, row: Container, data: bytes, mode: Mode, only: Only) -> Container | None:
        """The result for a malformed record, of which ``row`` is known; None if it belongs to another message."""
        if only is not None and row["message"] is not None and row["message"] not in only:
            return None
        if mode is Mode.FAILFAST:
            raise error
        row["_corrupt_record"] = data
        row["_corrupt_reason"] = error.reason
        return row

    def _outline(self, data: bytes, whole: int | None, little: bool, parameters: Values) -> Container:
        """The row of a malformed record of ``whole`` bytes with nothing but its message and header.

        It has no values if the length is unknown (None) or the head cannot be read. The same holds if the record
        is cut off and its head depends on where the bytes end, since one byte more would change it.
        """
        nothing, envelope = container(self._empty), self.record.envelope
        if whole is None:
            return nothing
        try:
            if envelope is not None:
                data = envelope.open(data).contents
                whole = len(data)
            reader = self._head(data[: max(whole, 0)], whole, parameters, little)
            if whole > len(data) and self._head(data + b"\0", whole, parameters, little).reach != reader.reach:
                return nothing
        except DecodeError:
            return nothing
        row = reader.record
        with suppress(DecodeError):  # no message has such a header
            row["message"] = self._dispatch.message_of(row, parameters).name
        return row

    def trace(self, data: bytes, **parameters: Any) -> tuple[Container | DecodeError, list[tuple[str, Span]]]:
        """What ``parse`` gives or raises, and each field that was read, with the section of the record it is in."""
        trace = Trace()
        traced = self.decode_traced(data, resolve(self.parameters, parameters), trace)
        return traced.misfit or traced.error or traced.row, trace.flat()

    def decode_traced(self, data: bytes, parameters: Values, trace: Trace) -> Traced:
        """As ``trace``, for resolved ``parameters`` and with every error.

        A record whose length is unknown or wrong is decoded as far as possible.
        """
        length, little = len(data), False
        misfit: DecodeError | None = None
        self.must_know(parameters)
        try:
            length, little = self.framing.first(data, 0, len(data), parameters)
            misfit = self._misfit(length, data) if length != len(data) else None
        except DecodeError as error:
            misfit = error
            length, little = self.framing.likely(data, parameters)  # slicing takes what there is of it
        trace.little = little
        try:
            row = self.decode(data[:length], parameters, little=little, trace=trace)
        except DecodeError as error:
            return Traced(None, misfit, error)
        return Traced(row, misfit, None)

    @staticmethod
    def _misfit(length: int, data: bytes) -> DecodeError:
        if length > len(data):
            return DecodeError("truncated", f"a record of {counted(length, 'byte')}, {len(data)} left")
        return DecodeError("trailing-bytes", f"{counted(len(data) - length, 'byte')} behind the record", length)

    def parse_stream(self, stream: Any, **parameters: Any) -> Container:
        """The row of the next record of a stream, of which no more is read. Raises ``DecodeError``."""
        resolved = resolve(self.parameters, parameters)
        self.must_know(resolved)
        data, length, little = self._begin(stream, resolved)
        if length > MAX_RECORD_BYTES:
            raise DecodeError(
                "too-long", f"a record of {counted(length, 'byte')}, more than the {MAX_RECORD_BYTES} allowed"
            )
        data += stream.read(max(0, length - len(data)))
        if len(data) != length:
            raise self._misfit(length, data)
        return self.decode(data, resolved, little=little)

    def _begin(self, stream: Any, parameters: Values) -> tuple[bytes, int, bool]:
        """The first bytes of the next record, as many as its length takes to find, with its length and byte order."""
        data, final, bound = self._terminated(stream), not self.framing.to_the_end, MAX_RECORD_BYTES
        while True:
            try:
                return data, *self.framing.first(data, 0, len(data), parameters, final=final, bound=bound)
            except DecodeError as error:
                more = stream.read(max(0, error.needed - len(data)))
                if not more and final:
                    raise
                data, final = data + more, final or not more

    def _terminated(self, stream: Any) -> bytes:
        """The next bytes of a stream up to the terminator, or the flag after a record, if records have one; one more
        than a record may have if there is none in these.
        """
        ends, data, is_begun = self.framing.ends or (b"",), bytearray(), not self.framing.flagged
        while not (is_begun and data.endswith(ends)) and len(data) <= MAX_RECORD_BYTES and (more := stream.read(1)):
            data += more
            is_begun = is_begun or more not in ends
        return bytes(data)

    def iter_records(
        self,
        buffer: bytes,
        mode: str = Mode.FAILFAST,
        *,
        message: str | None = None,
        messages: Iterable[str] | None = None,
        positions: bool = False,
        max_record_bytes: int = MAX_RECORD_BYTES,
        resync: str = Resync.CHAIN,
        **parameters: Any,
    ) -> Iterator[Container]:
        """Iterate over the records of a capture in memory, one dict at a time.

        Parameters
        ----------
        buffer : bytes or memory map
            Records end to end. For files, recorded packets and whole tables, see ``scan`` and ``decode_columnar``.
        mode : {'FAILFAST', 'PERMISSIVE', 'DROPMALFORMED'}
            What happens to a malformed record. ``FAILFAST``, the default, raises; ``PERMISSIVE`` gives a row with
            ``_corrupt_record`` (its bytes), ``_corrupt_reason``, and the header if that could be read;
            ``DROPMALFORMED`` leaves it out.
        message, messages : str, or iterable of str, optional
            Give only records of this message, or of these, and of others decode no more than the header. At most one of
            the two may be given.
        positions : bool, default False
            Add ``_offset`` and ``_length`` to each row, in bytes.
        max_record_bytes : int, default 64 MiB
            Records that are longer, or claim to be, are malformed.
        resync : {'chain', 'proof'}
            Where reading continues after damage: ``chain``, the default, also where records fit one after another,
            which is a guess; ``proof`` only where a checksum or a terminator identifies a record.
        **parameters
            The protocol's parameters, as in ``parse``.

        Yields
        ------
        Container
            The rows, in order, as ``parse`` gives them.

        Raises
        ------
        DecodeError
            In mode ``FAILFAST``, at the first malformed record. Its ``offset`` is in bytes from the start of
            ``buffer``.
        OptionError
            If an argument or a parameter is unknown, or has a wrong value.

        Examples
        --------
        >>> from wireloom_protocols import couchbase_dcp
        >>> frame = couchbase_dcp.build({"message": "dcp_noop"})
        >>> [(row.message, row._offset) for row in couchbase_dcp.iter_records(frame + frame, positions=True)]
        [('dcp_noop', 0), ('dcp_noop', 24)]
        >>> rows = couchbase_dcp.iter_records(frame + frame[:-4], mode="PERMISSIVE")
        >>> [row._corrupt_reason for row in rows]
        [None, 'truncated: record at byte 24: a record of 24 bytes, 20 left']
        """
        resolved = resolve(self.parameters, parameters)
        memoryview(buffer).release()  # a TypeError for anything that is not a buffer
        chosen = Mode.of(mode)
        only = only_of(message, messages)
        framing = self.framing.resyncing(resync_of("resync", resync))
        cutter = Cutter(framing, resolved, max_record_bytes)
        for cut in cutter.cuts(buffer):
            data = bytes(buffer[cut.offset : cut.offset + cut.length])
            row = self.row(cut, data, cut.offset, cutter.parameters, chosen, only)
            if row is not None:
                if positions:
                    row["_offset"], row["_length"] = cut.offset, cut.length
                yield row

    def row(
        self,
        cut: Cut,
        data: bytes,
        offset: int,
        parameters: Values,
        mode: Mode,
        only: Only = None,
    ) -> Container | None:
        """The row of a record cut from a capture; ``data`` are its bytes, which begin at ``offset`` in the capture.
        ``parameters`` are those of the capture.

        None if it is left out: malformed in mode ``DROPMALFORMED``, of another message than those ``only``, or none at
        all.
        """
        error = cut.error
        if cut.preamble and self.preamble is not None:
            return self._preamble_row(error, data, parameters, mode, only)
        if isinstance(error, NoRecordError):
            return None
        if error is None:
            try:
                return self._decode(data, parameters, cut.little, None, only)
            except DecodeError as found:
                error = found
                error.offset += offset
        if mode is Mode.DROPMALFORMED:
            return None
        whole = len(data) if cut.error is None else error.whole or None
        return self._malformed(error, self._outline(data, whole, cut.little, parameters), data, mode, only)

    def build(self, obj: Any, **parameters: Any) -> bytes:
        """Encode one row into the bytes of its record.

        Parameters
        ----------
        obj : mapping
            The row, with the keys that ``parse`` gives. Derived fields, such as lengths, checksums and opcodes, may be
            left out, and so may fields that are None, and ``message`` if the struct of exactly one message is given. A
            malformed row is written as its ``_corrupt_record``.
        **parameters
            The protocol's parameters, as in ``parse``.

        Returns
        -------
        bytes
            The record.

        Raises
        ------
        EncodeError
            If a field is missing, unknown, out of range, or contradicts another. ``field`` is its path.
        OptionError
            If a parameter is unknown, missing, or has a wrong value.

        Examples
        --------
        >>> from wireloom_protocols import couchbase_dcp
        >>> couchbase_dcp.build({"vbucket": 3, "seqno_advanced": {"by_seqno": 7}}).hex()
        '8064000008000003000000080000000000000000000000000000000000000007'
        >>> couchbase_dcp.build({"vbucket": 70000, "message": "dcp_noop"})
        Traceback (most recent call last):
            ...
        wireloom.codec.errors.EncodeError: vbucket: 70000 does not fit 16 bits
        """
        return self.encode(obj, self._resolved(parameters))

    def encode(self, obj: Any, parameters: Values) -> bytes:
        """As ``build``, with the resolved parameters of a capture."""
        data = None if self.preamble else self.specialised.build(obj, parameters)
        if data is not None:
            return data
        row = given(obj, self._empty, ignored=_BESIDE)
        if row["_corrupt_record"] is not None:
            return octets(row["_corrupt_record"], "_corrupt_record")
        row = dict(zip(row, self._coercion(row.values()), strict=True))
        resolved = dict(parameters)
        for parameter in self._recorded:
            if row[parameter.name] is not None:
                if not isinstance(row[parameter.name], str | int):
                    raise EncodeError(f"text or a number expected, not {shown(row[parameter.name])}", parameter.name)
                try:
                    resolved[parameter.name] = parameter.value_of(row[parameter.name])
                except OptionError as error:
                    raise EncodeError(str(error), parameter.name) from None
        message = message_to_write(row, self.messages)
        if self.preamble is not None:
            if message.name == CAPTURE:
                given_of = {parameter.name: resolved[parameter.name] for parameter in self.preamble.protocol.parameters}
                opening: bytes = self.preamble.protocol.build({CAPTURE: row[CAPTURE]}, **given_of)
                return opening
            self.must_know(resolved)
        return self._building.build(row, message, resolved)

    def _preamble_row(
        self, error: DecodeError | None, data: bytes, parameters: Values, mode: Mode, only: Only
    ) -> Container | None:
        """The row of the header of a capture. If that is malformed, it is a row for every reader."""
        assert self.preamble is not None
        row, wanted = container(self._empty), only is None or CAPTURE in only
        row["message"] = CAPTURE if wanted else None
        if error is not None:
            return None if mode is Mode.DROPMALFORMED else self._malformed(error, row, data, mode, only)
        found = self.preamble.protocol.cell(data, parameters, Mode.FAILFAST) if wanted else None
        return None if found is None else Container(row, **found)

    def must_know(self, parameters: Values) -> None:
        """Raises ``OptionError`` if a record needs values of its capture's header, and they are not given."""
        if self.preamble is not None:
            self.preamble.must_be_told(parameters)

    def _within(self, error: DecodeError, message: Message) -> DecodeError:
        """The error with the message's name in its path, unless it is about a field of the record."""
        if re.split(r"[.\[]", error.field)[0] not in self._fields:
            error.within(message.name)
        return error

    def form(self, name: str) -> Forms:
        """The textual form called ``name``. Raises ``OptionError``."""
        if name not in self.forms:
            raise OptionError(unknown("form", name, self.forms))
        return self.forms[name]


def _column_type(parameter: Parameter) -> str:
    if parameter.bounds is None:
        return "string" if parameter.choices or parameter.text else "boolean"
    return "long" if parameter.bounds[1] < 1 << 63 else LARGE


def _preamble(name: str, module: str, capture: Layout, parameters: tuple[Parameter, ...], framing: Framing) -> Preamble:
    """What captures begin with, as a protocol with one message, whose only record ends where its fields do."""
    record = Record(Slot(CAPTURE, Rest()))
    message = Message(CAPTURE, record, match={}, sections={CAPTURE: capture})
    own = tuple(parameter for parameter in parameters if parameter.default is not None)
    order = next((each.name for each in own if each.name == framing.byte_order and "auto" not in each.choices), None)
    ends = Framing((Fields(record=record, messages=(message,)),), byte_order=order)
    told = tuple(parameter.name for parameter in parameters if parameter.default is None)
    return Preamble(Protocol(name, module, record=record, messages=(message,), framing=ends, parameters=own), told)


def _protocol(module: str) -> Protocol:
    protocol: Protocol = import_module(module).PROTOCOL
    return protocol


_BESIDE = frozenset({"_file", *(column.name for column in (*POSITIONS, *PROVENANCE))})
