"""A mapping has each key once.

YAML readers take the last of two and say nothing, so that one of the two lines is without effect and a reader of the
spec cannot tell which.

Bad::

    - {name: port, type: u16, type: u32}

Good::

    - {name: port, type: u32}
"""
