"""A spec file is YAML in UTF-8.

Nothing can be said of a file that has no structure, so this is the only problem told of it. A colon or a bracket in a
text, or a text that begins with ``*``, ``&``, ``@`` or a quote, is the usual cause: put the text in quotes.

Bad::

    title: Pings: the protocol

Good::

    title: "Pings: the protocol"
"""
