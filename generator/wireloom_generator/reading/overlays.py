"""Alternatives inside an integer's bit fields, rewritten as choices after the integer that read its bits again.

Everything else then only knows choices.
"""

from collections.abc import Iterator
from dataclasses import replace

from wireloom_generator.reading import syntax


def overlaid(entry: syntax.Entry) -> Iterator[syntax.Entry]:
    """The entry; after an integer with alternatives, a choice for each of them."""
    choices = tuple(_choices(entry)) if isinstance(entry, syntax.Bits) else ()
    if not choices or not isinstance(entry, syntax.Bits) or entry.when is None:
        yield entry
        yield from choices
        return
    places = {"when": entry.where("when")}
    fields: tuple[syntax.Entry, ...] = (replace(entry, when=None), *choices)
    alone = syntax.Alternative(at=entry.at, places=places, when=entry.when, match={}, fields=fields)
    yield syntax.Choice(at=entry.at, places={}, choice=(alone,))


def _choices(bits: syntax.Bits) -> Iterator[syntax.Choice]:
    for entry, first in bits.begins:
        if isinstance(entry, syntax.BitChoice):
            alternatives = tuple(_alternative(bits, each, (first, entry.taken)) for each in entry.choice)
            yield syntax.Choice(at=entry.at, places=entry.places, choice=alternatives)


def _alternative(bits: syntax.Bits, each: syntax.BitAlternative, over: tuple[int, int]) -> syntax.Alternative:
    places = {key: bits.where(key) for key in ("bits", "byte_order") if key in bits.places}
    own = syntax.Bits(
        at=each.at,
        places=places,
        doc=syntax.Doc(at=each.at, places={}),
        bits=bits.bits,
        bit_order=bits.bit_order,
        byte_order=bits.byte_order,
        fields=each.fields,
        over=over,
    )
    fields: tuple[syntax.Entry, ...] = (own, *_choices(own))
    return syntax.Alternative(at=each.at, places=each.places, when=each.when, match=each.match, fields=fields)
