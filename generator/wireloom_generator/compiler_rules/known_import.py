"""An import names a library beside the protocol's folder.

Declarations that several protocols share stand in a library: a folder of its own beside theirs, with ``library.yaml``.
Without it every enum and type that comes from there would be unknown, so this is told first.

Bad::

    imports: [memcache]     # there is specs/memcached/library.yaml

Good::

    imports: [memcached]
"""
