"""Protocols by name: those installed under the entry-point group ``wireloom.protocols``, or any importable package.

The protocols that come with Wireloom are found in the same way.
"""

import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from wireloom.codec import Protocol
from wireloom.options import OptionError, unknown

if TYPE_CHECKING:
    from wireloom.columnar.tables import Table

GROUP = "wireloom.protocols"
"""The entry-point group. A package declares ``name = "package.module"`` for a generated module."""


@cache
def _installed() -> dict[str, str]:
    """The modules of all installed protocols by name."""
    from importlib.metadata import entry_points

    return {entry.name: entry.value for entry in entry_points(group=GROUP)}


@cache
def installed(name: str) -> str | None:
    """The module of an installed protocol.

    Where packages lie in plain folders, their declarations are read without ``importlib.metadata``, whose import takes
    longer than a small capture.
    """
    for folder in sys.path:
        for declared in Path(folder or ".").glob("*.dist-info/entry_points.txt"):
            section = ""
            for line in declared.read_text("utf-8", "replace").splitlines():
                key, _, value = map(str.strip, line.partition("="))
                section = key if key.startswith("[") else section
                if section == f"[{GROUP}]" and key == name:
                    return value
    return _installed().get(name)


def names() -> tuple[str, ...]:
    """The installed protocols in alphabetical order."""
    return tuple(sorted(_installed()))


def load(name: str) -> ModuleType:
    """The generated module of the protocol ``name``: an installed one, or one that can be imported by that name.

    Raises ``OptionError`` when there is none or it cannot be imported.
    """
    found = installed(name)
    if found is None and "." not in name and not _is_generated(name):
        inside = in_packages(name)
        told = f"unknown protocol {name!r}; did you mean {inside[0]!r}?" if inside else ""
        raise OptionError(_holding(name) or told or unknown("protocol", name, names()))
    path = found or name
    module = _imported(path, name)
    if not isinstance(getattr(module, "PROTOCOL", None), Protocol):
        raise OptionError(_holding(name) or f"{path} is not a generated protocol: it does not define PROTOCOL")
    return module


def in_packages(name: str) -> list[str]:
    """The generated protocols of that name in packages that can be imported, with the names of these."""
    if not name.isidentifier():
        return []
    found = (path for folder in sys.path for path in Path(folder or ".").glob(f"*/{name}/parsers.py"))
    return sorted({f"{path.parts[-3]}.{name}" for path in found if path.parts[-3].isidentifier()})


def _is_generated(name: str) -> bool:
    """Whether a package of that name looks generated, without importing it."""
    return any(folder.joinpath("parsers.py").is_file() for folder in _folders(name))


def _holding(name: str) -> str:
    """The hint for a package that contains generated protocols; empty for any other."""
    inside = sorted(path.parent.name for folder in _folders(name) for path in folder.glob("*/parsers.py"))
    return f"{name} is a package; its protocols are {', '.join(f'{name}.{each}' for each in inside)}" if inside else ""


def _folders(name: str) -> list[Path]:
    """The folders of a package of that name; the package that contains it is imported."""
    spec = find_spec(name) if all(map(str.isidentifier, name.split("."))) else None
    return [Path(folder) for folder in (spec.submodule_search_locations if spec else None) or ()]


def _imported(path: str, name: str) -> ModuleType:
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{path}.".startswith(f"{error.name}."):
            raise OptionError(f"unknown protocol {name!r}; there is no module {error.name!r}") from None
        raise OptionError(f"protocol {name!r} cannot be loaded: {error}") from error
    except Exception as error:
        raise OptionError(f"protocol {name!r} cannot be loaded: {type(error).__name__}: {error}") from error


def table(protocol: Protocol) -> "Table":
    """The Arrow table of a generated protocol. Raises ``ModuleNotFoundError`` for a package that it needs."""
    found: Table = import_module(f"{protocol.module}.columnar").TABLE
    return found


def protocol(name: str) -> Protocol:
    """The ``Protocol`` of ``load(name)``."""
    found: Protocol = load(name).PROTOCOL
    return found


@cache
def digest(name: str) -> str:
    """A digest of how the protocol's records are described. Raises ``OSError`` where its source is not installed."""
    import inspect
    from hashlib import blake2b

    parsers = import_module(f"{load(name).__name__}.parsers")
    return blake2b(inspect.getsource(parsers).encode(), digest_size=16).hexdigest()
