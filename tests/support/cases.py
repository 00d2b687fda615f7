"""How many cases a test has, and how they are told.

Those that take less time each than it takes to report them are one test, which names all that fail.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import Any

import pytest
from hypothesis import settings

Test = Callable[..., None]


def each(arguments: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """As ``pytest.mark.parametrize``, but for a single test. Its fixtures are the same for all cases.

    A case is a value, a tuple of values, or a ``pytest.param`` with the name that it goes by.
    """
    names = (arguments,) if isinstance(arguments, str) else arguments
    found = [case if hasattr(case, "marks") else pytest.param(*(case if len(names) > 1 else (case,))) for case in cases]

    def decorate(test: Test) -> Test:
        @wraps(test)
        def of_each(**fixtures: Any) -> None:
            failed: dict[str, BaseException] = {}
            for values, _, name in found:
                try:
                    test(**fixtures, **dict(zip(names, values, strict=True)))
                except (Exception, pytest.fail.Exception) as error:
                    name = name or ", ".join(map(ascii, values))[:200]
                    error.add_note(f"in the case {name}")
                    failed[name] = error
            if failed:
                told = f"{len(failed)} of {len(found)} cases fail: {'; '.join(failed)}"
                raise BaseExceptionGroup(told, list(failed.values()))

        whole = signature(test)
        left = [parameter for name, parameter in whole.parameters.items() if name not in names]
        of_each.__signature__ = whole.replace(parameters=left)  # type: ignore[attr-defined]
        assert len(found) == 1 or not any(case.marks for case in found), "marks are for tests, not for cases"
        for mark in found[0].marks:
            of_each = mark(of_each)
        return of_each

    return decorate


def often(usual: int, thorough: int) -> int:
    """How many times to try what is made up: the ``thorough`` number in ``make fuzz``."""
    return thorough if settings.default == settings.get_profile("thorough") else usual
