"""Spec text → a protocol that runs: what the tests of the language and of its reference share."""

import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from types import ModuleType
from typing import Any
from weakref import finalize

from support.paths import ROOT
from wireloom import registry
from wireloom.codec import Protocol
from wireloom_generator import examples, model
from wireloom_generator.emitters import columnar, enums, parsers
from wireloom_generator.generate import generate
from wireloom_generator.reading import spec
from wireloom_generator.resolve import protocol_of, resolve

FEATURES = {path.stem: path for path in sorted(ROOT.joinpath("tests/language/valid").glob("*.yaml"))}
"""The files that show one feature of the language each."""

_SEPARATOR = re.compile(r"^---\n", re.MULTILINE)
_KIND = re.compile(r"^(protocol|message|library): *(\w+)", re.MULTILINE)
_MADE = TemporaryDirectory(prefix="wireloom-compiled-")


@dataclass(frozen=True)
class Compiled:
    """A protocol as the compiler has it, and as it runs."""

    protocol: model.Protocol
    codec: Any
    columnar: ModuleType
    """Its module of that name."""


def folders(text: str, root: Path) -> Path:
    """Write the documents of ``text`` as a protocol's folder, and libraries beside it; the protocol's folder.

    Each document becomes a file; a message is of the protocol or the library in front of it. Blank lines in front keep
    its lines where they stand in ``text``.
    """
    protocol = folder = root / re.findall(r"^protocol: *(\w+)", text, re.MULTILINE)[0]
    line = 0
    for document in _SEPARATOR.split(text):
        if found := _KIND.search(document):
            kind, name = found.groups()
            folder = folder if kind == "message" else root / name
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / f"{name if kind == 'message' else kind}.yaml"
            file.write_text("\n" * line + document)
        line += document.count("\n") + 1
    return protocol


def compiled(folder: Path) -> Compiled:
    """The protocol in ``folder``, its modules written and imported; they can be found as long as it is kept."""
    (one,), found = spec.load([folder])
    assert not found, found
    protocol = protocol_of(resolve(one))
    package = Path(mkdtemp(prefix=f"{protocol.name}_", dir=_MADE.name))
    package.joinpath("__init__.py").touch()
    for emit in (enums.emit, parsers.emit, columnar.emit):
        for file in emit(protocol):
            package.joinpath(file.path.name).write_text(file.text)
    sys.path.insert(0, _MADE.name)
    try:
        importlib.invalidate_caches()
        plan = importlib.import_module(f"{package.name}.columnar")
    finally:
        sys.path.remove(_MADE.name)
    found = Compiled(protocol, plan.PROTOCOL, plan)
    finalize(found, _forget, package.name)
    return found


def _forget(package: str) -> None:
    """Let the modules of a package go."""
    for name in [each for each in sys.modules if each.partition(".")[0] == package]:
        del sys.modules[name]


@contextmanager
def installed(feature: str, package: str, root: Path) -> Iterator[Protocol]:
    """A feature's protocol, generated as a part of a package in ``root`` that can be imported by its name."""
    folder = folders(FEATURES[feature].read_text(encoding="utf-8"), root / "specs")
    generate([folder], root, package=package, write=True)
    sys.path.insert(0, str(root))
    yield registry.protocol(f"{package}.{feature}")
    sys.path.remove(str(root))


@lru_cache(maxsize=64)
def of(text: str) -> Compiled:
    """The protocol that ``text`` is, made when it is first asked for, and kept while few others are."""
    return compiled(folders(text, Path(mkdtemp(dir=_MADE.name))))


@cache
def feature(name: str) -> Compiled:
    """The protocol of the feature called ``name``, one of ``valid``, which many tests ask for."""
    return of(FEATURES[name].read_text(encoding="utf-8"))


def worked(protocol: model.Protocol) -> Iterator[tuple[model.Message, model.Example]]:
    """The worked examples of a protocol."""
    yield from ((message, example) for message in protocol.messages for example in message.examples)


def failures(found: Compiled) -> list[str]:
    """What the worked examples say and the codec does not, one line each."""
    return [str(problem) for problem in examples.run(found.protocol, found.codec)[1]]
