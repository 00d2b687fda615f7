"""``wireloom init``: writes the specs to start from."""

import keyword
import re

import click

from wireloom.cli.diagnostics import MisuseError
from wireloom.cli.specs import compiler
from wireloom.cli.starter_specs import FOLDER, framed_records, headed_file


@click.command
@click.argument("name", help="The protocol's name: lower-case letters, digits and _.")
@click.option("--file", "is_file", is_flag=True, help="Start from a format of files: a header, then records.")
def init(name: str, is_file: bool) -> None:
    """Create a small protocol to start from, in specs/NAME, with an example that runs as a test."""
    if keyword.iskeyword(name):
        raise MisuseError(f"{name!r} cannot be the name of a protocol: it is a keyword of Python")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise MisuseError(
            f"{name!r} cannot be the name of a protocol; use lower-case letters, digits and _, with a letter first"
        )
    if name in compiler("naming").IMPORTED:
        raise MisuseError(f"{name!r} is a package that generated modules import; choose a more specific name")
    folder = FOLDER / name
    if folder.exists():
        raise MisuseError(f"{folder} already exists; choose another name, or edit it")
    written = headed_file(name) if is_file else framed_records(name)
    schema = FOLDER / "schema.json"
    if not schema.exists():
        written[schema] = compiler("emitters.json_schema").schema()
    compiler("on_disk").put(written)
    for path in written:
        print(f"wrote {path}{', for completion and checks in editors' if path == schema else ''}")
    print("Edit these files, then run:")
    print("  wireloom check")
    print("  wireloom generate --out my_protocols")
    print(f"  wireloom decode my_protocols.{name} CAPTURE")
