"""Sentences about how the end of a record is found, and which records are accepted."""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.emitters.docs.markdown import code, listing
from wireloom_generator.emitters.docs.names import Meanings


def framing(names: Meanings) -> Iterator[str]:
    """The items of a list: the length and the validity check of each layout, and what follows a record without."""
    protocol = names.protocol
    if protocol.capture is not None:
        given = [code(each.name) for each in protocol.parameters if each.default is None]
        yield f"A capture begins with [its header]({protocol.capture.name}.md), which is the first row."
        if given:
            yield f"All records use its {listing(given, 'and')}; to read a record alone, pass them as parameters."
        yield "If the header is malformed, the whole capture is."
    for lengths in protocol.lengths:
        which = names.matching(lengths.match)
        yield from _items(lengths, f" if {which}" if which else "")
    if protocol.record.resync:
        yield "After damaged bytes, reading resumes at the next accepted record; those between are one malformed row."
        if any(lengths.checksum is None for lengths in protocol.lengths):
            further = any(lengths.doubts for lengths in protocol.lengths)
            yield (
                "Without a checksum the place is a guess"
                f"{', accepted only if another record follows it' if further else ''}."
            )
    elif isinstance(protocol.record.end, model.Terminator):
        yield "A record longer than the reader allows is one malformed row, up to its terminator."
    elif isinstance(protocol.record.end, model.BetweenFlags):
        yield "Flags without anything in between are skipped."
        yield "A record longer than the reader allows is one malformed row, up to the flag after it."
    else:
        yield "After damaged bytes no further record can be found: the rest is one malformed row."
    if protocol.byte_order:
        order = code(protocol.byte_order)
        yield f"If {order} is `auto`, both byte orders are tried for each record, and the one that is accepted is used."


def lengths_of(protocol: model.Protocol, message: model.Message) -> Iterator[str]:
    """How long the records of a message are."""
    for lengths in protocol.lengths:
        if all(set(values) <= set(message.match.get(name, ())) for name, values in lengths.match.items()):
            yield f"Length: {_bytes(lengths)}."


def _items(lengths: model.Lengths, when: str) -> Iterator[str]:
    """The length of records, and the conditions under which they are accepted."""
    yield f"Length{when}: {_bytes(lengths)}."
    checks = [code(lengths.valid.text)] if lengths.valid else []
    checks += [f"the checksum {code(lengths.checksum[0])}"] if lengths.checksum else []
    if checks:
        yield f"Validity check{when}: {listing(checks, 'and')}."
    doubt, *broken = [code(each.text) for each in lengths.doubts] or [""]
    if doubt:
        rules = ", or if the first numbers break a rule of the message" if broken else ""
        yield f"Second check{when}: if {doubt}{rules}, another record or the end of the input must follow."


def _bytes(lengths: model.Lengths) -> str:
    match lengths.end:
        case model.Rest():
            return "all the bytes that there are"
        case model.Fields():
            return "the sum of its fields"
        case model.Terminator(ends=ends):
            return f"up to the terminator {' or '.join(code(end.hex()) for end in ends)}, which it includes"
        case model.BetweenFlags(flag=flag, escaping=escaping):
            escaped = escaping.text if isinstance(escaping, model.Escapes) else escaping
            what = f"; in between are escapes: {code(escaped)}" if escaped is not None else ""
            return f"up to the flag {code(flag.hex())} after it, with the flags before it{what}"
        case model.Size(condition=condition):
            if lengths.beginning is not None:
                return f"{code(condition.text)} bytes, known from its beginning"
            needed = max((probe.offset + (probe.wire.fixed or 0) for probe in lengths.probes), default=0)
            known = f", known after the first {needed if needed > 1 else 'one'}" if needed else ""
            return f"{code(condition.text)} bytes{known}"
