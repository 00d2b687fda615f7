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
    """The documents after a session of Couchbase DCP: the newest version of each key.

    Of each key, that is the version with the highest seqno on the current branch of its vbucket. A prepare counts from
    its commit on, with the seqno of the commit. Deletions, expirations, and the end or a flush of its collection remove
    a key. A rollback undoes changes: a stream that is rolled back to a seqno undoes those above it that came before it
    in its vbucket; a new stream undoes those above its start that are not on a branch of its failover log; a stream
    that starts at 0 undoes all. Documents of cache transfers are not changes, and are left out.

    Parameters
    ----------
    batches : pyarrow.Table, RecordBatchReader, or iterable of RecordBatch
        The frames of the session, in the order of each connection, with at least ``STATE_COLUMNS``.
    removed : bool, default False
        Also give a row for each key that was removed.
    connection : sequence of str
        The columns that identify a connection, if the frames are of several.
    source : sequence of str
        The columns that identify whose vbuckets they are, such as cluster, bucket and consumer, if there are several.
    vbuckets : collection of int, optional
        Only these vbuckets. Default: all.

    Returns
    -------
    pyarrow.Table
        A row per key, by vbucket and seqno: the columns of ``source``, ``vbucket``, the key (``collection_id``,
        ``document_key``, or ``document_key_bytes`` if it is not valid text), ``by_seqno``, ``vb_uuid`` (the branch),
        ``rev_seqno``, ``cas``, ``datatype``, and the columns of the document that the frames have. ``removed`` says
        what removed a key: ``deletion``, ``expiration`` or ``collection``. ``problem`` reports a commit without its
        prepare, whose document is null.

    Raises
    ------
    ValueError
        If a column is missing.

    Notes
    -----
    All versions of all ``vbuckets`` are held in memory, since a rollback may return to any of them. Frames that are
    missing from the result are counted in the log; ``omissions`` lists them.

    Examples
    --------
    >>> from wireloom.cdc import couchbase
    >>> from wireloom_protocols import couchbase_dcp
    >>> capture = "examples/captures/couchbase_dcp/session.bin"
    >>> frames = couchbase_dcp.scan(capture, columns=couchbase.STATE_COLUMNS, mode="PERMISSIVE")
    >>> documents = couchbase.latest(frames)
    >>> documents.select(["vbucket", "document_key", "by_seqno"]).slice(0, 2).to_pylist()
    [{'vbucket': 0, 'document_key': 'orders:2', 'by_seqno': 2}, {'vbucket': 0, 'document_key': 'orders:3', 'by_seqno':
    3}]
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
    """The upserts and deletes that bring a table of documents up to date.

    Parameters
    ----------
    batches : pyarrow.Table, RecordBatchReader, or iterable of RecordBatch
        All frames of the session, not only those after ``since``, in the order of each connection, with at least
        ``STATE_COLUMNS``. A rollback may bring back documents of older frames.
    since : pyarrow.Table, optional
        The ``positions`` as of which the table of documents is. Default: the table is empty.
    connection, source, vbuckets
        As in ``latest``.

    Returns
    -------
    pyarrow.Table
        A row per key, with the columns of ``latest``. A row without ``removed`` is an upsert, one with it a delete.
        Keys of which no version is left have ``rollback`` there, and only their key columns. The rows may include keys
        that did not change since; merging a row twice is harmless.

    Raises
    ------
    ValueError
        If a column is missing.
    """
    return History(batches, connection=connection, source=source, vbuckets=vbuckets).changes(since)


def dropped(
    batches: Batches,
    *,
    connection: Sequence[str] = (),
    source: Sequence[str] = (),
    vbuckets: Collection[int] | None = None,
) -> pa.Table:
    """The versions of documents that rollbacks have undone.

    Parameters
    ----------
    batches : pyarrow.Table, RecordBatchReader, or iterable of RecordBatch
        The frames of the session, in the order of each connection, with at least ``STATE_COLUMNS``.
    connection, source, vbuckets
        As in ``latest``.

    Returns
    -------
    pyarrow.Table
        A row per version, in the order of arrival, with the columns of ``latest``.

    Raises
    ------
    ValueError
        If a column is missing.
    """
    return History(batches, connection=connection, source=source, vbuckets=vbuckets).dropped()


def omissions(
    batches: Batches,
    *,
    connection: Sequence[str] = (),
    source: Sequence[str] = (),
    vbuckets: Collection[int] | None = None,
) -> pa.Table:
    """The frames that could not be used, so that documents of ``latest`` and ``changes`` may be missing or outdated.

    Frames that the reader dropped, in mode ``DROPMALFORMED``, are not among them.

    Parameters
    ----------
    batches : pyarrow.Table, RecordBatchReader, or iterable of RecordBatch
        The frames of the session, in the order of each connection, with at least ``STATE_COLUMNS``.
    connection, source, vbuckets
        As in ``latest``.

    Returns
    -------
    pyarrow.Table
        A row per frame, in the order of arrival: the columns of ``source`` and ``connection``, ``vbucket``,
        ``stream_id``, ``message`` (null if unknown), ``problem``, and ``_file``, ``_offset`` and ``_corrupt_reason`` if
        the frames have them. ``problem`` is one of: ``malformed``, of changes, markers, requests, responses, and bytes
        that may have been one of these; ``its request is not there``, of responses whose vbucket is therefore unknown;
        ``its collection is not known``, of system events of a newer version.

    Raises
    ------
    ValueError
        If a column is missing, or there are no batches.
    """
    return History(batches, connection=connection, source=source, vbuckets=vbuckets).omissions()


def positions(
    batches: Batches,
    *,
    connection: Sequence[str] = (),
    source: Sequence[str] = (),
    vbuckets: Collection[int] | None = None,
) -> pa.Table:
    """The position of the consumer in each stream: the arguments of its next stream request.

    Parameters
    ----------
    batches : pyarrow.Table, RecordBatchReader, or iterable of RecordBatch
        The frames of the session, in the order of each connection, with at least ``STATE_COLUMNS``.
    connection, source, vbuckets
        As in ``latest``.

    Returns
    -------
    pyarrow.Table
        A row per stream: the columns of ``source``, ``vbucket``, ``stream_id`` (null if the vbucket has one stream),
        the fields of a stream request (``vb_uuid``, ``start_seqno``, ``snap_start_seqno``, ``snap_end_seqno``), the
        ``purge_seqno`` of the last snapshot marker that had one, and the ``failover_log``, newest branch first. Within
        an unordered (OSO) snapshot, the position is where the stream began.

    Raises
    ------
    ValueError
        If a column is missing.
    """
    return History(batches, connection=connection, source=source, vbuckets=vbuckets).positions()
