"""What tests of programs share."""

from typing import Any

import numpy as np
import pytest

from wireloom.columnar.execution.decoding import Machine


@pytest.fixture
def accepted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many records programs accept, each time that they decode some."""
    found: list[int] = []
    decode = Machine.decode

    def counted(self: Machine, *given: Any) -> Any:
        decoded = decode(self, *given)
        found.append(np.count_nonzero(~decoded.doubtful))
        return decoded

    monkeypatch.setattr(Machine, "decode", counted)
    return found
