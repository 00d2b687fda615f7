"""The program ``wireloom``: the only place that prints."""

import gc
import keyword
import os
from importlib import import_module
from typing import Any

import click

from wireloom.cli.diagnostics import exit_statuses
from wireloom.cli.streams import mend

_COMMANDS = {
    "decode": ("decode", "Decode captures into rows."),
    "sql": ("sql", "Query captures with DuckDB."),
    "inspect": ("inspect", "Show the bytes of records beside their fields."),
    "summary": ("summary", "Count records and damage per capture."),
    "encode": ("encode", "Encode rows into bytes."),
    "index": ("index", "Write record indexes, so that Spark can split large files."),
    "check": ("specs", "Check specs for errors."),
    "fmt": ("formatting", "Format spec files."),
    "lsp": ("language_server", "Answer editors about specs, by the Language Server Protocol."),
    "explain": ("explain", "Explain what rules require, and why; or how a message is read."),
    "generate": ("specs", "Generate parsers, schemas, docs and dissectors from specs."),
    "docs": ("docs", "Build a website of messages, fields and examples from specs."),
    "compat": ("compat", "Compare versions of specs: what changed, and what breaks."),
    "protocols": ("protocols", "List installed protocols and their messages."),
    "init": ("starter", "Create a small protocol to start from."),
    "lab": ("lab", "Write a spec in the browser, beside a capture that it decodes."),
    "import": ("importing", "Write specs for formats that are described for other tools."),
}
"""In the order of the list: the module of each command, which is imported when it is called, and its description."""
_BEGUN = 100_000
"""Garbage is collected after this many new objects. Imports create half as many, and none of those is garbage."""


class _Commands(click.Group):
    """Commands that are listed without being imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and _command(args[0]), rest

    def make_context(self, *given: Any, **more: Any) -> click.Context:
        with exit_statuses():  # help and the version are printed here
            return super().make_context(*given, **more)

    def invoke(self, ctx: click.Context) -> Any:
        with exit_statuses():
            return super().invoke(ctx)


def _command(name: str) -> click.Command:
    """A command, its module imported."""
    module, _ = _COMMANDS[name]
    said = f"{name}_" if keyword.iskeyword(name) else name
    command: click.Command = getattr(import_module(f"{__name__}.{module}"), said)
    return command


@click.group(
    "wireloom",
    cls=_Commands,
    commands={name: click.Command(name, help=about) for name, (_, about) in _COMMANDS.items()},
    help="Decode binary captures into tables, and generate parsers, schemas and docs from protocol specs.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(package_name="wireloom", message="%(version)s", help="Show the version and exit.")
def app() -> None: ...


def main() -> None:
    """The entry point."""
    gc.set_threshold(_BEGUN)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no matrices here, for which numpy would have threads that spin
    mend()
    app(prog_name="wireloom")
