"""Following the vbuckets of Couchbase by what ``couchbase_dcp`` decodes: snapshots, branches, rollback, documents."""

from wireloom.extras import needed

with needed("wireloom.cdc", "arrow"):
    from wireloom.cdc.couchbase.documents import changes, dropped, latest, omissions, positions
    from wireloom.cdc.couchbase.follow import follow
    from wireloom.cdc.couchbase.frames import COLUMNS
    from wireloom.cdc.couchbase.history import History
    from wireloom.cdc.couchbase.versions import STATE_COLUMNS
from wireloom.cdc.couchbase.rollback import rollback_point

__all__ = [
    "COLUMNS",
    "STATE_COLUMNS",
    "History",
    "changes",
    "dropped",
    "follow",
    "latest",
    "omissions",
    "positions",
    "rollback_point",
]
