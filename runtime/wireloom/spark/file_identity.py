"""Whether a file is still the one of which something was taken: by its size and time, else by some of its bytes."""

from hashlib import blake2b

from wireloom.files import CaptureFile, stored
from wireloom.spark.offsets import TakenFile

AT_ONCE = 32
"""How many files are looked at, or removed, at the same time: a remote one takes much longer than its bytes."""
_ENDS = 512
"""How many of the first and of the last bytes that were taken are looked at."""


def likeness_of(path: str, size: int) -> str:
    """What the first ``size`` bytes of a file look like. Raises ``OSError``."""
    with stored(path) as stream:
        if size <= 4 * _ENDS:
            data = stream.read(size)
            ends = data[:_ENDS] + data[-_ENDS:]
        else:
            ends = stream.read(_ENDS)
            stream.seek(size - _ENDS)
            ends += stream.read(_ENDS)
    return blake2b(ends, digest_size=6).hexdigest()


def must_be_alike(file: CaptureFile, taken: TakenFile) -> None:
    """Raises ``OSError`` if a file is not the one of which something was taken, or was final and has changed."""
    if not taken.unlike(file):
        return
    if file.size < taken.end or (taken.final and file.size != taken.size):
        raise OSError(f"{file.path} has {file.size} bytes now, and had {taken.size} when it was read. {_HELP}")
    if likeness_of(file.path, taken.end) != taken.likeness:
        told = f"its first {taken.end} bytes, which were read already, are others now"
        raise OSError(f"{file.path} was replaced: {told}. {_HELP}")


_HELP = "Give the new capture another name."
