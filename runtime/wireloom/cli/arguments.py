"""Arguments that several commands take, and what they mean."""

import os
import sys
from typing import Annotated

import typer

from wireloom import registry
from wireloom.cli.diagnostics import MisuseError
from wireloom.codec import Protocol

ProtocolName = Annotated[
    str, typer.Argument(metavar="PROTOCOL", help="An installed protocol, or package.module of a generated one.")
]
FormName = Annotated[str | None, typer.Option("--form", metavar="NAME", help="One of the protocol's textual forms.")]
Parameters = Annotated[
    list[str] | None,
    typer.Option("--parameter", "-P", metavar="PARAM=VALUE", help="A fact that is not in the bytes. Repeatable."),
]


def protocol_of(name: str) -> Protocol:
    """The protocol; packages are looked for in the working directory too. Raises ``OptionError``."""
    if name not in registry.names() and os.getcwd() not in sys.path:  # noqa: PTH109 - sys.path holds text
        sys.path.append(os.getcwd())  # noqa: PTH109
    return registry.protocol(name)


def parameters_of(given: list[str] | None) -> dict[str, str]:
    """``-P name=value`` arguments as a mapping."""
    parameters: dict[str, str] = {}
    for item in given or []:
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise MisuseError(f"-P takes PARAM=VALUE, not {item!r}")
        parameters[name] = value
    return parameters
