"""What tests of the program read."""

from pathlib import Path

import pytest

from cli.calls import CUT_OFF, MARKER, UNKNOWN


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    """A capture with a known, an unknown and a malformed record."""
    path = tmp_path / "capture.bin"
    path.write_bytes(MARKER + UNKNOWN + CUT_OFF)
    return path
