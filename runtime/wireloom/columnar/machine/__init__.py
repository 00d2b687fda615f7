"""Columns filled by one compiled loop that follows programs: a protocol's messages become programs, not code."""
