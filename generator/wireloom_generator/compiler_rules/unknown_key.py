"""Every key is one of the language's.

A misspelt key would be passed over in silence, and what it was to say would not hold: a ``defualt`` is no default. The
keys of each mapping are in the reference, and editors list them with ``specs/schema.json``.

Bad::

    - {name: port, type: u16, defualt: 0}

Good::

    - {name: port, type: u16, default: 0}
"""
