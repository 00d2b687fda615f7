"""The codec: one record, read and written."""
