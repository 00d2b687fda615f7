"""A folder of specs is one protocol: one ``protocol.yaml``, with its messages beside it.

The header, the sections and the byte order of a message are its protocol's. With two of them in a folder, or none,
nothing says whose message it is.

Bad::

    specs/ping/echo.yaml         # message: echo, and no protocol.yaml beside it

Good::

    specs/ping/protocol.yaml
    specs/ping/echo.yaml
"""
