"""Arguments that several commands take, and what they mean."""

import gc
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import click

from wireloom import registry
from wireloom.cli.diagnostics import MisuseError
from wireloom.codec import Protocol
from wireloom.options import MAX_RECORD_BYTES, OptionError, ReadOptions, resolve

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

protocol = click.argument("protocol", help="An installed protocol, or package.module of a generated one.")
from_hex = click.option("--hex", "from_hex", is_flag=True, help="The input is hex text; # begins a comment.")
form = click.option("--form", metavar="NAME", help="One of the protocol's textual forms.")
format_name = click.option("--format", "format_name", metavar="NAME", default="jsonl", help="jsonl, parquet or arrow.")
output = click.option("--output", "path", type=Path, help="Where to write; standard output otherwise.")
parameters = click.option(
    "--parameter",
    "-P",
    "parameters",
    metavar="PARAM=VALUE",
    multiple=True,
    help="A fact that is not in the bytes. Repeatable.",
)
inputs = click.argument(
    "inputs",
    metavar="INPUT...",
    nargs=-1,
    required=True,
    help="Captures, or directories and patterns of them; - is standard input.",
)
rotated = click.option(
    "--rotated", is_flag=True, help="The inputs are parts of one recording of packets, in this order."
)
max_record_bytes = click.option(
    "--max-record-bytes",
    "maxRecordBytes",
    metavar="N",
    type=click.IntRange(min=1),
    default=MAX_RECORD_BYTES,
    help="Longer records are malformed.",
)
resync = click.option(
    "--resync",
    metavar="HOW",
    help="Where to go on after damage: at a chain of records (chain, the default), or only by proof (proof).",
)


def traffic(command: Decorated) -> Decorated:
    """What is read of recorded packets."""
    told = (
        ("--capture", "KIND", "What the input holds: raw, pcap or pcapng; by default its first bytes tell."),
        ("--ports", "PORT,…", "Of recorded packets, those of these servers' ports; by default the protocol's."),
        ("--hosts", "HOST,…", "Of recorded packets, those of these addresses or networks."),
        ("--direction", "WHO", "Of recorded packets, what the client or the server sent; by default both."),
    )
    inside = "Of recorded packets, those that tunnels carry in place of the tunnels' own."
    waits = "Of recorded packets: how many bytes wait for those that are missing."
    command = click.option("--max-stream-bytes", "maxStreamBytes", metavar="N", help=waits)(command)
    command = click.option("--tunnels", is_flag=True, help=inside)(command)
    for name, what, about in reversed(told):
        command = click.option(name, metavar=what, help=about)(command)
    return command


class OfProtocol(click.Command):
    """A command whose first argument is a protocol. It tells how to give a parameter that was given as an option, and
    is the last that the program does: what it leaves is not looked through for garbage.
    """

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        finally:
            gc.freeze()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        given = tuple(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            name = error.option_name.lstrip("-").replace("-", "_")
            if not given or name not in _parameters(given[0]):
                raise
            _, _, value = " ".join(given).partition(error.option_name)
            told = value.lstrip(" =").partition(" ")[0] or "…"
            raise MisuseError(f"{name} is a parameter of the protocol; give it with -P {name}={told}") from None


def protocol_of(name: str) -> Protocol:
    """The protocol of that name; packages in the working directory are found, too. Raises ``OptionError``."""
    if registry.installed(name) is None:
        find_here()
    return registry.protocol(name)


def find_here() -> None:
    """Let packages in the working directory be found."""
    if os.getcwd() not in sys.path:  # noqa: PTH109 - sys.path holds text
        sys.path.append(os.getcwd())  # noqa: PTH109


def _parameters(name: str) -> Iterator[str]:
    """The parameters of a protocol, if there is one of that name."""
    with suppress(OptionError):
        yield from (parameter.name for parameter in protocol_of(name).parameters)


def parameters_of(given: Sequence[str]) -> dict[str, str]:
    """``-P name=value`` arguments as a mapping."""
    parameters: dict[str, str] = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise MisuseError(f"-P takes PARAM=VALUE, not {item!r}")
        parameters[name] = value
    return parameters


def options_of(protocol: Protocol, parameters: Sequence[str], told: Mapping[str, object]) -> ReadOptions:
    """How captures are read. ``told`` has the names of ``ReadOptions.of``, and None for what is not told."""
    given = {name: value for name, value in told.items() if value is not None}
    options = ReadOptions.of(given, parameters=(), messages=protocol.messages)
    return options._replace(parameters=resolve(protocol.parameters, parameters_of(parameters)))
