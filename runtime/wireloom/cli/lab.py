"""``wireloom lab``: a page of this machine on which a spec is written beside a capture."""

import os
import webbrowser
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from wireloom import files
from wireloom.cli.arguments import parameters, parameters_of
from wireloom.cli.diagnostics import MisuseError, say
from wireloom.cli.specs import compiler
from wireloom.cli.starter_specs import framed_records, unknown_file
from wireloom.extras import needed

_NEW = "my_protocol"


@click.command
@click.argument(
    "specs", type=Path, required=False, help="A spec or a folder of specs; by default a small one to start from."
)
@click.argument("capture", type=Path, required=False, help="The capture to decode; by default the worked examples.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port of the page; 0 takes a free one.")
@click.option("--browser/--no-browser", default=True, help="Whether to open the page in the browser.")
@parameters
def lab(specs: Path | None, capture: Path | None, port: int, browser: bool, parameters: Sequence[str]) -> None:
    """Open a page to write a spec beside a capture that it decodes at once.

    With a capture alone, the spec of an unknown format is begun in specs, or continued if it is there. Only this
    machine can open the page, and only with the address that is printed.
    """
    told = parameters_of(parameters)
    if specs is not None and capture is None and specs.is_file() and specs.suffix != ".yaml":
        specs, capture = None, specs
    workspace, capture_bytes = compiler("lab.workspace"), compiler("lab.capture_bytes")
    _must_exist(specs, "file or folder", "; without one, the lab has a spec to start from")
    _must_exist(capture, "file")
    try:
        new = _begun(capture) if specs is None else {}
        known = [path for path in new if path.is_file()]
        edited = workspace.SpecDrafts([specs] if specs is not None else known, {} if known else new)
        opened = None if capture is None else capture_bytes.FileBytes(capture)
    except (workspace.UnreadableError, capture_bytes.NoCaptureError) as error:
        raise MisuseError(str(error)) from None
    if specs is not None and not edited.files:
        raise MisuseError(f"there is no spec in {files.shown(specs)}")
    os.environ["WIRELOOM_ACCEL"] = "0"  # specs change while they are decoded by; compiled loops would be for nothing
    try:
        with needed("this command", "lab"):
            import_module("nicegui")
    except ModuleNotFoundError as error:
        raise MisuseError(str(error)) from None
    session = compiler("lab.session").Session
    serve = compiler("lab.serving").serve
    serve(lambda: session(edited, opened, told), port, lambda address: _show(address, browser=browser))


def _begun(capture: Path | None) -> dict[Path, str]:
    """The specs to begin with: of what a capture may be, which gives them its name."""
    if capture is None:
        return framed_records(_NEW)
    return unknown_file(compiler("naming").protocol_like(capture.stem, "file"))


def _must_exist(path: Path | None, what: str, hint: str = "") -> None:
    if path is not None and not path.exists():
        raise MisuseError(f"there is no {what} {files.shown(path)}{hint}")


def _show(address: str, *, browser: bool) -> None:
    print(address, flush=True)
    say("the lab is open until you press Ctrl-C; whoever knows the address can use it")
    if browser:
        webbrowser.open(address)
