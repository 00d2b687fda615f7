"""The bytes of a CAN message → fields: where signals of both byte orders are, and which of them a multiplexer selects.

Bytes that no signal crosses are laid out by themselves. They are one integer, in the byte order of most signals there;
a signal in the other order is in parts, from which its number is computed.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from wireloom_generator.importers.dbc.signals import Condition, Signal
from wireloom_generator.spec_text import Noted, YamlValue, todo

Fields = list[YamlValue]


@dataclass(slots=True)
class Layout:
    """Lays out the signals of a message. ``left_out`` says which are not in the fields, and why."""

    byte_order: str
    """That of the protocol."""
    left_out: dict[str, str] = field(default_factory=dict)
    as_bits: dict[str, str] = field(default_factory=dict)
    """The signals that are unsigned numbers for other reasons than their own, and why."""

    def fields(self, signals: Iterable[Signal], start: int, stop: int) -> Fields:
        """The fields of the bytes from ``start`` to before ``stop``."""
        found: Fields = []
        at = start
        for first, end, inside in _regions(signals):
            if first > at:
                found.append(_unused_bytes(at, first))
            found += self._region(inside, first, end)
            at = end
        if at < stop:
            found.append(_unused_bytes(at, stop))
        return found

    def _region(self, signals: Sequence[Signal], start: int, stop: int) -> Fields:
        """The fields of bytes that belong together."""
        selectors = {signal.conditions[0].selector.name for signal in signals if signal.conditions}
        if len(selectors) == 1 and not selectors & {signal.name for signal in signals}:
            alternatives: Fields = [
                {**match, "fields": self.fields(there, start, stop)} for match, there in self._alternatives(signals)
            ]
            return [{"choice": alternatives}]
        whole = signals[0]
        if len(signals) == 1 and whole.width == 8 * (stop - start) and not whole.conditions and not whole.offset:
            number = self._number(whole.labelled())
            if number is not None:
                meant = [whole.note(whole.meaning(whole.number, {}))] if whole.number != whole.name else []
                return [whole.note(number), *meant]
        return self._bits(signals, start, stop)

    def _number(self, signal: Signal) -> dict[str, YamlValue] | None:
        """A signal of whole bytes, if there is a type of that size."""
        kind = "f" if signal.is_float else "i" if signal.is_signed else "u"
        if signal.width > 64 or (signal.is_float and signal.width not in (16, 32, 64)):
            return None
        order = {"byte_order": "little" if signal.is_little else "big"}
        is_other = signal.width > 8 and order["byte_order"] != self.byte_order
        raw = {"raw": f"{signal.name}_raw"} if signal.width > 53 and "as" in signal.keys else {}
        return {
            "name": signal.name,
            "type": f"{kind}{signal.width}",
            **(order if is_other else {}),
            **signal.keys,
            **raw,
        }

    def _alternatives(self, signals: Sequence[Signal]) -> Iterator[tuple[dict[str, YamlValue], list[Signal]]]:
        """The signals for each number of the multiplexer that selects among them, and last those of all others."""
        selector = next(signal.conditions[0].selector for signal in signals if signal.conditions)
        selected = {signal.name: signal for signal in signals if signal.conditions}
        classes: dict[tuple[str, ...], list[int]] = {}
        for number in sorted({number for each in selected.values() for number in each.conditions[0].numbers}):
            if number < 1 << selector.width:
                there = tuple(name for name, each in selected.items() if number in each.conditions[0].numbers)
                classes.setdefault(there, []).append(number)
        others = [each for each in signals if not each.conditions]
        *first, last = classes if sum(map(len, classes.values())) == 1 << selector.width else [*classes, ()]
        for names in first:
            match = [bool(number) for number in classes[names]] if selector.is_bool else _ranges(classes[names])
            key: YamlValue = match[0] if len(match) == 1 else match
            yield {"match": {selector.number: key}}, [*others, *(selected[name].inner() for name in names)]
        yield {}, [*others, *(selected[name].inner() for name in last)]

    def _bits(self, signals: Sequence[Signal], start: int, stop: int) -> Fields:
        """The bytes as one integer, and what is computed from it."""
        long = [each for each in signals if each.end - each.first > 1] or signals
        selecting = {each.conditions[0].selector.name for each in signals if each.conditions}
        weight = sum((1 if each.is_little else -1) * (100 if each.name in selecting else 1) for each in long)
        little = weight > 0 or (weight == 0 and self.byte_order == "little")
        computed: Fields = []
        placed = []
        for signal in signals:
            for place, bit_field in self._parts(signal, computed, little=little):
                placed.append(_Placed(range(place.start - 8 * start, place.stop - 8 * start), bit_field, signal))
        order = "little" if little else "big"
        head: dict[str, YamlValue] = {"bits": f"u{8 * (stop - start)}"}
        if little:
            head["bit_order"] = "lsb"
        if stop - start > 1 and order != self.byte_order:
            head["byte_order"] = order
        inside = self._bit_fields(placed, range(8 * (stop - start)), _Unused(8 * start, little=little))
        return [{**head, "fields": inside}, *computed]

    def _parts(self, signal: Signal, computed: Fields, *, little: bool) -> Iterator[tuple[range, YamlValue]]:
        """A signal as bit fields, each with its bits; what must be computed from them is added to ``computed``."""
        if signal.is_float:
            self.as_bits[signal.name] = "a float among other bits has no type"
            keys = {key: value for key, value in signal.keys.items() if key in ("unit", "doc")}
            signal = replace(signal, is_signed=False, is_float=False, keys=keys)
        is_split = signal.end - signal.first > 1 and signal.is_little != little
        is_scaled_bit = signal.width == 1 and (signal.is_signed or signal.offset or "as" in signal.keys)
        if not is_split and not is_scaled_bit:
            yield signal.within(little=little), self._note(signal, _bit_field(signal.labelled()))
            if signal.number != signal.name:
                when = {"when": f"present({signal.number})"} if signal.conditions else {}
                computed.append(signal.note(signal.meaning(signal.number, when)))
            return
        number = f"{signal.name}_raw" if "as" in signal.keys else signal.name
        unsigned = _minus(number, signal.offset)
        terms: list[str] = []
        when = {}
        negative = ""
        for part in _bytewise(signal):
            at = part.start - signal.start
            shift = at if signal.is_little else signal.width - at - part.width
            default = f"{unsigned}{f' >> {shift}' if shift else ''} & {(1 << part.width) - 1:#x}"
            value = f"(1 if {part.name} else 0)" if part.is_bool else part.name
            terms.append(f"({value} << {shift})" if shift else value)
            if shift + part.width == signal.width:
                negative = part.name if part.is_bool else f"{part.name} >= {1 << part.width - 1:#x}"
            when = {"when": f"present({part.name})"} if signal.conditions else {}
            given = {"default": f"{default} != 0" if part.is_bool else default, "doc": f"Part of {signal.name}."}
            yield part.within(little=little), signal.note({"name": part.name, "width": part.width, **given})
        total = " | ".join(terms)
        if signal.is_signed:
            total = f"({total}) - ({1 << signal.width:#x} if {negative} else 0)"
        if signal.offset:
            total = _minus(f"({total})", -signal.offset)
        if number != signal.name:
            keys = {"enum": signal.keys["enum"]} if "enum" in signal.keys else {}
            head = {"name": number, "type": signal.computed_type, **when, "compute": total, **keys}
            computed += [signal.note(head), signal.note(signal.meaning(number, when))]
        else:
            computed.append(self._note(signal, {**signal.meaning(number, when), "compute": total}))

    def _note(self, signal: Signal, value: YamlValue) -> Noted:
        """The value with the comment of the signal, and why it is only its bits."""
        reason = self.as_bits.get(signal.name)
        noted = signal.note(value)
        return replace(noted, comment=todo(reason)) if reason else noted

    def _bit_fields(self, placed: "Sequence[_Placed]", bits: range, unused: "_Unused") -> Fields:
        """The bit fields of some bits of an integer."""
        found: Fields = []
        at = bits.start
        fixed = sorted((each for each in placed if not each.conditions), key=lambda each: each.bits.start)
        others = [each for each in placed if each.conditions]
        for each in [*fixed, None]:
            if each is not None and each.bits.start < at:
                self._leave_out(each)
                continue
            until = bits.stop if each is None else each.bits.start
            among = [other for other in others if at <= other.bits.start < until]
            for choice, first, end in self._choices(among, range(at, until), unused):
                found += [*unused.fields(range(at, first)), choice]
                at = end
            found += unused.fields(range(at, until))
            if each is not None:
                found.append(each.field)
                at = each.bits.stop
                for other in others:
                    if other.bits.start in each.bits:
                        self._leave_out(other)
        return found

    def _choices(
        self, placed: "Sequence[_Placed]", bits: range, unused: "_Unused"
    ) -> Iterator[tuple[YamlValue, int, int]]:
        """The choices in some bits, each with its bits: those that signals share are one choice."""
        groups: list[list[_Placed]] = []
        at = bits.start
        for each in sorted(placed, key=lambda each: each.bits.start):
            if each.bits.stop > bits.stop:
                self._leave_out(each)
                continue
            if groups and each.bits.start < at:
                groups[-1].append(each)
            else:
                groups.append([each])
            at = max(at, each.bits.stop)
        for group in groups:
            selector = group[0].conditions[0].selector
            one = [each for each in group if each.conditions[0].selector.name == selector.name]
            for each in group:
                if each not in one:
                    self._leave_out(each)
            inside = range(min(each.bits.start for each in one), max(each.bits.stop for each in one))
            by_signal: dict[str, list[_Placed]] = {}
            for each in one:
                by_signal.setdefault(each.signal.name, []).append(each)
            alternatives: Fields = [
                {
                    **match,
                    "fields": self._bit_fields(
                        [part.inner() for each in there for part in by_signal[each.name]], inside, unused
                    ),
                }
                for match, there in self._alternatives([parts[0].signal_now for parts in by_signal.values()])
            ]
            yield {"choice": alternatives}, inside.start, inside.stop

    def _leave_out(self, placed: "_Placed") -> None:
        self.left_out.setdefault(placed.signal.name, "it has bits of other signals")


@dataclass(frozen=True, slots=True)
class _Placed:
    """A bit field of a signal, and its bits in its integer."""

    bits: range
    field: YamlValue
    signal: Signal
    outer: int = 0
    """How many of the signal's conditions hold already."""

    @property
    def conditions(self) -> tuple[Condition, ...]:
        return self.signal.conditions[self.outer :]

    @property
    def signal_now(self) -> Signal:
        return replace(self.signal, conditions=self.conditions)

    def inner(self) -> "_Placed":
        return replace(self, outer=self.outer + 1)


@dataclass(frozen=True, slots=True)
class _Unused:
    """Names bits without a signal, as the source numbers them: from the least significant bit of each byte."""

    base: int
    little: bool

    def fields(self, bits: range) -> Fields:
        found: Fields = []
        for first in range(bits.start, bits.stop, 64):
            last = min(first + 64, bits.stop) - 1
            ends = [self._number(first), self._number(last)]
            name = "_".join(map(str, ["unused", *dict.fromkeys(ends)]))
            found.append({"name": name, "width": last - first + 1, "reserved": True})
        return found

    def _number(self, bit: int) -> int:
        bit += self.base
        return bit if self.little else bit ^ 7


def _bit_field(signal: Signal) -> dict[str, YamlValue]:
    sign: dict[str, YamlValue] = {}
    if signal.offset:
        sign = {"sign": {"offset": signal.offset}}
    elif signal.is_signed:
        sign = {"sign": "twos_complement"}
    return {"name": signal.name, "width": signal.width, **sign, **signal.keys}


def _minus(number: str, offset: int) -> str:
    """The number less the offset, as an expression."""
    return f"({number} {'-' if offset > 0 else '+'} {abs(offset)})" if offset else number


def _bytewise(signal: Signal) -> Iterator[Signal]:
    """The parts of a signal, one in each byte."""
    at = signal.start
    while at < signal.stop:
        end = min(signal.stop, at // 8 * 8 + 8)
        yield Signal(f"{signal.name}_byte_{at // 8}", at, end - at, signal.is_little)
        at = end


def _regions(signals: Iterable[Signal]) -> Iterator[tuple[int, int, list[Signal]]]:
    """Signals that share bytes, with these bytes: a multiplexer that comes after what it selects is among them."""
    found: list[tuple[int, int, list[Signal]]] = []
    each_by_name = {signal.name: signal for signal in signals}
    for signal in sorted(each_by_name.values(), key=lambda each: each.first):
        first, end, inside = signal.first, signal.end, [signal]
        if signal.conditions and signal.conditions[0].selector.name in each_by_name:
            selector = signal.conditions[0].selector
            end = max(end, selector.end) if selector.end > first else end
        while found and found[-1][1] > first:
            before = found.pop()
            first, end, inside = min(first, before[0]), max(end, before[1]), [*before[2], *inside]
        found.append((first, end, inside))
    yield from found


def _ranges(numbers: Sequence[int]) -> list[YamlValue]:
    """Numbers in order as they are matched: three and more that follow each other are a range."""
    found: list[YamlValue] = []
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    for run in runs:
        found += [{"from": run[0], "to": run[-1]}] if len(run) > 2 else run
    return found


def _unused_bytes(start: int, stop: int) -> YamlValue:
    return {"name": f"unused_{8 * start}_{8 * stop - 1}", "type": "bytes", "size": stop - start, "reserved": True}
