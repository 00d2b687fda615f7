"""The program ``wireloom``: the only place that prints."""

import gc
import os
from importlib import import_module
from typing import Any

import click

from wireloom.cli.diagnostics import exit_statuses
from wireloom.cli.streams import mend

_COMMANDS = {
    "decode": ("decode", "Captured bytes to rows."),
    "sql": ("sql", "Captures queried with DuckDB."),
    "inspect": ("inspect", "Captured bytes beside what they are."),
    "summary": ("summary", "What captures hold, a line each."),
    "encode": ("encode", "Rows to bytes."),
    "index": ("index", "Where records begin, for Spark."),
    "check": ("specs", "See whether specs are right."),
    "explain": ("explain", "What rules of specs ask for, and why."),
    "generate": ("specs", "Parsers, schemas, documentation and dissectors from specs."),
    "docs": ("docs", "A website of messages, fields and examples from specs."),
    "compat": ("compat", "What has changed in specs, and whom it breaks."),
    "protocols": ("protocols", "The installed protocols and their messages."),
    "init": ("starter", "A small protocol to edit."),
}
"""In the order in which they are listed: the module of each, imported when it is called, and what the list says."""
_BEGUN = 100_000
"""Garbage is looked for when there are so many new objects. Imports make half of them, and none of that is garbage."""


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
    command: click.Command = getattr(import_module(f"{__name__}.{module}"), name)
    return command


@click.group(
    "wireloom",
    cls=_Commands,
    commands={name: click.Command(name, help=about) for name, (_, about) in _COMMANDS.items()},
    help="Weaves wire bytes into tables: captures to rows and back, specs to parsers, schemas and documentation.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(package_name="wireloom", message="%(version)s", help="Tell the version and end.")
def app() -> None: ...


def main() -> None:
    """The entry point."""
    gc.set_threshold(_BEGUN)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no matrices here, for which numpy would have threads that spin
    mend()
    app(prog_name="wireloom")
