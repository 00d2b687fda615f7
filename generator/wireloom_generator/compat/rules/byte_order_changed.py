"""Numbers of more than a byte keep their byte order.

Every number is another one, read from the wrong end. A protocol that turns out to come in both orders takes a parameter
instead.

Bad::

    byte_order: little    # big before

Good::

    byte_order: byte_order
    parameters:
      - {name: byte_order, type: text, choices: [big, little], default: big}
"""

from collections.abc import Iterator

from wireloom_generator import model
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.compat.surface import BitLeaf, Leaf, same
from wireloom_generator.types import Struct

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Numbers of another byte order; reported once if all of them are."""
    parameter = comparison.old.byte_order
    if parameter is not None and parameter != comparison.new.byte_order and parameter in _parameters(comparison.new):
        now = comparison.new.byte_order or "the spec"
        yield Change(comparison.new.name, f"every number: {parameter} told its byte order, {now} does", BOTH)
        return
    turned: dict[str, tuple[str, str]] = {}
    staying = 0
    for layouts, kept in walks.kept(comparison):
        before, after = _order(kept.old), _order(kept.new)
        if before is None or after is None or (_is_plain_struct(kept.old) and _is_plain_struct(kept.new)):
            continue
        old, new = _meant(comparison.old, before), _meant(comparison.new, after)
        by_value = isinstance(before, model.Condition) and isinstance(after, model.Condition)
        is_same = layouts.same(kept.old.little, kept.new.little) if by_value else old == new
        if before is after is model.Order.PARAMETER:
            is_same = _same_parameter(comparison) or (is_same and comparison.new.little is None)
        if is_same:
            staying += 1
        else:
            turned[kept.new.path] = old, new
    if len(turned) > 1 and not staying and len(set(turned.values())) == 1:
        old, new = next(iter(turned.values()))
        yield Change(comparison.new.name, f"every number: {_in_words(old, new)}", BOTH)
        return
    for path, (old, new) in turned.items():
        yield Change(path, _in_words(old, new), BOTH)


def _parameters(protocol: model.Protocol) -> set[str]:
    return {parameter.name for parameter in protocol.parameters}


def _same_parameter(comparison: Comparison) -> bool:
    """Whether the same parameter gives the byte order in both, or the same expression; another default is a rule of its
    own.
    """
    old, new = comparison.old, comparison.new
    return old.byte_order == new.byte_order and same(old.little, new.little, comparison.header.renamed)


def _is_plain_struct(leaf: Leaf) -> bool:
    """Whether it is a struct whose numbers have the order of where it stands."""
    is_struct = isinstance(leaf.carrier, model.Field) and isinstance(leaf.carrier.type, Struct)
    return is_struct and leaf.little is None


def _order(leaf: Leaf) -> model.Order | model.Condition | None:
    """The byte order of a number or of a length prefix, if it has one, or of all that is in a struct."""
    match leaf.carrier:
        case model.Field(wire=model.Wire(type=Struct())):
            return leaf.little or model.Order.PARAMETER
        case (
            model.Field(wire=model.Wire(extent=model.Prefix(length=wire)))
            | model.Field(wire=wire)
            | BitLeaf(integer=wire)
        ):
            return leaf.little if wire.order is model.Order.PARAMETER and leaf.little is not None else wire.order
        case model.Computed() | model.Padding() | model.Section() | model.Slot():
            return None


def _meant(protocol: model.Protocol, order: model.Order | model.Condition) -> str:
    """The byte order, or the default of the parameter that gives it, or the expression."""
    if isinstance(order, model.Condition):
        return order.text
    if order is not model.Order.PARAMETER:
        return order
    if protocol.little is not None:
        return protocol.little.text
    defaults = {parameter.name: parameter.default for parameter in protocol.parameters}
    return str(defaults.get(protocol.byte_order or "", order))


def _in_words(old: str, new: str) -> str:
    endian = {order.value: f"{order.value} endian" for order in model.Order}
    return walks.was(endian.get(old, old), endian.get(new, new))
