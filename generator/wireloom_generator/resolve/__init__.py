"""Syntax → model: names resolved, defaults filled in, offsets and columns computed."""
