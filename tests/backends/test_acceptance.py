"""Programs accept the records that they say all of.

What a program does not accept is left to others, which would hide a fault in it.
"""

from contextlib import suppress

import pyarrow as pa
from support.worked import every, examples, orders, pair_of

from wireloom.buffers import octets_of, row_numbers
from wireloom.codec import DecodeError
from wireloom.columnar import arrow_schema
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.execution.executor import Located, Program
from wireloom.columnar.execution.programs import programs_of
from wireloom.options import ReadOptions, resolve
from wireloom.programs.support import unread
from wireloom.views import View

KEPT = {
    ("bcd", "payment"),
    ("between", "digits"),
    ("bcd_in_other_orders", "meter"),
    ("checksum_in_digits", "octal"),
    ("elsewhere_optional", "object"),
    ("ends_with_raw", "line"),
    ("ibm_floats", "trace"),
    ("memcached", "get"),
    ("raw_bytes", "numbers"),
    ("read_again", "ledger"),
    ("several_terminators", "note"),
    ("several_terminators", "values"),
    ("unescape", "named"),
    ("sized_integers", "reading"),
    ("unterminated_record", "pair"),
    ("varints_derived", "box"),
    ("zoned", "payment"),
}
"""Messages with an example whose text, digits, terminator or other numbers are kept as bytes, in which a number has
more than 64 bits, or an offset leads to no value: these are left to the codec, which is not said of messages.
"""


@every
def test_sound_examples_are_accepted(name: str) -> None:
    protocol, refused = pair_of(name).codec, set()
    left = unread(protocol)
    for parameters, records in examples(name):
        told = resolve(protocol.parameters, parameters)
        options = ReadOptions.of({}, (), protocol.messages)._replace(parameters=told)
        schema = Decoder(protocol, options, arrow_schema(View(protocol, options).columns)).schema
        header = [schema.field(column.name) for column in protocol.record.columns]
        for little in orders(name):
            programs = programs_of(protocol, told, little=little)
            for data in records:
                with suppress(DecodeError):
                    message = protocol.decode(data, told, little=little)["message"]
                    if not left.get(message, ("a capture header",)):
                        number, fields = list(protocol.records).index(message), list(schema.field(message).type)
                        if not accepts(programs.of(number, fields, header), data):
                            refused.add((name, message))
    assert refused == {each for each in KEPT if each[0] == name}


def accepts(program: Program | None, data: bytes) -> bool:
    """Whether a program finds a record sound."""
    assert program is not None
    buffer, start, stop = octets_of(pa.array([data], pa.binary()))
    _, sound = program.run(Located.of(buffer, start, stop), row_numbers(1), 1)
    return bool(sound.all())
