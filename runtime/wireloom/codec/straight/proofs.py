"""What proves the length of a record as a function, where numbers at fixed offsets tell it."""

from wireloom.codec.checksums import summing
from wireloom.codec.framing import Framing
from wireloom.codec.lengths import Lengths, Probe
from wireloom.codec.straight.source import Script, StraightLine
from wireloom.codec.straight.terms import Here, Operand, UnsaidError, negated, text_of
from wireloom.expressions.tree import Function, Origin


def measuring(framing: Framing, *, little: bool) -> StraightLine:
    """The function that gives the length of the record at the start of bytes; None if it is not proven there.

    Raises ``UnsaidError`` if that is not told by numbers at fixed offsets.
    """
    source = Script(("data", "parameters", "end"))
    source.add("end = len(data)")
    probes = framing.probes[little]
    found = _probed(source, probes)
    for number, each in enumerate(framing.lengths):
        if type(each) is not Lengths or each.place is not None:
            raise UnsaidError(type(each).__name__)
        if framing.match:
            tests = (f"{found[name]} in {tuple(values.listed)!r}" for name, values in each.match.items())
            if any(values.spans for values in each.match.values()):
                raise UnsaidError("lengths selected by ranges")
            with source.block(f"{'elif' if number else 'if'} {' and '.join(tests) or 'True'}:"):
                _measured(source, each, little=little)
        else:
            _measured(source, each, little=little)
            break
    source.add("return None")
    return source.function("measure", "data, parameters", "length")


def _measured(source: Script, lengths: Lengths, *, little: bool) -> None:
    """Lines that return the length if it is proven."""
    found = _probed(source, lengths.probes[little])
    scope = _Probed(found)
    if lengths.valid is not None:
        _refuse(source, negated(scope.ask(lengths.valid)))
    if lengths.checksum is not None:
        name, checksum = lengths.checksum
        first, last = source.fresh("first"), source.fresh("last")
        source.add(f"{first}, {last} = {text_of(scope.must(checksum.start))}, {text_of(scope.must(checksum.end))}")
        _refuse(source, f"not 0 <= {first} <= {last} <= end")
        total = f"{source.bind('sum', summing(checksum.algorithm))}(data[{first}:{last}])"
        _refuse(source, f"{total} != {found[name]}")
    assert lengths.length is not None
    source.add(f"return {text_of(scope.must(lengths.length))}")


def _refuse(source: Script, text: str) -> None:
    source.insert(f"if {text}:", ["return None"])


def _probed(source: Script, probes: list[Probe]) -> dict[str, str]:
    """Lines that read numbers where they stand; the variables that hold them."""
    if not probes:
        return {}
    size = max(probe.offset + probe.code.size for probe in probes)
    _refuse(source, f"end < {size}")
    found = {}
    for probe in probes:
        name = found[probe.name] = source.fresh(probe.name)
        source.add(f"({name},) = {source.unpacking(probe.code.format)}(data, {probe.offset})")
        if probe.load is not None:
            source.add(f"{name} = {source.bind(f'load_{probe.name}', probe.load)}({name})")
    return found


class _Probed(Here):
    """What names mean in front of a record: numbers that were read, and parameters."""

    def __init__(self, fields: dict[str, str]) -> None:
        def value(origin: Origin | None, name: str) -> Operand:
            if origin is Origin.PARAMETER:
                return f"parameters[{name!r}]"
            if name not in fields:
                raise UnsaidError(f"the value of {name}")
            return fields[name]

        def measure(function: Function, name: str) -> int:
            raise UnsaidError(f"the place of {name}")

        def left() -> int:
            raise UnsaidError("how many bytes are left")

        super().__init__(value, measure, left)
