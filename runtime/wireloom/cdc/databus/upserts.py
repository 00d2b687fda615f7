"""What windows make of a table: the last event of each key."""

import numpy as np
import pyarrow as pa

from wireloom.cdc.databus.events import LOG, EventBatches

KEY = ("src_id", "key", "key_bytes", "key_schema_id", "key_schema_version")
"""The columns that identify keys; of the last four some are null, and nulls count as equal."""


def upserts(events: EventBatches) -> pa.Table:
    """The last event of each source and key in complete windows: the rows to merge into a table.

    Parameters
    ----------
    events : pyarrow.Table, or iterable of RecordBatch
        Events of ``windows``, of one window or of several in order of arrival. The order decides which event is newer,
        since sequences decrease after an SCN regress. To update a state, put the previous result first.

    Returns
    -------
    pyarrow.Table
        The events, in order, with all columns. Merge each row by the columns ``KEY``: delete if ``deleted`` is true,
        otherwise insert or update.

    Notes
    -----
    Events of incomplete windows are left out and counted in the log. All ``events`` are held in memory.

    Examples
    --------
    >>> from wireloom.cdc import databus as cdc
    >>> from wireloom_protocols import databus
    >>> events = databus.scan("examples/captures/databus/windows.bin", columns=cdc.COLUMNS, mode="PERMISSIVE")
    >>> rows = cdc.upserts(cdc.windows(events))
    >>> rows.filter(rows["deleted"]).select(["key", "sequence", "deleted"]).to_pylist()
    [{'key': 1842, 'sequence': 120, 'deleted': True}]
    """
    table = events if isinstance(events, pa.Table) else pa.Table.from_batches(list(events))
    whole = table.filter(table["complete"])
    if lacking := len(table) - len(whole):
        LOG.warning("wireloom: %d events left out, because their windows are not complete", lacking)
    table = whole
    numbered = table.select(KEY).append_column("row", pa.array(np.arange(len(table))))
    last = numbered.group_by(list(KEY)).aggregate([("row", "max")])["row_max"].to_numpy()
    return table.take(np.sort(last))
