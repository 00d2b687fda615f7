"""Files → syntax: what was written, each value with its place."""
