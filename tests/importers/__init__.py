"""Specs made of what other tools have."""
