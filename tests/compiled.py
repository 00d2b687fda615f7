"""Spec text → a protocol that runs: what the tests of the language and of its reference share."""

import importlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

from wireloom_generator import examples, ir, spec
from wireloom_generator.emitters import columnar, enums, parsers
from wireloom_generator.lower import lower

FEATURES = {path.stem: path for path in sorted(Path(__file__).with_name("specs_valid").glob("*.yaml"))}
"""The files that show one feature of the language each."""

_SEPARATOR = re.compile(r"^---\n", re.MULTILINE)


@dataclass(frozen=True)
class Compiled:
    """A protocol as the compiler has it, and as it runs."""

    protocol: ir.Protocol
    codec: Any
    columnar: ModuleType
    """The module with its plan."""


def folders(text: str, root: Path) -> Path:
    """Write the documents of ``text`` as a protocol's folder, and libraries beside it; the protocol's folder.

    Each document becomes a file. Blank lines in front keep its lines where they stand in ``text``.
    """
    files: dict[tuple[str, str], str] = {}
    line = 0
    for document in _SEPARATOR.split(text):
        written = yaml.safe_load(document) or {}
        kind = next((key for key in ("protocol", "message", "library") if key in written), None)
        if kind:
            files[kind, written[kind]] = "\n" * line + document
        line += document.count("\n") + 1
    protocol = root / next(name for kind, name in files if kind == "protocol")
    for (kind, name), content in files.items():
        folder = root / name if kind == "library" else protocol
        folder.mkdir(parents=True, exist_ok=True)
        folder.joinpath(f"{name if kind == 'message' else kind}.yaml").write_text(content)
    return protocol


def compiled(folder: Path, out: Path) -> Compiled:
    """The protocol in ``folder``, its parsers and its plan written below ``out`` and imported."""
    (one,), found = spec.load([folder])
    assert not found, found
    protocol = lower(one)
    package = out.joinpath(f"{out.name}_{protocol.name}")
    package.mkdir(parents=True)
    package.joinpath("__init__.py").touch()
    for emit in (enums.emit, parsers.emit, columnar.emit):
        for file in emit(protocol):
            package.joinpath(file.path.name).write_text(file.text)
    sys.path.insert(0, str(out))
    try:
        importlib.invalidate_caches()
        plan = importlib.import_module(f"{package.name}.columnar")
    finally:
        sys.path.remove(str(out))
    return Compiled(protocol, plan.PROTOCOL, plan)


def of(text: str, root: Path) -> Compiled:
    """The protocol that ``text`` is, made below ``root``."""
    return compiled(folders(text, root / "specs"), root)


def feature(name: str, root: Path) -> Compiled:
    """The protocol of the feature called ``name``, one of ``specs_valid``, made below ``root``."""
    return of(FEATURES[name].read_text(encoding="utf-8"), root)


def worked(protocol: ir.Protocol) -> Iterator[tuple[ir.Message, ir.Example]]:
    """The worked examples of a protocol."""
    yield from ((message, example) for message in protocol.messages for example in message.examples)


def failures(found: Compiled) -> list[str]:
    """What the worked examples say and the codec does not, one line each."""
    return [str(problem) for problem in examples.run(found.protocol, found.codec)[1]]
