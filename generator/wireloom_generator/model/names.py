"""The names that expressions of a struct can use."""

from dataclasses import dataclass

from wireloom_generator import expressions
from wireloom_generator.expressions import Expr, Name, Origin


@dataclass(frozen=True, slots=True)
class Names:
    """The names that the expressions of one struct know: its own fields, the record's header fields, parameters.

    What judges whole records compares those of ``hexadecimal`` with numbers written so.
    """

    own: frozenset[str]
    own_nullable: frozenset[str]
    header: frozenset[str]
    header_nullable: frozenset[str]
    parameters: frozenset[str]
    hexadecimal: frozenset[str] = frozenset()

    def resolve(self, name: Name) -> Name:
        """The name with its origin; unchanged if it is unknown."""
        if name.name in self.own:
            return name._replace(origin=Origin.THIS, nullable=name.name in self.own_nullable)
        if name.name in self.header:
            return name._replace(origin=Origin.RECORD, nullable=name.name in self.header_nullable)
        return name._replace(origin=Origin.PARAMETER) if name.name in self.parameters else name

    def resolved(self, expression: Expr) -> Expr:
        """The expression with the origin of every name."""
        return expressions.rename(expression, self.resolve)
