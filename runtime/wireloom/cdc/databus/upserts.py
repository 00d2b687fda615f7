"""What windows make of a table: the last event of each key."""

import numpy as np
import pyarrow as pa

from wireloom.cdc.databus.events import LOG, EventBatches

KEY = ("src_id", "key", "key_bytes", "key_schema_id", "key_schema_version")
"""The columns that tell keys apart; of the last four some are null, and nulls are equal here."""


def upserts(events: EventBatches) -> pa.Table:
    """The last event of each source and key in complete windows, in the order of these events; all columns stay.

    ``events`` are what ``windows`` gives: of one window, or of several in the order in which they came, which says what
    is newer, as sequences go back after an SCN regress. What this returned may stand in front of them, which gives the
    latest state up to now. A row is to be inserted or updated by ``KEY``, or deleted where ``deleted`` is true.

    Events of other windows are left out, and counted in the log. Takes the memory of ``events``.
    """
    table = events if isinstance(events, pa.Table) else pa.Table.from_batches(list(events))
    whole = table.filter(table["complete"])
    if lacking := len(table) - len(whole):
        LOG.warning("wireloom: %d events left out, as their windows are not complete", lacking)
    table = whole
    numbered = table.select(KEY).append_column("row", pa.array(np.arange(len(table))))
    last = numbered.group_by(list(KEY)).aggregate([("row", "max")])["row_max"].to_numpy()
    return table.take(np.sort(last))
