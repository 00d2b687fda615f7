"""The names that expressions of a struct can use."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from wireloom_generator import expressions
from wireloom_generator.expressions import INDEX, LEFT, Expr, Name, Origin

_NAMED = re.compile(r"""'[^']*'|"[^"]*"|(?P<among>\bin\s+)?\b(?P<name>[A-Z]\w*\.\w+)""")
"""Names of numbers, with those after ``in``; and texts, in which names do not count."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names that the expressions of one struct can use: its own fields, its inputs, the record's header fields,
    parameters, and the words for the bytes left in a section and for the number of an item.

    Each field has a flag for whether it may be absent; names with dots lead into structs. Conditions on whole records
    compare the ``hexadecimal`` names with hexadecimal numbers. Messages derive the header's fields that are ``told``.
    ``numbers`` are the values of enums, such as ``Kind.Reading``, and groups of them.
    """

    own: Mapping[str, bool]
    header: Mapping[str, bool]
    parameters: frozenset[str]
    hexadecimal: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()
    numbers: Mapping[str, int | tuple[int, ...]] = field(default_factory=dict, repr=False)

    def with_numbers(self, text: str) -> str:
        """The text of an expression with names of numbers replaced by them, padded so that columns stay the same."""
        if "." not in text or not self.numbers:
            return text

        def number(found: re.Match[str]) -> str:
            before, name = found["among"] or "", found["name"]
            meant = self.numbers.get(name)
            if before and name is not None and meant is None:
                return f"{before[:-1]}({name},)"  # can be parsed, so that the unknown name is reported
            if meant is None or (isinstance(meant, tuple) and not before):
                return found[0]
            return before + repr(meant).ljust(len(name))

        return _NAMED.sub(number, text)

    def resolve(self, name: Name) -> Name:
        """The name with its origin; unchanged if it is unknown."""
        if name.item is not None:
            found = self.resolve(Name(name.item.list))
            return name._replace(origin=found.origin, nullable=True)
        if name.steps[0] in self.given and name.steps[0] not in self.own:
            return name._replace(origin=Origin.INPUT, nullable=len(name.steps) > 1)
        for origin, fields in ((Origin.THIS, self.own), (Origin.RECORD, self.header)):
            if (nullable := fields.get(name.name)) is not None:
                return name._replace(origin=origin, nullable=nullable)
        if name.name in self.parameters:
            return name._replace(origin=Origin.PARAMETER)
        if name.name == INDEX:
            return name._replace(origin=Origin.ITEM)
        return name._replace(origin=Origin.SECTION, nullable=True) if name.name in LEFT else name

    def resolved(self, expression: Expr) -> Expr:
        """The expression with the origin of every name."""
        return expressions.rename(expression, self.resolve)
