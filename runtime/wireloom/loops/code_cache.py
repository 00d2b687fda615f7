"""Machine code kept for other processes, in the user's cache folder.

Nothing depends on it: where there is no such folder, or it cannot be written, code is made anew in each process. The
folder is ``WIRELOOM_CACHE``, or else ``wireloom`` where the system keeps caches.
"""

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

_MOST = 4096
"""So many files are kept at most."""
_SUFFIX = ".o"
_CHECK = hashlib.sha256


def has(name: str) -> bool:
    """Whether code is kept under that name."""
    folder = _folder()
    return folder is not None and (folder / (name + _SUFFIX)).exists()


def found(name: str, make: Callable[[], bytes]) -> bytes:
    """The code under that name, which is made, and kept, if there is none."""
    folder = _folder()
    if folder is None:
        return make()
    path = folder / (name + _SUFFIX)
    with suppress(OSError):
        data = path.read_bytes()
        check, code = data[: _CHECK().digest_size], data[_CHECK().digest_size :]
        if _CHECK(code).digest() == check:
            return code
    code = make()
    with suppress(OSError):
        _keep(path, _CHECK(code).digest() + code)
    return code


def _keep(path: Path, data: bytes) -> None:
    from tempfile import NamedTemporaryFile  # here, as few processes keep anything

    files = list(path.parent.glob(f"*{_SUFFIX}"))
    if len(files) >= _MOST:
        for old in sorted(files, key=lambda file: file.stat().st_mtime)[: _MOST // 2]:
            old.unlink(missing_ok=True)
    with NamedTemporaryFile(dir=path.parent, suffix=_SUFFIX, delete=False) as file:
        new = Path(file.name)
        try:
            file.write(data)
            file.close()
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)


@cache
def _folder() -> Path | None:
    """The folder, which nobody else may write to; None if there is none."""
    said = os.environ.get("WIRELOOM_CACHE")
    try:
        folder = Path(said) if said else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wireloom"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = folder.stat()
    except (OSError, RuntimeError):
        return None
    mine = os.name == "nt" or (state.st_uid == os.getuid() and not state.st_mode & 0o022)
    return folder if mine and os.access(folder, os.W_OK) else None
