"""Model → files: one module or folder for each output, found by its name. No emitter imports another.

Each module beside this one has an ``EMITTER``. Emitters that must be named to be used, such as those of other packages,
are entry points of the group ``wireloom.emitters``: ``name = "package.module:EMITTER"``.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from pathlib import PurePosixPath
from pkgutil import iter_modules
from typing import TYPE_CHECKING, NamedTuple

from wireloom_generator import model
from wireloom_generator.output import OutputFile, head, is_marked
from wireloom_generator.problems import closest
from wireloom_generator.python_code.pretty import docstring
from wireloom_generator.templates import filled
from wireloom_generator.traces import Traces

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from wireloom.consumer_types import Differing
    from wireloom.programs.support import Support

GROUP = "wireloom.emitters"


class Destination(StrEnum):
    """Where an emitter's files go."""

    OUT = "out"
    """Below the output folder. Their paths begin with the emitter's name, so that no two emitters share a folder."""
    PACKAGE = "package"
    """Modules of the protocol's Python package, each checked against the closed list of code."""
    TOP = "top"
    """Packages of their own in the output folder, which users put on their path."""
    SPECS = "specs"
    """Beside the folders of the specs."""


@dataclass(frozen=True, slots=True)
class ModuleEmitter:
    """One module of the protocol's Python package. All of them come with Wireloom."""

    emit: Callable[[model.Protocol], Iterable[OutputFile]]


@dataclass(frozen=True, slots=True)
class Subject:
    """The input of an emitter: a protocol, its decoded examples, how records are read, the ``types`` of columns where
    consumers of tables get different ones, and the dotted name of its Python package.
    """

    protocol: model.Protocol
    traces: Traces
    support: "Support"
    types: "Differing"
    module: str


@dataclass(frozen=True, slots=True)
class Emitter:
    """One output. Its files begin with ``output.head``, which names their sources.

    Entry points must have the destination ``OUT``.
    """

    emit: Callable[[Subject], Iterable[OutputFile]]
    destination: Destination = Destination.OUT


class Emission(NamedTuple):
    """A file with the name of its emitter, and its destination."""

    emitter: str
    destination: Destination
    file: OutputFile


class EmitterError(Exception):
    """An emitter does not exist, or breaks the contract of emitters."""


CODEC = ("enums", "parsers")
"""The modules of a codec, in the order in which they import each other."""


@cache
def own() -> Mapping[str, ModuleEmitter | Emitter]:
    """The emitters that come with Wireloom, by name."""
    return {module.name: _own(module.name) for module in iter_modules(__path__)}


def _own(name: str) -> ModuleEmitter | Emitter:
    found: ModuleEmitter | Emitter = import_module(f"{__name__}.{name}").EMITTER
    return found


def chosen(names: Sequence[str] = ()) -> Mapping[str, ModuleEmitter | Emitter]:
    """The emitters with these names; Wireloom's own if there are none. Raises ``EmitterError``.

    Entry points must be named, so that the output of a spec does not depend on what is installed.
    """
    return {name: _named(name) for name in names} if names else own()


def module(protocol: model.Protocol, name: str, title: str, /, **values: object) -> OutputFile:
    """A module of the protocol's package: its template, with the head of generated files and a docstring."""
    text = filled(__name__, name, head=head(protocol.folders), title=docstring(title), **values)
    return OutputFile(PurePosixPath(protocol.name, name), text)


def modules(protocol: model.Protocol) -> tuple[Emission, ...]:
    """The modules of a protocol's Python package."""
    return tuple(_modules(protocol, own()))


def codec_modules(protocol: model.Protocol) -> tuple[Emission, ...]:
    """The modules of a protocol's codec."""
    return tuple(_modules(protocol, {name: _own(name) for name in CODEC}))


def _modules(protocol: model.Protocol, emitters: Mapping[str, ModuleEmitter | Emitter]) -> Iterator[Emission]:
    for name, emitter in emitters.items():
        if isinstance(emitter, ModuleEmitter):
            yield from (Emission(name, Destination.PACKAGE, file) for file in emitter.emit(protocol))


def others(chosen: Mapping[str, ModuleEmitter | Emitter], subject: Subject) -> Iterator[Emission]:
    """All other files of Wireloom's and the chosen emitters.

    Raises ``EmitterError`` if a file has a wrong path, or lacks the header of a generated file.
    """
    for name, emitter in {**own(), **chosen}.items():
        if not isinstance(emitter, Emitter):
            continue
        for file in emitter.emit(subject):
            path, destination = file.path, emitter.destination
            if destination is Destination.OUT and (path.parts[:1] != (name,) or ".." in path.parts):
                raise EmitterError(f"the emitter {name!r} returns {str(path)!r}, whose path must begin with {name}/")
            if not is_marked(file):
                raise EmitterError(f"the emitter {name!r} returns {str(path)!r} without the header of a generated file")
            yield Emission(name, destination, file)


def _named(name: str) -> ModuleEmitter | Emitter:
    if name in own():
        return own()[name]
    from importlib.metadata import entry_points  # slow to import, and rarely needed

    installed = {entry.name: entry for entry in entry_points(group=GROUP)}
    if name not in installed:
        hint = "give --emit once for each" if "," in name else closest(name, own(), installed)
        raise EmitterError(f"unknown emitter {name!r}; {hint}")
    return _loaded(installed[name])


def _loaded(entry: "EntryPoint") -> Emitter:
    try:
        found = entry.load()
    except Exception as error:
        raise EmitterError(f"the emitter {entry.name!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(found, Emitter) or found.destination is not Destination.OUT:
        raise EmitterError(f"{entry.value} is not an Emitter with the destination OUT")
    return found
