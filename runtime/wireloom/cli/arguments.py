"""Arguments that several commands take, and what they mean."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer

from wireloom import registry
from wireloom.cli.diagnostics import MisuseError, UsageError
from wireloom.codec import Protocol
from wireloom.options import OptionError

ProtocolName = Annotated[
    str, typer.Argument(metavar="PROTOCOL", help="An installed protocol, or package.module of a generated one.")
]
FormName = Annotated[str | None, typer.Option("--form", metavar="NAME", help="One of the protocol's textual forms.")]
Parameters = Annotated[
    list[str] | None,
    typer.Option("--parameter", "-P", metavar="PARAM=VALUE", help="A fact that is not in the bytes. Repeatable."),
]


def protocol_of(name: str) -> Protocol:
    """The protocol of that name; packages in the working directory are found, too. Raises ``OptionError``."""
    if name not in registry.names() and os.getcwd() not in sys.path:  # noqa: PTH109 - sys.path holds text
        sys.path.append(os.getcwd())  # noqa: PTH109
    try:
        return registry.protocol(name)
    except OptionError:
        if beside := _beside(name):
            raise OptionError(f"unknown protocol {name!r}; did you mean {beside[0]!r}?") from None
        raise


def _beside(name: str) -> list[str]:
    """The generated protocols of that name in packages of the working directory."""
    found = Path().glob(f"*/{name}/parsers.py") if name.isidentifier() else ()
    return sorted(f"{path.parts[0]}.{name}" for path in found)


@contextmanager
def parameters_hinted(arguments: Sequence[str]) -> Iterator[None]:
    """Explain how to give a parameter of the protocol if the ``arguments`` of a command have it as an option."""
    try:
        yield
    except typer.BadParameter:
        raise
    except UsageError as error:
        option = getattr(error, "option_name", "")
        name = option.lstrip("-").replace("-", "_")
        if name not in _parameters(arguments[1:2]):
            raise
        _, _, value = " ".join(arguments).partition(option)
        given = value.lstrip(" =").partition(" ")[0] or "…"
        raise MisuseError(f"{name} is a parameter of the protocol; give it with -P {name}={given}") from None


def _parameters(protocol: Sequence[str]) -> Iterator[str]:
    """The parameters of a protocol, if there is one of that name."""
    with suppress(OptionError):
        for name in protocol:
            yield from (parameter.name for parameter in protocol_of(name).parameters)


def parameters_of(given: list[str] | None) -> dict[str, str]:
    """``-P name=value`` arguments as a mapping."""
    parameters: dict[str, str] = {}
    for item in given or []:
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise MisuseError(f"-P takes PARAM=VALUE, not {item!r}")
        parameters[name] = value
    return parameters
