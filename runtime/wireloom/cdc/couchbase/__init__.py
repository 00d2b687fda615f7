"""Following the vbuckets of Couchbase by what ``couchbase_dcp`` decodes: where a stored position has to go back to."""

from wireloom.cdc.couchbase.rollback import rollback_point

__all__ = ["rollback_point"]
