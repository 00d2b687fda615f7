"""Wireshark: the dissectors that are generated, and those that others wrote."""
