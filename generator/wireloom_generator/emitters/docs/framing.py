"""How the end of a record is found, and when it is believed, in sentences."""

from collections.abc import Iterator
from typing import assert_never

from wireloom_generator import model
from wireloom_generator.emitters.docs.markdown import code, listing
from wireloom_generator.emitters.docs.names import Meanings


def framing(names: Meanings) -> Iterator[str]:
    """A sentence or two for each layout, and what happens after a record that is not believed."""
    protocol = names.protocol
    if protocol.capture is not None:
        told = [code(each.name) for each in protocol.parameters if each.default is None]
        yield f"A capture begins with [its header]({protocol.capture.name}.md), whose row is the first."
        if told:
            yield f"All records see its {listing(told, 'and')}; whoever reads a record alone gives what it says."
        yield "Where the header is malformed, all of the capture is."
    for lengths in protocol.lengths:
        which = names.matching(lengths.match)
        whose = f"A record in which {which}" if which else "A record"
        yield f"{whose} has {length(lengths)}."
    if protocol.record.resync:
        yield "After bytes that are not believed, the next record that is believed is searched for."
        yield "What lies between is one malformed row."
        if any(lengths.checksum is None for lengths in protocol.lengths):
            further = any(lengths.doubts for lengths in protocol.lengths)
            yield f"No checksum proves it, so it is a guess{', and has to lead to a further one' if further else ''}."
    elif isinstance(protocol.record.end, model.Terminator):
        yield "A longer one than readers allow is one malformed row up to its terminator."
    else:
        yield "After bytes that are not believed no record can be found: the rest is one malformed row."
    if protocol.byte_order:
        order = code(protocol.byte_order)
        yield f"With {order} `auto` both orders are tried for each record; the one in which it is believed is taken."


def lengths_of(protocol: model.Protocol, message: model.Message) -> Iterator[str]:
    """How long the records of a message are."""
    for lengths in protocol.lengths:
        if all(set(values) <= set(message.match.get(name, ())) for name, values in lengths.match.items()):
            yield length(lengths)


def length(lengths: model.Lengths) -> str:
    """``24 + total_body_length bytes, told by the first 12 …``"""
    proofs = [f"{code(lengths.valid.text)}"] if lengths.valid else []
    proofs += [f"the checksum {code(lengths.checksum[0])} is right"] if lengths.checksum else []
    believed = f"; believed only if {listing(proofs, 'and')}" if proofs else ""
    doubt, *broken = [code(each.text) for each in lengths.doubts] or [""]
    told = f"{doubt}, or the first numbers break what its message says," if broken else f"{doubt},"
    followed = f", and, where {told} another record or nothing follows" if doubt else ""
    return f"{_bytes(lengths)}{believed}{followed}"


def _bytes(lengths: model.Lengths) -> str:
    """How many bytes they are."""
    match lengths.end:
        case model.Rest():
            return "all the bytes there are"
        case model.Fields():
            return "as many bytes as its fields"
        case model.Terminator(value=value):
            return f"all bytes up to and with the terminator {code(value.hex())}"
        case model.Size(condition=condition):
            if lengths.beginning is not None:
                return f"{code(condition.text)} bytes, told by its beginning"
            needed = max((probe.offset + (probe.wire.fixed or 0) for probe in lengths.probes), default=0)
            told = f", told by the first {needed if needed > 1 else 'one'}" if needed else ""
            return f"{code(condition.text)} bytes{told}"
        case _:
            assert_never(lengths.end)
