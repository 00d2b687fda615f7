"""How a protocol's records are decoded and encoded, in sentences for ``wireloom check --explain`` and the pages.

The facts come from the runtime, which does it.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wireloom.codec import Protocol
    from wireloom.consumer_types import Differing
    from wireloom.programs.support import Reasons, Support


def support(codec: "Protocol") -> "Support":
    """What programs say of a protocol's records, according to its running codec."""
    from wireloom.programs.support import Support  # imported only when emitted code is run, like the codec

    return Support.of(codec)


def differing_types(codec: "Protocol") -> "Differing":
    """The columns that consumers of tables get with different types, according to the protocol's running codec."""
    from wireloom.consumer_types import differing  # as above

    return differing(codec.messages.values())


def sentences(found: "Support", name: Callable[[str], str] = str, words: Callable[[str], str] = str) -> Iterator[str]:
    """How records are decoded and encoded; ``name`` and ``words`` format names and reasons for the page."""
    yield from _bulk("decoded", found.unread, name, words)
    yield from _bulk("encoded", found.unwritten, name, words)
    if not found.chained:
        yield "Records are found one by one, because their length is not a sum of numbers at fixed offsets."


def _bulk(done: str, left: "Reasons", name: Callable[[str], str], words: Callable[[str], str]) -> Iterator[str]:
    """Which messages are decoded, or encoded, many records at once, and which are not."""
    messages: dict[tuple[str, ...], list[str]] = {}
    for message, reasons in left.items():
        messages.setdefault(reasons, []).append(name(message))
    others = messages.pop((), [])
    for reasons, names in messages.items():
        yield f"A record of {', '.join(names)} is {done} by itself if it has {'; '.join(map(words, reasons))}."
    if others:
        yield f"{'The other' if messages else 'All'} messages are {done} many records at once."


def single(codec: "Protocol") -> Iterator[str]:
    """How single records are parsed and built."""
    for done, left in zip(("parsed", "built"), codec.specialised.lacking(), strict=True):
        some = len(left) < len(codec.records)
        if left:
            yield f"Single records of {', '.join(left) if some else 'all messages'} are {done} field by field."
        if some:
            which = "the other" if left else "all"
            yield f"Single records of {which} messages are {done} by generated code, after the first few of a kind."
