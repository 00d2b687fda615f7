"""Values of a row that another implementation tells of."""

from collections.abc import Mapping
from typing import Any


def among(found: Any, expected: Any) -> Any:
    """What was found, without what is not ``expected``."""
    match expected:
        case Mapping():
            return {key: among(found[key], value) for key, value in expected.items()} if found else found
        case list() if isinstance(found, list):
            return (
                [among(*both) for both in zip(found, expected, strict=True)] if len(found) == len(expected) else found
            )
        case _:
            return found
