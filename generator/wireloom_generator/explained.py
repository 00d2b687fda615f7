"""Which messages are read many records at once, and what of the others is left to the codec, and why: in sentences.

``wireloom check --explain`` and the generated pages tell it in the same words. Nothing is found out here: the runtime
is asked, which decodes so.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wireloom.rowwise import Account


def account(codec: Any) -> "Account":
    """How the columnar decoder reads the records of a protocol, given its running codec."""
    from wireloom import rowwise  # as the codec is, imported when emitted code is run, and not before

    return rowwise.account(codec)


def sentences(account: "Account", name: Callable[[str], str] = str, words: Callable[[str], str] = str) -> Iterator[str]:
    """How the messages are read; ``name`` and ``words`` write names and reasons as a page has to have them."""
    apart = {message: left for message, left in account.left.items() if left}
    for message, left in apart.items():
        told = "; ".join(f"{name(place)} ({words(why)})" for place, why in left)
        yield f"{name(message)} is read record by record where it has {told}."
    if len(apart) < len(account.left):
        yield f"{'The other messages' if apart else 'All messages'} are read many records at once."
    varying = " and of ".join(map(name, account.varying))
    if varying:
        yield f"The items of {varying} differ in size; long lists of them are read one by one if rare."
    if not account.chained:
        yield "Records are found one by one, as their length is no sum of numbers."
