"""What must be said is said.

Without the type of a field, the length of a padding or the kind of a file there is nothing to generate, and a guess
would be a guess about somebody's bytes.

Bad::

    - {name: port, doc: Where to connect to.}

Good::

    - {name: port, type: u16, doc: Where to connect to.}
"""
