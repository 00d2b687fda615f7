"""Columns: many records at once, read and written, as the codec does one by one."""
