"""Layouts → programs that write."""
