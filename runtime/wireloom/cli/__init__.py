"""The program ``wireloom``: the only place that prints."""

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from wireloom.cli.diagnostics import exit_statuses, tell
from wireloom.cli.streams import mend

_COMMANDS = {
    "decode": ("decode", "Captured bytes to rows."),
    "sql": ("sql", "Captures queried with DuckDB."),
    "inspect": ("inspect", "Captured bytes beside what they are."),
    "encode": ("encode", "Rows to bytes."),
    "index": ("index", "Where records begin, for Spark."),
    "check": ("specs", "See whether specs are right."),
    "explain": ("explain", "What rules of specs ask for, and why."),
    "generate": ("specs", "Parsers, schemas, documentation and dissectors from specs."),
    "compat": ("compat", "What has changed in specs, and whom it breaks."),
    "protocols": ("protocols", "The installed protocols and their messages."),
    "init": ("starter", "A small protocol to edit."),
}
"""In the order in which they are listed: the module of each, imported when it is called, and what the list says."""
_LOOKS: dict[str, Any] = {"add_completion": False, "pretty_exceptions_enable": False, "rich_markup_mode": None}
"""Plain help: what would draw boxes takes longer to import than all else."""


class _Commands(TyperGroup):
    """Commands that are listed without being imported."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = {name: TyperCommand(name, help=about) for name, (_, about) in _COMMANDS.items()}

    def make_context(self, info_name: str | None, args: list[str], *given: Any, **more: Any) -> Any:
        arguments = tuple(args)
        with exit_statuses():  # help and the version are printed here
            context = super().make_context(info_name, args, *given, **more)
        context.meta[__name__] = arguments
        return context

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, listed, rest = super().resolve_command(ctx, args)
        return name, listed and _command(args[0]), rest

    def invoke(self, ctx: Any) -> Any:
        from wireloom.cli.arguments import parameters_hinted

        with exit_statuses(), parameters_hinted(ctx.meta[__name__]):
            return super().invoke(ctx)


def _command(name: str) -> Any:
    """A command, its module imported."""
    module, _ = _COMMANDS[name]
    alone = typer.Typer(**_LOOKS)
    alone.command(name)(getattr(import_module(f"{__name__}.{module}"), name))
    return get_command(alone)


def _tell_version(wanted: bool) -> None:
    if wanted:
        from importlib import metadata

        tell(metadata.version("wireloom"))
        raise typer.Exit


app = typer.Typer(
    name="wireloom",
    cls=_Commands,
    help="Weaves wire bytes into tables: captures to rows and back, specs to parsers, schemas and documentation.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    **_LOOKS,
)


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Tell the version and end.")
    ] = False,
) -> None: ...


def main() -> None:
    """The entry point."""
    mend()
    app(prog_name="wireloom")
