"""Conditions and other expressions of a spec as the codec asks them, and what they asked for in words."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wireloom.codec.frames import Expression, Frame, Values
from wireloom.codec.givens import shown


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition: how the spec writes it, and what it is compiled to.

    What ``hexadecimal`` names is told so, with as many digits.
    """

    text: str
    expression: Expression
    hexadecimal: Mapping[str, int] = field(default_factory=dict, compare=False)

    def holds(self, this: Values, record: Values, frame: Frame) -> bool:
        """Whether it is true; a value that is absent, or not known yet, makes it false."""
        return bool(ask(self.expression, this, record, frame))


ASKED = re.compile(r"(?:\b(size|offset)\()?\b([a-z]\w*)")
"""The names in the text of a condition, and what is measured of them."""


def told(rules: Iterable[Rule], this: Values, record: Values, frame: Frame) -> str:
    """What conditions ask for, as ``kind 3, size(data) 7``; without what is absent."""
    found: dict[str, str] = {}
    for rule in rules:
        for measure, name in ASKED.findall(rule.text):
            value = getattr(frame, measure)(name) if measure else this.get(name, record.get(name))
            if isinstance(value, int | float):
                number = int(value) if isinstance(value, int) else value
                digits = 0 if measure else rule.hexadecimal.get(name, 0)
                found[f"{measure}({name})" if measure else name] = shown(number, digits)
    return ", ".join(f"{name} {value}" for name, value in found.items())


class _Measured(Frame):
    """A frame that knows the last region whose size was asked for."""

    last = ""

    def size(self, name: str) -> int:
        self.last = name
        return super().size(name)


def measured(rule: Rule, this: Values, record: Values, frame: Frame) -> str:
    """The region whose size made a condition false, if it asked for one last; else nothing."""
    asked = _Measured(frame.parameters, **frame)
    rule.holds(this, record, asked)
    return asked.last if asked.last in frame else ""


def ask(expression: Expression, this: Values, record: Values, frame: Frame) -> Any:
    """The value of an expression; None if one it follows from is absent, or it divides by zero."""
    try:
        return expression(this, record, frame)
    except (TypeError, ArithmeticError, ValueError):
        return None


class _Asked(dict[str, int]):
    """Notes the names it is asked for."""

    def __missing__(self, name: str) -> int:
        return self.setdefault(name, 1)


def asked(expression: Expression, frame: Frame) -> tuple[str, ...]:
    """The fields whose values an expression asks for."""
    names = _Asked()
    ask(expression, names, names, frame)
    return tuple(names)
