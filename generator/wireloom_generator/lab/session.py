"""What one page of the lab shows: drafts of specs, a capture, and the last protocol that the drafts were without error.

Nothing here knows of pages. Whoever calls decides in which thread: ``check`` and ``RecordIndex.build`` take time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wireloom.codec import Protocol
from wireloom.options import SOUGHT, OptionError, resolve
from wireloom_generator import examples
from wireloom_generator.lab import compiling, rendering
from wireloom_generator.lab.capture_bytes import CaptureBytes
from wireloom_generator.lab.compiling import CheckedDrafts, Compiled
from wireloom_generator.lab.overview import drawn, overview
from wireloom_generator.lab.record_index import FoundRecords, RecordIndex
from wireloom_generator.lab.recorded_index import index_of
from wireloom_generator.lab.worked_example import NoExampleError, example_of, with_example
from wireloom_generator.lab.workspace import SpecDrafts
from wireloom_generator.problems import Problem, Severity

RAW_BYTES = 1024
"""How many bytes of a capture are shown while no spec says where its records are."""


@dataclass(frozen=True, slots=True)
class RecordView:
    """A record as it is shown: HTML of its bytes and fields, a line that describes it, and why it is malformed."""

    number: int | None
    headline: str
    reason: str
    bytes: str
    tree: str


@dataclass(frozen=True, slots=True)
class RecordFilter:
    """Which records are listed: those of ``messages``, or of any without; only malformed ones; those with a text."""

    messages: tuple[str, ...] = ()
    malformed: bool = False
    text: str = ""

    @property
    def is_every(self) -> bool:
        return not (self.messages or self.malformed or self.text)


class Session:
    """What is shown of a workspace. Without a ``capture``, its bytes are those of the worked examples.

    ``parameters`` are those of the protocol, as text.
    """

    def __init__(
        self, workspace: SpecDrafts, capture: CaptureBytes | None = None, parameters: Mapping[str, str] | None = None
    ) -> None:
        self.workspace = workspace
        self.given = capture
        self.parameters = dict(parameters or {})
        self.path = next((path for path in workspace.files if path.name == "protocol.yaml"), workspace.files[0])
        self.folder = workspace.folder(self.path)
        self.problems: tuple[Problem, ...] = ()
        self.compiled: Compiled | None = None
        self.index: RecordIndex | None = None
        self.note = ""
        """Why records are not decoded, although the spec is right."""
        self.wanted = RecordFilter()
        self._numbers: tuple[tuple[int, RecordFilter], Any] | None = None

    @property
    def errors(self) -> int:
        return sum(problem.severity is Severity.ERROR for problem in self.problems)

    @property
    def is_stale(self) -> bool:
        """Whether what is shown is of earlier drafts, as the present ones have an error."""
        return bool(self.note) or any(
            problem.severity is Severity.ERROR and problem.rule != examples.RULE for problem in self.problems
        )

    @property
    def capture(self) -> CaptureBytes:
        """The capture, or the bytes of the worked examples of the protocol, one after the other."""
        if self.given is not None:
            return self.given
        messages = () if self.compiled is None else self.compiled.protocol.messages
        worked = (each for message in messages for each in message.examples if each.malformed is None)
        return CaptureBytes("worked examples", b"".join(each.data for each in worked))

    def open(self, path: Path) -> None:
        """Show another file of the specs. Its protocol is what is decoded by; a library has none."""
        self.path = path
        folder = self.workspace.folder(path)
        if any(each.name == "protocol.yaml" and self.workspace.folder(each) == folder for each in self.workspace.files):
            self.folder = folder

    def check(self) -> CheckedDrafts:
        """The drafts as they are now, checked."""
        return compiling.check(self.folder, self.workspace.texts)

    def adopt(self, check: CheckedDrafts) -> RecordIndex | None:
        """Take what was checked. The index that has to be built, if the drafts are right; else what was there stays."""
        self.problems, self.note = check.problems, ""
        if check.compiled is None:
            return None
        try:
            parameters = resolve(check.compiled.codec.parameters, self.parameters)
        except OptionError as error:
            self.note = f"{error}; start the lab with -P NAME=VALUE"
            return None
        if self.index is not None:
            self.index.stop()
        self.compiled, self._numbers = check.compiled, None
        self.index = index_of(check.compiled.codec, self.capture, parameters)
        return self.index

    def fail_examples(self, problems: Sequence[Problem]) -> None:
        """Add the problems of worked examples, which are run last."""
        self.problems = (*self.problems, *problems)

    @property
    def found(self) -> FoundRecords | None:
        return None if self.index is None else self.index.found

    def numbers(self) -> Any:
        """The numbers of the records that are listed, in order; a range if these are all."""
        if self.index is None:
            return range(0)
        count = len(self.index.found)
        if self.wanted.is_every:
            return range(count)
        if self._numbers is None or self._numbers[0] != (count, self.wanted):
            wanted = self.wanted
            found = self.index.numbers(wanted.messages, malformed=wanted.malformed, text=wanted.text)
            self._numbers = (count, wanted), found
        return self._numbers[1]

    def rows(self, start: int, stop: int) -> list[dict[str, Any]]:
        """Some of the listed records, as rows of a table."""
        index = self.index
        return [] if index is None else [self._row(index, int(number)) for number in self.numbers()[start:stop]]

    def _row(self, index: RecordIndex, number: int) -> dict[str, Any]:
        inspected, _ = index.inspected(number)
        return {
            "number": number,
            "offset": f"{inspected.offset:#x}",
            "length": int(index.found.length[number]),
            "message": " ".join(name for name in (inspected.message, inspected.variant) if name) or "–",
            "values": inspected.reason or rendering.summary(inspected, index.names),
            "malformed": inspected.error is not None,
        }

    def record(self, number: int | None) -> RecordView:
        """A record, or bytes of the capture's beginning if there is none of that number."""
        index, compiled = self.index, self.compiled
        if index is None or compiled is None or number is None or number >= len(index.found):
            raw = rendering.unknown_bytes(self.capture.read(0, RAW_BYTES), 0)
            headline = f"{self.capture.name}: the first {len(raw.data)} bytes" if raw.data else ""
            return RecordView(None, headline, "", rendering.bytes_of(raw), "")
        inspected, header = index.inspected(number)
        tree = rendering.tree_of(inspected, lambda names: compiled.line_of(inspected, names, header=header))
        length = int(index.found.length[number])
        rest = f", the first of {length:,}" if length > len(inspected.data) else ""
        origin = index.origin(number)
        headline = inspected.headline(number) + rest + (f", {origin}" if origin else "")
        return RecordView(number, headline, inspected.reason, rendering.bytes_of(inspected), tree)

    def message(self, number: int | None) -> str | None:
        """The message of a record, if it is known."""
        return None if self.index is None or number is None else self.index.inspected(number)[0].message

    def nearest(self, offset: int) -> int | None:
        """The number of the record at a byte of the capture, or of the last one before it."""
        found = self.found
        if found is None or not len(found):
            return None
        number = found.at(offset)
        return len(found) - 1 if number is None else number

    def at_place(self, share: float, *, by_time: bool) -> int | None:
        """The number of the first record in the picture from a place on, given as a ``share`` of its width."""
        found, index = self.found, self.index
        if found is None or index is None or not len(found):
            return None
        if not by_time:
            return self.nearest(min(int(share * index.capture.size), index.capture.size - 1))
        shown = self._overview(by_time=True)
        wanted = shown.first + share * (shown.last - shown.first)
        return int(abs(found.time.astype(float) - wanted).argmin())

    def _overview(self, *, by_time: bool) -> Any:
        assert self.index is not None
        return overview(self.index.capture, self.index.found, self.index.names, by_time=by_time)

    def picture(self, *, by_time: bool) -> str:
        """The picture of the capture as HTML; nothing if there is none."""
        return drawn(self._overview(by_time=by_time), time_text) if self.index is not None else ""

    def example(self, number: int, name: str) -> tuple[Path, str, int]:
        """The file of a record's message, its text with the record as one more worked example, and the line of that.

        Raises ``NoExampleError``.
        """
        if self.index is None or self.compiled is None:
            raise NoExampleError("no record is decoded")
        inspected, header = self.index.inspected(number)
        message = next((each for each in self.compiled.protocol.messages if each.name == inspected.message), None)
        if header or (inspected.message is not None and message is None):
            raise NoExampleError("it is the header of the capture, which has no worked examples")
        codec, parameters = self.compiled.codec, self.index.known(number)
        error = None if inspected.error is None else inspected.error.code
        row = codec.decode(inspected.data, parameters, little=inspected.byte_order == "little") if error is None else {}
        example = example_of(name, inspected.data, row, inspected.message, error, _needed(codec, parameters))
        assert message is not None and message.path is not None
        if message.path not in self.workspace.drafts:
            raise NoExampleError(f"its message is in {message.path}, which is not among the specs that were named")
        text, line = with_example(self.workspace.drafts[message.path].text, example)
        return message.path, text, line


def _needed(codec: Protocol, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that reading a single record needs: those that do not have their defaults."""
    sought = parameters.get(SOUGHT, ())
    return {
        each.name: parameters[each.name]
        for each in codec.parameters
        if each.name in parameters and each.name not in sought and parameters[each.name] != each.default
    }


def time_text(nanoseconds: int) -> str:
    """A time in nanoseconds since the Unix epoch, to the second."""
    try:
        return datetime.fromtimestamp(nanoseconds / 1_000_000_000, UTC).isoformat(sep=" ", timespec="seconds")[:19]
    except (OverflowError, ValueError, OSError):
        return f"{nanoseconds} ns"
