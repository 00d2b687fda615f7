"""Packages that only a part of Wireloom needs, and what to install if one is missing."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needed(what: str, extra: str) -> Iterator[None]:
    """Let an import that fails inside say what to install: ``what`` needs the packages of the ``extra``."""
    try:
        yield
    except ModuleNotFoundError as error:
        package, _, _ = (error.name or "another package").partition(".")
        told = f"{what} needs {package}; pip install 'wireloom[{extra}]'"
        raise ModuleNotFoundError(told, name=error.name) from None
