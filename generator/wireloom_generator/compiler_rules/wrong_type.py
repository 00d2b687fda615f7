"""Each key has a value of the kind that it asks for.

A list where one value belongs, text where a number does, or nothing at all would otherwise be guessed at. YAML takes
``010``, ``yes`` and ``1:30`` for something else in each of its versions, so they are text here; write ``8``, ``true``
and ``90``. A list of one text or number may be written without its brackets.

Bad::

    - bits: u8
      fields:
        - {name: version, width: four}
        - {name: kind, width: 4}

Good::

    - bits: u8
      fields:
        - {name: version, width: 4}
        - {name: kind, width: 4}
"""
