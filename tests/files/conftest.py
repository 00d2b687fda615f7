"""Where tests of files put them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from wireloom.files import created, removed

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(params=["memory", "mock"])
def remote(request: pytest.FixtureRequest) -> Iterator[str]:
    """A directory that is not on this machine: on a filesystem of fsspec's, and on one of pyarrow's."""
    directory = f"{request.param}://{uuid4().hex}/top"
    with created(f"{directory}/here"):
        pass
    removed(f"{directory}/here")
    yield directory
    removed(directory)
