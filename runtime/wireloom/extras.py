"""Packages that only a part of Wireloom needs, and what to install if one is missing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec

_PACKAGES = {"arrow": ("numpy", "pyarrow"), "spark": ("pyspark",)}


@contextmanager
def needed(what: str, extra: str) -> Iterator[None]:
    """Let an import that fails inside say what to install: ``what`` needs the packages of the ``extra``."""
    try:
        yield
    except ModuleNotFoundError as error:
        package, _, _ = (error.name or "another package").partition(".")
        told = f"{what} needs {package}; pip install 'wireloom[{extra}]'"
        raise ModuleNotFoundError(told, name=error.name) from None


def available(**names: Sequence[str]) -> Iterator[str]:
    """Of names that need an extra, which is ``arrow`` or ``spark``, those whose packages are installed."""
    for extra, needing in names.items():
        if all(find_spec(package) for package in _PACKAGES[extra]):
            yield from needing
