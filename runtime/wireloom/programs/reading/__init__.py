"""Layouts → programs that read."""
