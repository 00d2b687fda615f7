"""Arguments that several commands share, and how they are interpreted."""

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

protocol = click.argument("protocol", help="An installed protocol, or the package.module of a generated one.")
from_hex = click.option("--hex", "from_hex", is_flag=True, help="The input is hex text; # starts a comment.")
form = click.option("--form", metavar="NAME", help="One of the protocol's textual forms.")
format_name = click.option(
    "--format", "format_name", metavar="NAME", default="jsonl", help="The output format: jsonl, parquet or arrow."
)
output = click.option("--output", "path", type=Path, help="The file to write; standard output by default.")
parameters = click.option(
    "--parameter",
    "-P",
    "parameters",
    metavar="PARAM=VALUE",
    multiple=True,
    help="Set a parameter of the protocol, a fact that is not in the bytes. May be repeated.",
)
inputs = click.argument(
    "inputs",
    metavar="INPUT...",
    nargs=-1,
    required=True,
    help="Captures: files, directories or patterns; - is standard input.",
)
rotated = click.option("--rotated", is_flag=True, help="Treat the inputs as consecutive parts of one packet recording.")
max_record_bytes = click.option(
    "--max-record-bytes",
    "maxRecordBytes",
    metavar="N",
    type=click.IntRange(min=1),
    default=MAX_RECORD_BYTES,
    help="Records that are longer than this, or claim to be, are malformed.",
)
resync = click.option(
    "--resync",
    metavar="HOW",
    help="How to find the next record after damage: proof relies only on a checksum or a terminator; chain, the"
    " default, also accepts several plausible records in a row.",
)


def traffic(command: Decorated) -> Decorated:
    """Options that select from recorded packets."""
    told = (
        ("--capture", "KIND", "The kind of input: raw, pcap or pcapng; by default detected from its first bytes."),
        ("--ports", "PORT,…", "Read only packets from or to these server ports; by default those of the protocol."),
        ("--hosts", "HOST,…", "Read only packets from or to these addresses or networks."),
        ("--direction", "WHO", "Read only packets sent by the client or by the server; by default both."),
    )
    inside = "Read the packets inside tunnels instead of those that carry them."
    waits = "How many bytes to buffer while packets are missing."
    command = click.option("--max-stream-bytes", "maxStreamBytes", metavar="N", help=waits)(command)
    command = click.option("--tunnels", is_flag=True, help=inside)(command)
    for name, what, about in reversed(told):
        command = click.option(name, metavar=what, help=about)(command)
    return command


class OfProtocol(click.Command):
    """A command whose first argument is a protocol.

    If a parameter is given as an option, its error says how to give it. The program ends after the command, so its
    objects are not searched for garbage.
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
            raise MisuseError(f"{name} is a parameter of the protocol; write -P {name}={told}") from None


def protocol_of(name: str) -> Protocol:
    """The protocol of that name; packages in the working directory are also found. Raises ``OptionError``."""
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
            raise MisuseError(f"-P must be PARAM=VALUE, not {item!r}")
        parameters[name] = value
    return parameters


def options_of(protocol: Protocol, parameters: Sequence[str], told: Mapping[str, object]) -> ReadOptions:
    """How captures are read. ``told`` has the names of ``ReadOptions.of``; None means that an option is not given."""
    given = {name: value for name, value in told.items() if value is not None}
    options = ReadOptions.of(given, parameters=(), messages=protocol.messages)
    return options._replace(parameters=resolve(protocol.parameters, parameters_of(parameters)))
