"""A stream of bytes as windows, piece by piece."""

from collections.abc import Callable, Iterator

from wireloom.columnar.read_buffers import fresh, shrunk
from wireloom.columnar.scanning import Window
from wireloom.compressed import DamagedFileError
from wireloom.kinds import ReadInto


class Pieces:
    """Windows over a stream, about ``size`` bytes at a time, each in memory of its own.

    After each window its consumer says with ``keep`` from which position on it needs the bytes again. ``final`` is
    whether the capture ends where the stream ends. Damage that it ``bears`` is such an end, and an error otherwise.
    """

    def __init__(
        self,
        readinto: ReadInto,
        size: int,
        base: int,
        final: bool,
        bears: Callable[[DamagedFileError], bool] = lambda _: False,
    ) -> None:
        self.readinto = readinto
        self.size = size
        self.bears = bears
        self.window = Window(b"", base, final=False)
        self.final = final
        self.damage: DamagedFileError | None = None

    def __iter__(self) -> Iterator[Window]:
        ended = False
        while not ended:
            rest, size = self.window.buffer, self.size
            memory = fresh(len(rest) + size, small=not rest)
            memory[: len(rest)] = rest
            count, failure = self._filled(memoryview(memory)[len(rest) :])
            ended = count < size
            if isinstance(failure, DamagedFileError) and self.bears(failure):
                self.damage, failure = failure, None
            final = ended and self.final and failure is None
            self.window = Window(shrunk(memory, len(rest) + count) if ended else memory, self.window.base, final)
            yield self.window
            if failure is not None:
                raise failure

    def _filled(self, memory: memoryview) -> tuple[int, OSError | None]:
        """How many bytes were read until the memory was full, or to where the stream ends or cannot be read, with the
        error.
        """
        count = 0
        try:
            while count < len(memory) and (more := self.readinto(memory[count:])):
                count += more
        except OSError as error:
            return count, error
        return count, None

    def keep(self, position: int) -> None:
        """Forget the bytes before ``position``."""
        window = self.window
        self.window = Window(window.buffer[position:], window.base + position, window.final)
        if not position:
            self.size *= 2  # a record larger than a piece is not to be copied piece by piece
