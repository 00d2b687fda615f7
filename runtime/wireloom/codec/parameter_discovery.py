"""Parameters that a capture contains: in a message with which connections agree on them before they are used.

Their names are among the parameters, under ``SOUGHT``, until they are found.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from wireloom.codec.errors import DecodeError
from wireloom.codec.frames import Values
from wireloom.codec.matching import Given, selections
from wireloom.options import SOUGHT

WITHIN = 64 * 1024
"""How many bytes at its start a capture is searched for parameters."""


class FoundParameter:
    """Where a capture contains the true or false ``parameter``: a record of ``message`` has, or has not, one of the
    values.

    ``has`` gives the values, by the path of a field; in a list, one item is enough. A record without that field says
    nothing. The last such record counts that begins within the first ``WITHIN`` bytes and before any of the messages
    ``asked``, which depend on the parameter.
    """

    def __init__(self, parameter: str, message: str, *, has: Given, asked: tuple[str, ...]) -> None:
        self.parameter = parameter
        self.message = message
        self.asked = asked
        ((path, self.values),) = selections(has).items()
        self.steps = path.split(".")

    def value_in(self, row: Mapping[str, Any]) -> bool | None:
        """What a row of the message says about the parameter; None if nothing."""
        values = list(_values(row[self.message], self.steps))
        if values and values[0] is _NOTHING:
            return None
        return any(value in self.values for value in values)


_NOTHING = object()


def _values(value: Any, steps: list[str]) -> Iterator[Any]:
    """The values at the end of a path; none if it does not lead there."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from _values(item, steps)
    elif value is None:
        yield _NOTHING
    elif steps:
        yield from _values(value.get(steps[0]), steps[1:])
    else:
        yield value


class Listener:
    """Looks at the records of a capture in order, until the parameters are found; ``values`` has those found so far."""

    def __init__(self, protocol: Any, parameters: Values) -> None:
        sought = parameters[SOUGHT]
        self.protocol = protocol
        self.open = {found.parameter: found for found in protocol.found if found.parameter in sought}
        self.values: dict[str, bool] = {}

    @property
    def wanted(self) -> set[str]:
        """The names of the messages to look at; all others change nothing."""
        return {name for found in self.open.values() for name in (found.message, *found.asked)}

    def record(self, data: bytes, parameters: Values, *, little: bool) -> None:
        """Look at a record."""
        wanted = self.wanted
        if self.protocol.specialised.message(data, parameters, little=little) not in (None, *wanted):
            return
        name = self.protocol.message_name(data, parameters, little=little)
        if name not in wanted:
            return
        row = None
        if any(name == found.message for found in self.open.values()):
            try:
                row = self.protocol.decode(data, parameters, little=little)
            except DecodeError:
                return
        self.row(name, row)

    def row(self, name: str | None, row: Mapping[str, Any] | None) -> None:
        """Look at a row of a message that may contain a parameter, or at the name of another message."""
        for found in list(self.open.values()):
            if name in found.asked:
                del self.open[found.parameter]
            elif name == found.message and row is not None and (value := found.value_in(row)) is not None:
                self.values[found.parameter] = value

    def known(self, parameters: Values) -> Values:
        """The parameters with those that were found, and without a search for the others."""
        return {name: value for name, value in parameters.items() if name != SOUGHT} | self.values
