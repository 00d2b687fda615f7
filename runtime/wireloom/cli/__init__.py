"""The program ``wireloom``: the only place that prints."""

from typing import Any

import typer
from typer.core import TyperGroup

from wireloom.cli.decode import decode
from wireloom.cli.diagnostics import exit_statuses
from wireloom.cli.encode import encode
from wireloom.cli.protocols import protocols
from wireloom.cli.specs import check, generate
from wireloom.cli.starter import init


class _Commands(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        with exit_statuses():
            return super().invoke(ctx)


app = typer.Typer(
    name="wireloom",
    cls=_Commands,
    help="Weaves wire bytes into tables: captures to rows and back, specs to parsers, schemas and documentation.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for command in (decode, encode, check, generate, protocols, init):
    app.command()(command)


def main() -> None:
    """The entry point."""
    app(prog_name="wireloom")
