"""What changes: documents of Couchbase, rows of Databus."""
