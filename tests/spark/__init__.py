"""Spark: sources, streams, functions, SQL."""
