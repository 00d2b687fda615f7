"""Reading what batches of a stream have taken of files."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from hashlib import blake2b

import pyarrow as pa

from wireloom import registry
from wireloom.columnar import scans
from wireloom.columnar.decoder import Decoder
from wireloom.columnar.following import Follower, Reach
from wireloom.columnar.gathering import Gatherer
from wireloom.columnar.index import Reading
from wireloom.columnar.scanning import Cuts
from wireloom.columnar.scans import LOG, FilePart, Rotated
from wireloom.columnar.traffic.opening import LeavesOut, LeavingOut, is_recorded, recordings
from wireloom.columnar.traffic.packet_stats import PacketStats
from wireloom.columnar.traffic.reading import Traffic
from wireloom.columnar.traffic.resuming import UnfitStateError, resumed, suspended
from wireloom.files import CaptureFile, file_at, opened, replacing
from wireloom.kinds import Recording
from wireloom.spark.file_identity import must_be_alike
from wireloom.spark.log import note, noted
from wireloom.spark.offsets import TakenFile
from wireloom.spark.partition_planning import Divider
from wireloom.spark.reading import CaptureReader


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenPart(FilePart):
    """A part of the ``taken`` bytes of a file. Some of them were taken ``before``, unless the file is new.

    The last part has no ``stop``: it ends where the taken bytes determine no more records. That place can be noted in
    the folder ``notes``.
    """

    taken: TakenFile
    before: TakenFile | None = None
    notes: str | None = None

    @property
    def final(self) -> bool:
        return self.taken.final


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenFiles(Rotated):
    """Files of one recording that were ``taken``, as many as there are ``files``. The first ones, of which there are
    ``earlier``, were read before.

    How conversations went on is kept at ``before``, and from now on at ``after``.
    """

    taken: tuple[TakenFile, ...]
    earlier: int = 0
    before: str | None = None
    after: str | None = None


class TakenReader(CaptureReader):
    """Reads what batches of a stream have taken, after checking that it is still there."""

    def parts(
        self, path: str, before: TakenFile | None, taken: TakenFile, *, most: int, notes: str | None
    ) -> list[tuple[TakenPart, int]]:
        """The parts of the bytes taken since, with their sizes: a new file is split as in batch reads."""
        if before is not None or taken.end < taken.size:
            begun = 0 if before is None else before.end
            return [(TakenPart(path, taken=taken, before=before, notes=notes), taken.end - begun)]
        divider = Divider(self.protocol, self.options, taken.final)
        found = divider.parts(CaptureFile(path, taken.size, taken.modified), most)
        if not taken.final:  # an incomplete record at the end may begin before these, and then they are none
            latest = max(0, taken.end - self.options.max_record_bytes)
            found = [(part, size) for part, size in found if part.start <= latest]
            last, _ = found[-1]
            found[-1] = replace(last, stop=None), taken.end - last.start
        return [(_of(part, taken), size) for part, size in found]

    def _read(self, part: FilePart, gatherer: Gatherer) -> Iterator[pa.RecordBatch]:
        if isinstance(part, TakenFiles):
            return super()._read(part, gatherer)
        assert isinstance(part, TakenPart)
        _must_be_there(part.path, part.taken, part.start if part.before is None else part.before.end)
        whole = part.taken.final and not part.start and part.before is None
        compressed = not CaptureFile(part.path, 0, 0).splittable
        apart = compressed or part.followed or (whole and is_recorded(part.path, self.protocol, self.options))
        return scans.gathered(part, gatherer, scans.cut if apart else self._followed)

    def _followed(self, decoder: Decoder, part: FilePart) -> Iterator[Cuts]:
        """All records after the bytes taken before. Those are followed, from the place in a note."""
        assert isinstance(part, TakenPart)
        reach, begun, taken = Reach(part.start), part.start, part.taken
        if part.before is not None:
            begun = part.before.end
            reach = reach if part.notes is None else noted(part.notes, part.path, self._bytes(part.before), begun)
        follower = Follower(decoder, part.path, reach)
        yield from follower.between(begun, taken.end, final=taken.final)
        if part.notes is not None and not taken.final:
            with suppress(OSError):  # the next task does without
                note(part.notes, part.path, self._bytes(taken), follower.reach)

    def _rotated(self, decoder: Decoder, part: FilePart) -> Iterator[Cuts]:
        """What files add to the recording that others began."""
        assert isinstance(part, TakenFiles)
        traffic = Traffic(decoder)
        if part.before is not None:
            try:
                with opened(part.before) as stream:
                    traffic = resumed(decoder, registry.digest(self.protocol), stream.read())
            except (OSError, UnfitStateError) as error:
                LOG.warning("wireloom: conversations start again, because their saved state cannot be read: %s", error)
        files = list(zip(part.files, part.taken, strict=True))
        for _ in traffic.found(self._recordings(files[: part.earlier], lambda _: True), final=False):
            pass
        traffic.stats = PacketStats()
        yield from traffic.cuts(self._recordings(files[part.earlier :], self.source.leaves_out), final=False)
        if part.after is not None:
            with suppress(OSError), replacing(part.after) as stream:  # the next task does without
                stream.write(suspended(traffic, registry.digest(self.protocol)))

    def _recordings(self, files: Iterable[tuple[str, TakenFile]], leaves_out: LeavesOut) -> Iterator[Recording]:
        return recordings(_still_there(files, leaves_out), self.protocol, self.options, leaves_out)

    def _bytes(self, taken: TakenFile) -> str:
        """An identifier of the taken bytes, and of how they are read."""
        reading = Reading.of(registry.protocol(self.protocol).name, registry.digest(self.protocol), self.options)
        told = repr((taken.end, taken.likeness, reading))
        return blake2b(told.encode(), digest_size=16).hexdigest()


def _of(part: FilePart, taken: TakenFile) -> TakenPart:
    return TakenPart(**{field.name: getattr(part, field.name) for field in fields(part)}, taken=taken)


def _still_there(files: Iterable[tuple[str, TakenFile]], leaves_out: LeavesOut) -> Iterator[str]:
    """The files without those that are gone or changed. Raises ``OSError`` unless it is to be skipped."""
    for path, taken in files:
        with LeavingOut(leaves_out):
            _must_be_there(path, taken, 0)
            yield path


def _must_be_there(path: str, taken: TakenFile, begun: int) -> None:
    """Raises ``OSError`` if a file, to be read from byte ``begun`` on, has changed since it was taken."""
    try:
        file = file_at(path)
    except FileNotFoundError:
        raise FileNotFoundError(f"{path} is gone, but was still to be read from byte {begun} on") from None
    must_be_alike(file, taken)
