"""Following the vbuckets of Couchbase by what ``couchbase_dcp`` decodes: snapshots, branches, rollback."""

from wireloom.extras import needed

with needed("wireloom.cdc", "arrow"):
    from wireloom.cdc.couchbase.follow import follow
    from wireloom.cdc.couchbase.frames import COLUMNS
from wireloom.cdc.couchbase.rollback import rollback_point

__all__ = ["COLUMNS", "follow", "rollback_point"]
