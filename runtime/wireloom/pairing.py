"""Answers beside their requests, in batches of decoded records, as the spec's ``answers`` say.

Of several requests that wait with equal fields, the oldest is answered, as servers do: each gets its own answer even if
a number is used again before. Quiet requests, most of which stay without an answer, do not wait: an answer belongs to
the latest, or to one before it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wireloom import registry
from wireloom.buffers import Array, valid_of
from wireloom.codec import Protocol
from wireloom.codec.matching import Selection
from wireloom.request_order import RequestOrder
from wireloom.views import REASON, RECORD

REQUEST, PAIRING = "request", "_pairing"
"""The columns that are added: the request, and the uncertainty about it."""
NONE, OLDEST, LATEST = "no request", "the oldest of {} that wait", "the latest of {}"
"""The texts of ``_pairing``: no request, or a choice among several."""
MOST = 100_000


class Conversation(NamedTuple):
    """The ``requests`` that have the same ``responses``, by equal fields. ``quiet`` and ``more`` are as in ``Answers``,
    the latter by response.
    """

    by: tuple[str, ...]
    requests: tuple[str, ...]
    responses: tuple[str, ...]
    quiet: tuple[Mapping[str, Selection], ...]
    more: Mapping[str, tuple[str, ...]]


def conversations(protocol: Protocol) -> tuple[Conversation, ...]:
    """The conversations of a protocol, according to its messages."""
    found: list[Conversation] = []
    for message in protocol.records.values():
        if (answers := message.answers) is None:
            continue
        talk = Conversation(
            answers.by,
            answers.to,
            (message.name,),
            (answers.quiet,) if answers.quiet else (),
            {message.name: answers.more},
        )
        for other in [each for each in found if set(each.requests) & set(talk.requests)]:
            found.remove(other)
            talk = Conversation(
                talk.by,
                tuple(dict.fromkeys((*other.requests, *talk.requests))),
                (*other.responses, *talk.responses),
                (*other.quiet, *talk.quiet),
                {**other.more, **talk.more},
            )
        found.append(talk)
    return tuple(found)


def of_header(talk: Conversation, protocol: Protocol) -> tuple[str, ...]:
    """The fields of the header by which its requests are found; the others are fields of their messages."""
    header = {column.name for column in protocol.header}
    return tuple(name for name in talk.by if name in header)


def fields_beside(columns: Iterable[str], protocol: Protocol, connection: Sequence[str]) -> list[str]:
    """The columns that ``request`` has."""
    asked = {name for talk in conversations(protocol) for name in talk.requests}
    apart = {*connection, RECORD.name, REASON.name, *(protocol.messages.keys() - asked)}
    return [name for name in columns if name not in apart]


def pair(
    batches: Iterable[pa.RecordBatch] | pa.Table,
    protocol: str,
    *,
    connection: Sequence[str] = ("_file",),
    most: int = MOST,
) -> "Paired":
    """Add to each response the request that it answers.

    Of several waiting requests with equal fields, the oldest is answered, as servers do. Quiet requests, most of which
    get no answer, do not wait: an answer belongs to the latest of them or to an earlier one.

    Parameters
    ----------
    batches : pyarrow.Table, or iterable of RecordBatch
        Records as ``scan`` gives them with all messages, or some of their columns, in the order of each connection.
    protocol : str
        The name of the protocol. Its spec determines which messages answer which, and by which fields.
    connection : sequence of str
        The columns that identify a connection.
    most : int, default 100,000
        How many requests may wait per kind of request; after that, the oldest is given up.

    Returns
    -------
    Paired
        An iterable of the batches with two more columns, row by row as they came. ``request`` is a struct of the
        request's columns: those that are not of messages, and the structs of messages that are answered. It is null in
        rows that are not an answer, or are malformed, and if there is no request. ``_pairing`` is ``no request``, or
        says how many candidates there were: ``the oldest of 2 that wait``, ``the latest of 2``; else null.

    Raises
    ------
    ValueError
        If a column is missing, or ``most`` is less than 1.

    Notes
    -----
    If the batches have neither ``_corrupt_reason`` nor the structs of messages, no row counts as malformed.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from wireloom.pairing import pair
    >>> from wireloom_protocols import couchbase_dcp
    >>> frames = couchbase_dcp.scan("examples/captures/couchbase_dcp/session.bin", mode="PERMISSIVE", positions=True)
    >>> rows = pa.Table.from_batches(pair(frames, "couchbase_dcp")).to_pylist()
    >>> [row["request"]["vbucket"] for row in rows if row["message"] == "failover_log_response" and row["request"]]
    [0, 1, 2, 3]
    """
    if most < 1:
        raise ValueError(f"most must be at least 1, not {most}")
    return Paired(batches, registry.protocol(protocol), tuple(connection), most)


class Paired:
    """Batches with the columns ``request`` and ``_pairing``, from ``pair``."""

    def __init__(
        self, batches: Iterable[pa.RecordBatch] | pa.Table, protocol: Protocol, connection: tuple[str, ...], most: int
    ) -> None:
        self._batches = batches.to_batches() if isinstance(batches, pa.Table) else batches
        self._queues = [Queue(talk, protocol, connection, most) for talk in conversations(protocol)]
        self._connection = connection
        self._protocol = protocol
        self._empty = pa.table({})

    @property
    def given_up(self) -> int:
        """How many requests were given up because more than ``most`` waited."""
        return sum(queue.given_up for queue in self._queues)

    @property
    def waiting(self) -> pa.Table:
        """The requests that are waiting, without quiet ones: the columns of their connection, and ``request``.
        It has no
        columns before the first batch.
        """
        kept = [queue.kept for queue in self._queues if queue.kept is not None]
        loud = [table.filter(pc.invert(table["quiet"])).select([*self._connection, REQUEST]) for table in kept]
        return pa.concat_tables([self._empty, *(_whole(table, self._empty.schema) for table in loud)])

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        for batch in self._batches:
            yield self._paired(batch)

    def _paired(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        records = Incoming(batch, self._protocol, self._connection)
        if not self._empty.schema:
            known = {name: records.plain(name).type for name in self._connection}
            self._empty = pa.Table.from_batches([], pa.schema({**known, REQUEST: records.shape}))
        told = np.full(len(records), None, object)
        answered = []
        for queue in self._queues:
            found = queue.take(records)
            if found is not None and len(found.rows):
                told[found.rows] = found.told
                answered.append(found)
        columns = [*batch.columns, _beside(answered, records), pa.array(told, pa.string())]
        names = [*batch.schema.names, REQUEST, PAIRING]
        return pa.RecordBatch.from_arrays(columns, names)


class Incoming:
    """A batch: rows by message, and columns by name. Raises ``ValueError`` for one that is missing."""

    def __init__(self, batch: pa.RecordBatch, protocol: Protocol, connection: tuple[str, ...]) -> None:
        self.batch = batch
        self.header = {column.name for column in protocol.header}
        encoded = self.column("message").dictionary_encode()
        self._codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        self._names = encoded.dictionary.to_pylist()
        self.fields = list(map(batch.schema.field, fields_beside(batch.schema.names, protocol, connection)))
        self.shape = pa.struct(self.fields)
        self._messages = protocol.messages.keys()
        self._told = REASON.name in batch.schema.names

    def __len__(self) -> int:
        return int(self.batch.num_rows)

    def column(self, name: str) -> pa.Array:
        index = self.batch.schema.get_field_index(name)
        if index < 0:
            raise ValueError(f"the records lack the column {name}, which matches requests")
        return self.batch.column(index)

    def plain(self, name: str) -> pa.Array:
        """A column whose values are not in a dictionary, which another batch has another one of."""
        column = self.column(name)
        return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column

    def rows(self, messages: Sequence[str]) -> Array:
        """The sound rows of these messages, in order."""
        found = [self._sound(code, name) for code, name in enumerate(self._names) if name in messages]
        return np.sort(np.concatenate(found)) if found else np.empty(0, np.int64)

    def _sound(self, code: int, message: str) -> Array:
        """The rows of a message that are not malformed: malformed ones have a reason, and no struct of the message."""
        rows: Array = np.flatnonzero(self._codes == code)
        if self._told or message in self.batch.schema.names:
            sound = self.column(REASON.name).is_null() if self._told else self.column(message).is_valid()
            rows = rows[sound.to_numpy(zero_copy_only=False)[rows]]
        return rows

    def values(self, name: str, messages: Sequence[str], rows: Array) -> pa.Array:
        """A field in some rows of these messages, of the header or of their own."""
        if name in self.header:
            return self.column(name).take(rows)
        there = [message for message in messages if message in self._names]
        found = [pc.struct_field(self.column(message).take(pa.array(rows)), name) for message in there]
        return pc.coalesce(*found)

    def requests(self, rows: Array, messages: Sequence[str]) -> pa.StructArray:
        """Rows of these messages as ``request`` has them, without the structs of others."""
        fields = [field for field in self.fields if field.name in messages or field.name not in self._messages]
        taken = [self.column(field.name).take(rows) for field in fields]
        return pa.StructArray.from_arrays(taken, fields=fields)


@dataclass(frozen=True, slots=True)
class Answered:
    """The rows of answers in a batch; ``source`` is the position of each one's request in ``requests``, or -1;
    ``told`` is
    the value of ``_pairing``.
    """

    rows: Array
    source: Array
    told: Array
    requests: pa.StructArray


class Queue:
    """The requests of a conversation that wait. ``kept`` has a row for each: the columns of its connection, the fields
    by which it is found, the ``request``, whether it is ``quiet``, and how many there were, of which it is the latest.
    """

    def __init__(self, talk: Conversation, protocol: Protocol, connection: tuple[str, ...], most: int) -> None:
        self.talk = talk
        self.connection = connection
        self.most = most
        self.kept: pa.Table | None = None
        self.given_up = 0

    def take(self, records: Incoming) -> Answered | None:
        """Add the requests of a batch, and find those of its answers. None if it has neither."""
        talk = self.talk
        both = records.rows((*talk.requests, *talk.responses))
        if not len(both):
            return None
        keys = self._keys(records, both)
        by = [valid_of(keys[f".{name}"]) for name in talk.by]
        known = np.logical_and.reduce(by)
        asks = np.isin(both, records.rows(talk.requests))
        asked, answers = np.flatnonzero(asks & known), np.flatnonzero(~asks)
        fresh = pa.table({name: column.take(pa.array(asked)) for name, column in keys.items()})
        fresh = fresh.append_column("quiet", pa.array(self._quiet(fresh)))
        fresh = fresh.append_column("count", pa.array(np.ones(len(asked), np.int64)))
        waiting = fresh if self.kept is None else pa.concat_tables([self.kept.drop_columns(REQUEST), fresh])
        sought = {name: column.take(pa.array(answers)) for name, column in keys.items()}
        order = RequestOrder(
            codes=_codes([_joined(waiting[name], sought[name]) for name in keys]),
            position=np.concatenate([np.arange(len(waiting) - len(asked)) - len(waiting), both[asked], both[answers]]),
            requests=len(waiting),
            counts=waiting["count"].to_numpy(),
            quiet=_of_each(self._quiet(waiting), self._quiet(pa.table(sought))),
            last=~self._more(records, both[answers]),
        )
        source, choices = order.matched()
        source[~known[answers]] = -1
        quiet = order.quiet[order.requests :]
        told = np.where(quiet, _said(LATEST, choices), _said(OLDEST, choices))
        told[source < 0] = NONE
        left, counts = order.left()
        self.given_up += max(0, len(left) - self.most)
        left, counts = left[-self.most :], counts[-self.most :]
        needed = np.union1d(left, source[source >= 0])  # most quiet requests are never needed again
        requests = self._requests(records, both[asked], needed)
        kept = waiting.drop_columns("count").take(pa.array(left)).append_column("count", pa.array(counts))
        self.kept = kept.append_column(REQUEST, requests.take(pa.array(np.searchsorted(needed, left))))
        return Answered(both[answers], np.where(source < 0, -1, np.searchsorted(needed, source)), told, requests)

    def _requests(self, records: Incoming, asked: Array, needed: Array) -> pa.StructArray:
        """Some of those that waited before, followed by some of those in the rows ``asked``."""
        before = 0 if self.kept is None else len(self.kept)
        fresh = records.requests(asked[needed[needed >= before] - before], self.talk.requests)
        if self.kept is None:
            return fresh
        return pa.concat_arrays([*self.kept[REQUEST].take(pa.array(needed[needed < before])).chunks, fresh])

    def _keys(self, records: Incoming, rows: Array) -> dict[str, pa.Array]:
        messages = (*self.talk.requests, *self.talk.responses)
        of_connection = {name: records.plain(name).take(rows) for name in self.connection}
        return of_connection | {f".{name}": records.values(name, messages, rows) for name in self.talk.by}

    def _quiet(self, keys: pa.Table) -> Array:
        """Which of the requests with these fields are quiet."""
        found = np.zeros(len(keys), bool)
        for match in self.talk.quiet:
            found |= np.logical_and.reduce([_selected(keys[f".{name}"], values) for name, values in match.items()])
        return found

    def _more(self, records: Incoming, rows: Array) -> Array:
        """Which answers are followed by another one to the same request."""
        found = np.zeros(len(rows), bool)
        for message, variants in self.talk.more.items():
            if variants:
                named = pc.is_in(
                    pc.struct_field(records.column(message).take(rows), "variant"), value_set=pa.array(variants)
                )
                found |= named.to_numpy(zero_copy_only=False)
        return found


def _beside(answered: Sequence[Answered], records: Incoming) -> pa.StructArray:
    """The column ``request`` of a batch."""
    there = np.zeros(len(records), bool)
    for found in answered:
        there[found.rows] = found.source >= 0
    columns = [_field(field, answered, len(records)) for field in records.fields]
    return pa.StructArray.from_arrays(columns, fields=records.fields, mask=pa.array(~there))


def _field(field: pa.Field, answered: Sequence[Answered], length: int) -> pa.Array:
    """A field of the requests beside answers; null if it is the struct of a message that no row in the batch
    answers.
    """
    source, values = np.full(length, -1, np.int64), [pa.nulls(0, field.type)]
    for found in answered:
        if (found.source >= 0).any() and found.requests.type.get_field_index(field.name) >= 0:
            source[found.rows] = np.where(found.source < 0, -1, found.source + sum(map(len, values)))
            values.append(found.requests.field(field.name))
    if len(values) == 1:
        return pa.nulls(length, field.type)
    return pa.concat_arrays(values).take(pa.array(source, mask=source < 0))


def _whole(waiting: pa.Table, schema: pa.Schema) -> pa.Table:
    """Requests with the structs of all messages that are answered."""
    requests, fields = waiting[REQUEST].combine_chunks(), list(schema.field(REQUEST).type)
    known = {field.name for field in requests.type}
    columns = [
        requests.field(field.name) if field.name in known else pa.nulls(len(requests), field.type) for field in fields
    ]
    whole = pa.StructArray.from_arrays(columns, fields=fields)
    return waiting.set_column(waiting.schema.get_field_index(REQUEST), schema.field(REQUEST), whole)


def _said(text: str, choices: Array) -> Array:
    """The text with each number, or None if there was no choice."""
    numbers, which = np.unique(choices, return_inverse=True)
    texts = np.array([text.format(number) if number > 1 else None for number in numbers.tolist()], object)
    return texts[which]


def _joined(one: pa.ChunkedArray, other: pa.Array) -> pa.ChunkedArray:
    return pa.chunked_array([*one.chunks, other], one.type)


def _of_each(one: Array, other: Array) -> Array:
    return np.concatenate([one, other])


def _codes(columns: Sequence[pa.ChunkedArray]) -> Array:
    """A number for the values of each row, equal if the values are."""
    codes = np.zeros(len(columns[0]) if columns else 0, np.int64)
    for column in columns:
        encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
        further = encoded.indices.to_numpy(zero_copy_only=False)
        _, codes = np.unique(codes * (len(encoded.dictionary) + 1) + further, return_inverse=True)
    return codes


def _selected(column: pa.ChunkedArray, values: Selection) -> Array:
    """Which values are among those."""
    listed = pa.array(sorted(values.listed, key=repr)).cast(column.type) if values.listed else None
    found = np.zeros(len(column), bool)
    if listed is not None:
        found |= pc.is_in(column, value_set=listed).to_numpy()
    for least, most in values.spans:
        found |= pc.and_(pc.greater_equal(column, least), pc.less_equal(column, most)).fill_null(False).to_numpy()
    return found
