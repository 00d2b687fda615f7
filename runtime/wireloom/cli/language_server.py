"""``wireloom lsp``: the language server for specs, which editors start."""

import gc
import sys
from importlib import import_module

import click

from wireloom.cli.diagnostics import MisuseError
from wireloom.cli.specs import compiler
from wireloom.extras import needed


@click.command
def lsp() -> None:
    """Answer editors about specs, by the Language Server Protocol on standard input and output.

    See the page on editors for how to set them up.
    """
    if sys.stdin.isatty():
        raise MisuseError("editors start this command and talk to it; to check specs yourself, run: wireloom check")
    compiler("frontend")
    try:
        with needed("the language server", "lsp"):
            server = import_module("wireloom_generator.language_server.server").server()
    except ModuleNotFoundError as error:
        raise MisuseError(str(error)) from None
    gc.enable()  # a server runs for hours
    server.start_io()
