"""How a protocol's records are decoded, in sentences for ``wireloom check --explain`` and the generated pages.

The facts come from the runtime, which does the decoding.
"""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wireloom.codec import Protocol
    from wireloom.rowwise import Account


def account(codec: "Protocol") -> "Account":
    """How the columnar decoder reads a protocol's records, according to its running codec."""
    from wireloom import rowwise  # imported only when emitted code is run, like the codec

    return rowwise.account(codec)


def sentences(account: "Account", name: Callable[[str], str] = str, words: Callable[[str], str] = str) -> Iterator[str]:
    """How the messages are read; ``name`` and ``words`` format names and reasons for the page."""
    apart = {message: left for message, left in account.left.items() if left}
    for message, left in apart.items():
        reasons = "; ".join(f"{name(place)} ({words(why)})" for place, why in left)
        yield f"{name(message)} is decoded record by record if it has {reasons}."
    if len(apart) < len(account.left):
        yield f"{'The other messages' if apart else 'All messages'} are decoded many records at once."
    if account.varying:
        *varying, last = map(name, account.varying)
        lists = f"{', '.join(varying)} and {last}" if varying else last
        yield f"The items of {lists} vary in size; a record with a much longer list than most is decoded separately."
    if account.kept:
        kept = " or ".join(map(name, account.kept))
        yield f"A record that has bytes for {kept} is decoded separately."
    if account.gaps:
        gaps = " or ".join(map(name, account.gaps))
        yield f"A record that has bytes for {gaps} in several places is decoded separately."
    if account.hollow:
        hollow = " or of ".join(map(name, account.hollow))
        yield f"A record that has more items of {hollow} than bytes is decoded separately."
    if not account.chained:
        yield "Records are found one by one, because their length is not a sum of numbers at fixed offsets."


def looped(codec: "Protocol") -> Iterator[str]:
    """What compiled loops leave to numpy, if numpy and pyarrow are installed."""
    if not all(map(find_spec, ("numpy", "pyarrow"))):
        return
    from wireloom.columnar import programmed  # as above

    messages: dict[tuple[str, ...], list[str]] = {}
    for name, reasons in programmed.left(codec).items():
        messages.setdefault(reasons, []).append(name)
    others = messages.pop((), [])
    for reasons, names in messages.items():
        yield f"With `accel`, numpy also decodes {', '.join(names)} if it has {'; '.join(reasons)}."
    if others:
        yield f"With `accel`, a compiled loop decodes {'the other' if messages else 'all'} messages."


def single(codec: "Protocol") -> Iterator[str]:
    """How single records are parsed and built."""
    for done, left in zip(("parsed", "built"), codec.specialised.lacking(), strict=True):
        some = len(left) < len(codec.records)
        if left:
            yield f"Single records of {', '.join(left) if some else 'all messages'} are {done} field by field."
        if some:
            which = "the other" if left else "all"
            yield f"Single records of {which} messages are {done} by generated code, after the first few of a kind."
