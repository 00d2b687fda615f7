"""Wireloom weaves wire bytes into tables: what generated protocol code calls and what users import.

A protocol is a module, such as ``wireloom_protocols.couchbase_dcp`` or one that ``wireloom generate`` writes. Its
``parse``, ``build``, ``iter_records``, ``scan`` and ``decode_columnar`` read and write records. Beside it there are:

- ``wireloom.spark``: ``register``, for ``spark.read.format``, and functions for binary columns
- ``wireloom.codec``: the errors ``DecodeError`` and ``EncodeError``
- ``wireloom.options``: ``OptionError``
- ``wireloom.lakes``, ``wireloom.pairing``, ``wireloom.cdc``: Delta tables, answers to requests, changed data
- ``wireloom.inspection``: records explained byte by byte

Examples
--------
>>> from wireloom_protocols import couchbase_dcp
>>> frame = couchbase_dcp.build({"vbucket": 3, "seqno_advanced": {"by_seqno": 7}})
>>> couchbase_dcp.parse(frame).seqno_advanced.by_seqno
7
"""
