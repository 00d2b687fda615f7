"""The codec, the Spark schema and the docs have the same columns, in order, names and types.

The three are emitted by three parts of the compiler from one spec. What they gave is read back and compared field by
field before it is written, the names of numbers too, so that a table can never have a column that the parser fills
otherwise. No spec can cause this: it is a mistake in the compiler, which is to be reported with the spec that shows it.

Bad::

    # parsers.py                             # spark.py
    Field("port", Int16ub)                   StructField("port", LongType())

Good::

    # parsers.py                             # spark.py
    Field("port", Int16ub)                   StructField("port", IntegerType())
"""
