"""Recorded packets."""
