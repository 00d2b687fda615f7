"""The state of documents as functions of a session's frames."""

from collections.abc import Collection, Sequence

import pyarrow as pa

from wireloom.cdc.couchbase.frames import Batches
from wireloom.cdc.couchbase.history import History


def latest(
    batches: Batches,
    *,
    removed: bool = False,
    connection: Sequence[str] = (),
    source: Sequence[str] = (),
    vbuckets: Collection[int] | None = None,
) -> pa.Table:
    """The documents that there are after a session, a row a key, by vbucket and seqno.

    Of each key that is the version with the highest seqno on the current branch of its vbucket. Deletions and
    expirations remove a key, and so does the end of its collection, or that it began anew (a flush). A prepare counts
    from its commit on, with the commit's seqno. What a rollback has undone is as if it had not come: a stream that is
    sent back to a seqno undoes what came before of its vbucket above it; one that begins undoes what is above where it
    begins and not on the branches of its failover log; one that begins at 0, everything. Documents of cache transfers
    are no changes, and left out.

    Columns are ``source``, ``vbucket``, the key's (``collection_id``, ``document_key``, or ``document_key_bytes`` of
    one that is no text), ``by_seqno``, ``vb_uuid``, ``rev_seqno``, ``cas``, ``datatype``, those of the document that
    the frames have, ``removed`` and ``problem``. With ``removed``, keys that are gone have a row, too, which says why:
    ``deletion``, ``expiration`` or ``collection``. ``problem`` says of a commit that its prepare did not come; its
    document is null.

    ``connection`` are the columns that tell connections apart, ``source`` those that tell apart whose vbuckets these
    are: the cluster and bucket, and the consumer, if there are several. Memory is that of all versions of
    ``vbuckets``, by default all: a rollback may go back to any of them. Raises ``ValueError`` for a column
    that it takes and that is not there (``STATE_COLUMNS`` are enough).
    """
    return History(batches, connection=connection, source=source, vbuckets=vbuckets).latest(removed=removed)


def changes(
    batches: Batches,
    since: pa.Table | None = None,
    *,
    connection: Sequence[str] = (),
    source: Sequence[str] = (),
    vbuckets: Collection[int] | None = None,
) -> pa.Table:
    """What to do to a table of documents as of ``since`` to make it that of now: a row a key, as of ``latest``.

    Rows with ``removed`` are deletes, the others upserts; those of a key of which no version is left, since all were
    rolled back, have ``rollback`` there and only the key. ``since`` are positions as ``positions`` gives them; without
    it, it is the beginning. There are more rows than changes, such as those of keys that were rolled back before: to
    merge a row twice does no harm. ``batches`` are all frames, not only those since: what a rollback brings back is in
    the older ones.
    """
    return History(batches, connection=connection, source=source, vbuckets=vbuckets).changes(since)


def dropped(
    batches: Batches,
    *,
    connection: Sequence[str] = (),
    source: Sequence[str] = (),
    vbuckets: Collection[int] | None = None,
) -> pa.Table:
    """The versions that rollbacks have undone, in the order in which they came, with the columns of ``latest``."""
    return History(batches, connection=connection, source=source, vbuckets=vbuckets).dropped()


def omissions(
    batches: Batches,
    *,
    connection: Sequence[str] = (),
    source: Sequence[str] = (),
    vbuckets: Collection[int] | None = None,
) -> pa.Table:
    """The frames that the documents of a session lack, a row each, in the order in which they came.

    Columns are ``source``, ``connection``, ``vbucket``, ``stream_id``, ``message``, ``problem``, and those of
    ``_file``, ``_offset`` and ``_corrupt_reason`` that the frames have. ``problem`` says ``malformed`` of changes,
    markers, requests and responses that could not be decoded, and of bytes that may have been such, whose ``message``
    is null; ``its request is not there`` of responses with a failover log or a rollback, as nobody knows of which
    vbucket; and ``its collection is not known`` of system events of a version to come. ``latest`` and ``changes`` warn
    of them in the log. What a reader has dropped, in mode ``DROPMALFORMED``, is not among them.
    """
    return History(batches, connection=connection, source=source, vbuckets=vbuckets).omissions()


def positions(
    batches: Batches,
    *,
    connection: Sequence[str] = (),
    source: Sequence[str] = (),
    vbuckets: Collection[int] | None = None,
) -> pa.Table:
    """Where the consumer stands in each vbucket, or in each stream of one: what it would ask for next.

    Columns are ``source``, ``vbucket``, ``stream_id``, those of a stream request (``vb_uuid``, ``start_seqno``,
    ``snap_start_seqno``, ``snap_end_seqno``), the ``purge_seqno`` of the last marker that had one, and the
    ``failover_log``, newest branch first. Within a snapshot without an order the position is where the stream began.
    """
    return History(batches, connection=connection, source=source, vbuckets=vbuckets).positions()
