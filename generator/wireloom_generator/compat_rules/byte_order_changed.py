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

from wireloom_generator import ir
from wireloom_generator.compat import walks
from wireloom_generator.compat.changes import BOTH, Category, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.compat.surface import BitLeaf, Carrier

CATEGORY = Category.WIRE


def check(comparison: Comparison) -> Iterator[Change]:
    """Numbers of another byte order; told once if all of them are."""
    turned: dict[str, tuple[ir.Order, ir.Order]] = {}
    staying = 0
    for kept in (kept for pair in comparison.layouts for kept in pair.kept):
        before, after = _order(kept.old.carrier), _order(kept.new.carrier)
        if before is None or after is None:
            continue
        if before is after or (_default(comparison.new) is before and after is ir.Order.PARAMETER):
            staying += 1
        else:
            turned[kept.new.path] = (before, after)
    if len(turned) > 1 and not staying and len(set(turned.values())) == 1:
        before, after = next(iter(turned.values()))
        yield Change(comparison.new.name, f"every number: {_told(before, after)}", BOTH)
        return
    for path, (before, after) in turned.items():
        yield Change(path, _told(before, after), BOTH)


def _order(carrier: Carrier) -> ir.Order | None:
    """The byte order of a number or of a length in front of a value, where there is one."""
    match carrier:
        case ir.Field(wire=ir.Integer(bits=bits, order=order)) | BitLeaf(integer=ir.Integer(bits=bits, order=order)):
            return order if bits > 8 else None
        case ir.Field(wire=ir.Float(order=order)):
            return order
        case ir.Field(wire=ir.Blob(extent=extent) | ir.Text(extent=extent)):
            return _order_of_prefix(extent)
        case ir.Field(wire=ir.Struct(extent=ir.Prefix() as prefix) | ir.FlatBuffer(extent=ir.Prefix() as prefix)):
            return _order_of_prefix(prefix)
        case _:
            return None


def _order_of_prefix(extent: ir.Extent) -> ir.Order | None:
    match extent:
        case ir.Prefix(length=ir.Integer(bits=bits, order=order)) if bits > 8:
            return order
        case _:
            return None


def _default(protocol: ir.Protocol) -> ir.Order | None:
    """What the parameter that tells the byte order says by default, if that is one."""
    for parameter in protocol.parameters:
        if parameter.name == protocol.byte_order and parameter.default in (ir.Order.BIG, ir.Order.LITTLE):
            return ir.Order(str(parameter.default))
    return None


def _told(old: ir.Order, new: ir.Order) -> str:
    words = {ir.Order.PARAMETER: "as a parameter says"}
    return walks.was(words.get(old, f"{old} endian"), words.get(new, f"{new} endian"))
