"""Changes of whole protocols: names, ports, framing and byte order."""

from collections.abc import Iterator, Mapping

from wireloom_generator import model
from wireloom_generator.compat import walks, words
from wireloom_generator.compat.alignment import LayoutPair
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, NEITHER, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.compat.surface import BitLeaf, Leaf, same
from wireloom_generator.types import Struct


def protocol_removed(comparison: Comparison) -> Iterator[Change]:
    if comparison.gone:
        yield Change(comparison.old.name, "protocol removed", BOTH)


def ports_changed(comparison: Comparison) -> Iterator[Change]:
    name, old, new = comparison.new.name, comparison.old.ports, comparison.new.ports
    for port in old:
        if port not in new:
            yield Change(name, f"port {port} removed; its packets are only read if it is named", BACKWARD)
    for port in new:
        if port not in old:
            yield Change(name, f"port {port} added; its packets are read by default", NEITHER)


def framing_changed(comparison: Comparison) -> Iterator[Change]:
    old, new = comparison.old, comparison.new
    if (old.capture is None) is not (new.capture is None):
        had, has = ("no header", "a header") if old.capture is None else ("a header", "no header")
        yield Change(new.name, f"captures had {had}, and now have {has}", BOTH)
    before, after = _by_message(old), _by_message(new)
    if ("" in before) is not ("" in after):
        yield Change(new.name, "the length moved from the record to its messages, or the reverse", BOTH)
    elif "" in before:
        yield from _lengths(comparison, comparison.header, new.name, before[""], after[""])
    for pair in comparison.messages:
        if pair.old.name in before and pair.new.name in after:
            path = f"{new.name}.{pair.new.name}"
            names = pair.layouts[0] if pair.layouts else comparison.header
            yield from _lengths(comparison, names, path, before[pair.old.name], after[pair.new.name])
    if old.record.resync and not new.record.resync:
        yield Change(new.name, "records after a damaged one are no longer searched for", BACKWARD)
    elif new.record.resync and not old.record.resync:
        yield Change(new.name, "records after a damaged one are searched for; old decoders skip them", FORWARD)


def _by_message(protocol: model.Protocol) -> Mapping[str, model.Lengths]:
    """How the length of records is found, by message; under no name if it is the same for all."""
    names = {tuple(sorted(message.match.items())): message.name for message in protocol.messages if message.match}
    return {names.get(tuple(sorted(lengths.match.items())), ""): lengths for lengths in protocol.lengths}


def _lengths(
    comparison: Comparison, names: LayoutPair, path: str, old: model.Lengths, new: model.Lengths
) -> Iterator[Change]:
    found_out = _is_found_out(comparison.old) or _is_found_out(comparison.new)
    if not names.same_extent(old.end, new.end):
        yield Change(path, f"length {walks.was(_end(old.end), _end(new.end))}", BOTH)
    if not names.same(old.valid, new.valid):
        breaks = BOTH if found_out else walks.narrowed(old.valid, new.valid)
        yield Change(path, f"proof {walks.was(old.valid, new.valid)}", breaks)
    one, two = (next(iter(each.doubts), None) for each in (old, new))  # others are what messages say
    if not names.same(one, two):
        yield Change(path, f"doubt {walks.was(one, two)}", BOTH)
    before, after = _checksum(old), _checksum(new)
    if names.renamed.get(before, before) != after if before is not None else after is not None:
        breaks = BOTH if found_out else walks.restricted(before, after)
        yield Change(path, f"proof by checksum {walks.was(before, after)}", breaks)


def _end(end: model.End) -> model.Condition | str:
    """Where records end, in the words of the spec."""
    match end:
        case model.Size(condition=condition):
            return condition
        case model.Rest():
            return "`rest`"
        case model.Fields():
            return "`fields`"
        case model.Terminator(raw=raw):
            return f"{words.extent(end)}{'' if raw is None else f', raw {raw}'}"
        case model.BetweenFlags():
            return f"between {end.text}"


def _is_found_out(protocol: model.Protocol) -> bool:
    """Whether the proof may also decide the byte order."""
    choices = {parameter.name: parameter.choices for parameter in protocol.parameters}
    return "auto" in choices.get(protocol.byte_order or "", ())


def _checksum(lengths: model.Lengths) -> str | None:
    """The checksum that proves the length; another way to compute it is a rule of its own."""
    return lengths.checksum[0] if lengths.checksum else None


def byte_order_changed(comparison: Comparison) -> Iterator[Change]:
    parameter = comparison.old.byte_order
    if (
        parameter is not None
        and parameter != comparison.new.byte_order
        and parameter in {each.name for each in comparison.new.parameters}
    ):
        now = comparison.new.byte_order or "the spec"
        yield Change(
            comparison.new.name, f"every number: its byte order was given by {parameter}, is given by {now}", BOTH
        )
        return
    turned: dict[str, tuple[str, str]] = {}
    staying = 0
    for layouts, kept in walks.kept(comparison):
        before, after = _order(kept.old), _order(kept.new)
        if before is None or after is None or (_is_plain_struct(kept.old) and _is_plain_struct(kept.new)):
            continue
        old, new = _effective(comparison.old, before), _effective(comparison.new, after)
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
        yield Change(comparison.new.name, f"every number: {_turned(old, new)}", BOTH)
        return
    for path, (old, new) in turned.items():
        yield Change(path, _turned(old, new), BOTH)


def _same_parameter(comparison: Comparison) -> bool:
    """Whether the same parameter gives the byte order in both, or the same expression; another default is a rule of its
    own.
    """
    old, new = comparison.old, comparison.new
    return old.byte_order == new.byte_order and same(old.little, new.little, comparison.header.renamed)


def _is_plain_struct(leaf: Leaf) -> bool:
    """Whether it is a struct whose numbers have the byte order of what is around it."""
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


def _effective(protocol: model.Protocol, order: model.Order | model.Condition) -> str:
    """The byte order, or the default of the parameter that gives it, or the expression."""
    if isinstance(order, model.Condition):
        return order.text
    if order is not model.Order.PARAMETER:
        return order
    if protocol.little is not None:
        return protocol.little.text
    defaults = {parameter.name: parameter.default for parameter in protocol.parameters}
    return str(defaults.get(protocol.byte_order or "", order))


def _turned(old: str, new: str) -> str:
    endian = {order.value: f"{order.value} endian" for order in model.Order}
    return walks.was(endian.get(old, old), endian.get(new, new))
