"""Compatibility: what has changed between two versions of specs."""
