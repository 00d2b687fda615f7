"""The problems that the compiler itself finds, before the rules judge a spec or after, with the page of each.

``reading`` finds them while it loads files, ``generate``, ``lockstep`` and ``emitted_code`` in the output, ``compat``
in the file of accepted findings. A page has the same form as the docstrings of ``rules``.
"""

from collections.abc import Mapping

PAGES: Mapping[str, str] = {
    "accepted": """What is accepted exists, and has a reason.

        A spec accepts a warning beside what it is about, under ``accept``, and a file of accepted findings lets a
        breaking change through on purpose. An entry that no longer accepts anything would let the next such finding
        through by accident, and one without a reason tells nobody whether it still holds. Errors cannot be accepted.

        Bad::

            accept:
              - rule: field-renamed
                element: ping.echo.payload
                reason: ""

        Good::

            accept:
              - rule: field-renamed
                element: ping.echo.payload
                reason: Version 1 was never deployed.
    """,
    "duplicate-key": """A mapping has each key once.

        YAML readers take the last of two and say nothing, so that one of the two lines is without effect and a reader
        of the spec cannot tell which.

        Bad::

            - {name: port, type: u16, type: u32}

        Good::

            - {name: port, type: u32}
    """,
    "emitted-code": """Generated Python has only what the emitters write.

        Whoever checks a spec runs the code made of it, to see whether its examples are right; so does whoever checks
        somebody else's pull request. So no text of a spec, and no name of a folder, may become code. Both are escaped,
        and before any generated code is run, it is checked against a closed list: known imports, assignments of known
        calls, and constants. No spec can cause this: it is a mistake in the compiler. Please report it with the spec.

        Bad::

            # parsers.py
            title = open("/etc/passwd").read()

        Good::

            # parsers.py
            RECORD = Record("kind" / Int8ub, Slot("body", Rest()))
    """,
    "generated": """Generated files are what the specs give, none is missing, and none is left over.

        They are checked in so that a review sees what a change to a spec does to parsers and tables; this holds only
        while nobody edits them and nobody forgets them. ``wireloom generate --check`` tells a file that is to be added
        or was edited, one that no spec gives any longer (orphaned), one that was not generated but stands among those
        that were (foreign), and one that git does not have (untracked).

        Bad::

            $EDITOR generated/ping/parsers.py

        Good::

            $EDITOR specs/ping/protocol.yaml
            wireloom generate
            git add specs generated
    """,
    "known-import": """An import names a library beside the protocol's folder, and messages that stand there.

        What several protocols share stands in a library: a folder of its own beside theirs, with ``library.yaml``.
        Without it every enum and type that comes from there would be unknown, so this is told first. A protocol has
        those messages of libraries that it names under ``messages``.

        Bad::

            imports: [memcache]     # there is specs/memcached/library.yaml

        Good::

            imports: [memcached]
    """,
    "known-record": """A protocol has a record, or a library that it imports has one.

        The record says what the header of every message is and where records end. Protocols with the same frame take it
        from a library.

        Bad::

            protocol: ping
            byte_order: big

        Good::

            protocol: ping
            byte_order: big
            record:
              length: 2 + size
              fields:
                - {name: opcode, type: u8}
                - {name: size, type: u8, derive: size(body)}
                - {section: body, size: rest}
    """,
    "lockstep": """The codec, the Spark schema and the docs have the same columns, in order, names and types.

        The three are emitted by three parts of the compiler from one spec. What they gave is read back and compared
        field by field before it is written, the names of numbers too, so that a table can never have a column that the
        parser fills otherwise. No spec can cause this: it is a mistake in the compiler, which is to be reported with
        the spec that shows it.

        Bad::

            # parsers.py                             # spark.py
            Field("port", Int16ub)                   StructField("port", LongType())

        Good::

            # parsers.py                             # spark.py
            Field("port", Int16ub)                   StructField("port", IntegerType())
    """,
    "missing-key": """Every required key is given.

        Without the type of a field, the length of a padding or the kind of a file there is nothing to generate, and a
        guess would be a guess about somebody's bytes.

        Bad::

            - {name: port, doc: Where to connect to.}

        Good::

            - {name: port, type: u16, doc: Where to connect to.}
    """,
    "no-spec": """There are specs in the given folders.

        A check that finds no file has checked nothing; in CI it would pass for ever. Give the folder of a protocol, or
        the folder that has those of several.

        Bad::

            wireloom check specs/ping/examples      # no *.yaml there

        Good::

            wireloom check specs/ping
    """,
    "one-protocol": """A folder of specs is one protocol: one ``protocol.yaml``, with its messages beside it.

        The header, the sections and the byte order of a message are its protocol's. With two of them in a folder, or
        none, nothing says whose message it is.

        Bad::

            specs/ping/echo.yaml         # message: echo, and no protocol.yaml beside it

        Good::

            specs/ping/protocol.yaml
            specs/ping/echo.yaml
    """,
    "taken": """A file that somebody wrote is not written over.

        Generated files say so in their first line. One that does not, where a generated file is to be, may be the only
        copy of somebody's work; it is left as it is, and nothing else is written either.

        Bad::

            generated/ping/parsers.py    # begins with: import struct

        Good::

            generated/ping/parsers.py    # begins with: # Generated by wireloom from specs/ping
    """,
    "too-large": """A protocol is not too large for tables and their readers.

        A type is put into every place that uses it, with the types it uses itself: a few types that each hold the next
        one twice are more columns than there are atoms. So there is a limit to the fields of all messages together,
        each counted wherever it is used, and to how deeply types stand in types.

        Bad::

            types:
              - {name: One, fields: [{name: first, type: Two}, {name: second, type: Two}]}
              - {name: Two, fields: [{name: first, type: Three}, {name: second, type: Three}]}
              # and so on, down to Thirty

        Good::

            types:
              - name: One
                fields: [{name: parts_count, type: u8}, {name: parts, type: Two, repeat: {count: parts_count}}]
    """,
    "unknown-key": """Every key is one of the language's.

        A misspelt key would be passed over in silence, and what it was to say would not hold: a ``defualt`` is no
        default. The keys of each mapping are in the reference, and editors list them with ``specs/schema.json``.

        Bad::

            - {name: port, type: u16, defualt: 0}

        Good::

            - {name: port, type: u16, default: 0}
    """,
    "wrong-type": """Each key has a value of the kind that it asks for.

        A list where one value belongs, text where a number does, or nothing at all would otherwise be guessed at. YAML
        takes ``010``, ``yes`` and ``1:30`` for something else in each of its versions, so they are text here; write
        ``8``, ``true`` and ``90``. A list of one text or number may be written without its brackets.

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
    """,
    "yaml": """A spec file is YAML in UTF-8.

        Nothing can be said of a file that has no structure, so this is the only problem told of it. A colon or a
        bracket in a text, or a text that begins with ``*``, ``&``, ``@`` or a quote, is the usual cause: put the text
        in quotes.

        Bad::

            title: Pings: the protocol

        Good::

            title: "Pings: the protocol"
    """,
}
"""The page that ``wireloom explain`` shows, by the problem's id."""
