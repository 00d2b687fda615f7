"""The program ``wireloom``: the only place that prints."""

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from wireloom.cli.arguments import parameters_hinted
from wireloom.cli.compat import compat
from wireloom.cli.decode import decode
from wireloom.cli.diagnostics import exit_statuses, tell
from wireloom.cli.encode import encode
from wireloom.cli.explain import explain
from wireloom.cli.index import index
from wireloom.cli.inspect import inspect
from wireloom.cli.protocols import protocols
from wireloom.cli.specs import check, generate
from wireloom.cli.sql import sql
from wireloom.cli.starter import init
from wireloom.cli.streams import mend


class _Commands(TyperGroup):
    def make_context(self, info_name: str | None, args: list[str], *given: Any, **more: Any) -> Any:
        arguments = tuple(args)
        with exit_statuses():  # help and the version are printed here
            context = super().make_context(info_name, args, *given, **more)
        context.meta[__name__] = arguments
        return context

    def invoke(self, ctx: Any) -> Any:
        with exit_statuses(), parameters_hinted(ctx.meta[__name__]):
            return super().invoke(ctx)


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
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Tell the version and end.")
    ] = False,
) -> None: ...


for command in (decode, sql, inspect, encode, index, check, explain, generate, compat, protocols, init):
    app.command()(command)


def main() -> None:
    """The entry point."""
    mend()
    app(prog_name="wireloom")
