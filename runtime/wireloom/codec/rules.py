"""The values that conditions used, for messages about conditions that do not hold."""

from collections.abc import Iterable, Mapping

from wireloom.codec.accepted_values import shown
from wireloom.codec.frames import Frame, Values
from wireloom.expressions import Expression
from wireloom.expressions.paths import inside


def in_words(rules: Iterable[Expression], this: Values, record: Values, frame: Frame, digits: Mapping[str, int]) -> str:
    """What conditions require, as ``kind 3, size(data) 7``; without absent values.

    Numbers of fields with ``digits`` are shown in hexadecimal, with so many digits.
    """
    found: dict[str, str] = {}
    for rule in rules:
        for place, name in rule.mentions:
            if name.item is not None or (place and len(name.steps) > 1):
                from wireloom.expressions.scalar import function
                from wireloom.expressions.tree import Call

                value = function(Call(place, (name,)) if place else name)(this, record, frame)
                if isinstance(value, int | float):
                    found[f"{place}({name.name})" if place else name.name] = shown(value)
            elif place:
                found[f"{place}({name.name})"] = shown(getattr(frame, place)(name.name))
            else:
                value = inside(record if name.origin == "record" else this, *name.steps)
                if isinstance(value, int | float):
                    number = int(value) if isinstance(value, int) else value
                    found[name.name] = shown(number, digits.get(name.name, 0))
    return ", ".join(f"{name} {value}" for name, value in found.items())


class _Measured(Frame):
    """A frame that remembers the last region whose size was used."""

    last = ""

    def size(self, name: str) -> int:
        self.last = name
        return super().size(name)


def measured(rule: Expression, this: Values, record: Values, frame: Frame) -> str:
    """The region whose size was the last thing that a false condition used; empty if that was something else."""
    asked = _Measured(frame.parameters)
    asked.update(frame)
    asked.runs, asked.listed, asked.structs = frame.runs, frame.listed, frame.structs
    rule.holds(this, record, asked)
    return "" if frame.span(asked.last) is None else asked.last
