"""DBC files, which describe the messages of a CAN bus, read by cantools."""

import logging
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from wireloom_generator import naming
from wireloom_generator.importers import Coverage, Imported, Importer, Outcome, SourceError, Sources
from wireloom_generator.importers.dbc.frames import CLASSIC_BYTES, DATA, record
from wireloom_generator.importers.dbc.layout import Fields, Layout
from wireloom_generator.importers.dbc.leniency import EXTENDED, lenient, marked
from wireloom_generator.importers.dbc.signals import Condition, Signal
from wireloom_generator.problems import Location
from wireloom_generator.spec_text import Hex, Noted, YamlValue, todo

if TYPE_CHECKING:
    from cantools.database.can import Message as CanMessage
    from cantools.database.can.signal import Signal as CanSignal

_MESSAGE = re.compile(r"[ \t]*BO_[ \t]+(\d+)[ \t]+(\w+)[ \t]*:[ \t]*(\d+)")
_SIGNAL = re.compile(r"[ \t]*SG_[ \t]+(\w+)")
_SELECTED = re.compile(r"[ \t]*SG_MUL_VAL_[ \t]")
_RANGE = re.compile(r"(\d+)[ \t]*-[ \t]*(\d+)")
_MOST_LINES = 100_000
"""The most lines of a file, of which cantools reads thousands in a second."""
_MOST_SELECTED = 1 << 16
"""The most numbers of multiplexers in a file, of which cantools keeps each."""
_LONGEST = 64
"""How many bytes a frame of CAN FD carries."""
_LONGEST_MESSAGE = 1785
"""How many bytes a message has that J1939 sends in several frames."""
_NO_MESSAGE = 0xC0000000
"""The number of what is no message: tools keep signals there that are in none."""


def _read(paths: Sequence[Path], sources: Sources, refused: Mapping[Location, str]) -> Imported:
    files: dict[PurePosixPath, Mapping[str, YamlValue]] = {}
    outcomes: list[Outcome] = []
    taken: set[str] = set()
    for path in paths:
        database = _Database(path, sources.text(path), refused)
        name = naming.column_like(path.stem, taken)
        files |= {PurePosixPath(name, f"{file}.yaml"): document for file, document in database.files(name)}
        outcomes += sorted(database.outcomes, key=lambda outcome: outcome.at)
    return Imported(files, tuple(outcomes))


@dataclass(slots=True)
class _Database:
    """A file, and what has become of its messages."""

    path: Path
    text: str
    refused: Mapping[Location, str]
    outcomes: list[Outcome] = field(default_factory=list)
    places: dict[tuple[int, str, str], Location] = field(default_factory=dict)
    """Where messages are by their numbers and names, and their signals by their own names."""
    unmarked: set[int] = field(default_factory=set)
    """The numbers of messages with the mark of extended frames, which the file does not have there."""
    enums: dict[str, YamlValue] = field(default_factory=dict)
    """The values of each enum."""
    declared: set[str] = field(default_factory=set)

    def files(self, name: str) -> Iterator[tuple[str, Mapping[str, YamlValue]]]:
        self._find()
        messages, comment = self._messages()
        fits = [message for message in messages if self._fits(message)]
        has_fd = any(message.is_fd or message.length > CLASSIC_BYTES for message in fits)
        frame, columns = record(has_fd=has_fd, is_j1939=any(message.protocol == "j1939" for message in fits))
        little = sum(s.byte_order == "little_endian" for message in fits for s in message.signals)
        order = "little" if 2 * little >= sum(len(message.signals) for message in fits) else "big"
        yield (
            "protocol",
            {
                "protocol": name,
                "title": f"CAN messages of {self.path.name}",
                **({"doc": comment} if comment else {}),
                "source": {"document": self.path.name},
                "byte_order": order,
                "record": frame,
            },
        )
        taken = {*columns, *naming.ROW, "capture", "protocol", "unknown", "variant"}
        known: dict[int, str] = {}
        groups = [_group(_number(message)) for message in fits if message.protocol == "j1939"]
        for message in fits:
            number = _number(message)
            at = self.place(message)
            if number in known:
                reason = f"{known[number]} has the same identifier"
                self.outcomes.append(Outcome(message.name, at, Coverage.REFUSED, (reason,)))
                continue
            known[number] = message.name
            file = naming.column_like(message.name, taken)
            is_exact = groups.count(_group(number)) > 1
            yield file, _DbcMessage(self, message, at, columns, order, is_exact).document(file)

    def place(self, message: "CanMessage", signal: str = "") -> Location:
        """Where a message is in the file, or one of its signals."""
        found = self.places.get((_number(message), message.name, signal))
        return found or (self.place(message) if signal else Location(self.path, 1, 1))

    def _find(self) -> None:
        """Find where messages and signals are. Raises ``SourceError`` for what would need too much memory."""
        message, selected = (0, ""), 0
        for number, line in enumerate(self.text.splitlines(), 1):
            if number > _MOST_LINES:
                raise SourceError(Location(self.path, number, 1), f"more than {_MOST_LINES:,} lines")
            if begin := _MESSAGE.match(line):
                at = Location(self.path, number, begin.start(1) + 1)
                said = int(begin[1][:20])
                message = marked(said), begin[2]
                self.unmarked |= {message[0]} - {said}
                self.places.setdefault((*message, ""), at)
                if message[0] == _NO_MESSAGE:  # which cantools leaves out
                    reason = "its signals are of no message"
                    self.outcomes.append(Outcome(message[1], at, Coverage.REFUSED, (reason,)))
                if int(begin[3][:20]) > _LONGEST_MESSAGE:
                    raise SourceError(at, f"no message has {begin[3][:20]} bytes; at most {_LONGEST_MESSAGE}")
            elif begin := _SIGNAL.match(line):
                self.places.setdefault((*message, begin[1]), Location(self.path, number, begin.start(1) + 1))
            elif _SELECTED.match(line):
                selected += sum(int(last[:20]) - int(first[:20]) + 1 for first, last in _RANGE.findall(line))
                if selected > _MOST_SELECTED:
                    at = Location(self.path, number, 1)
                    raise SourceError(at, f"more than {_MOST_SELECTED} numbers of multiplexers")

    def _messages(self) -> "tuple[Sequence[CanMessage], str]":
        from cantools.database.can import Database  # slow to import, and needed here alone
        from textparser import ParseError

        logging.getLogger("cantools").addHandler(logging.NullHandler())  # it tells of what is refused below
        text, left_out = lenient(self.path, self.text, {(number, signal) for number, _, signal in self.places})
        self.outcomes += left_out
        database = Database(strict=False)
        try:
            database.add_dbc_string(text)
        except ParseError as error:
            at = Location(self.path, error.line, error.column)
            raise SourceError(at, "not as DBC files are written") from None
        except Exception as error:  # of which its documentation says nothing
            what = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            raise SourceError(Location(self.path, 1, 1), f"cantools cannot read it: {what}") from None
        return database.messages, " ".join(_one_line(bus.comment) for bus in database.buses if bus.comment)

    def _fits(self, message: "CanMessage") -> bool:
        """Whether a message is in one frame."""
        if message.length <= _LONGEST:
            return True
        at = self.place(message)
        reason = f"it has more than {_LONGEST} bytes"
        self.outcomes.append(Outcome(message.name, at, Coverage.REFUSED, (reason,)))
        return False


def _number(message: "CanMessage") -> int:
    """The number of a message, as in the file and in captures: the highest bit is that of extended frames."""
    return message.frame_id | (EXTENDED if message.is_extended_frame else 0)


def _group(number: int) -> int:
    """The parameter group of a number, in its place: without a destination."""
    return number & (0x3FFFF00 if number >> 16 & 0xFF >= 240 else 0x3FF0000)


@dataclass(slots=True)
class _DbcMessage:
    database: _Database
    message: "CanMessage"
    at: Location
    columns: frozenset[str]
    byte_order: str
    is_exact: bool
    """Whether other messages of J1939 are of the same parameter group."""
    reasons: list[str] = field(default_factory=list)

    def document(self, name: str) -> Mapping[str, YamlValue]:
        """The spec of the message."""
        whole = self.database.refused.get(self.at)
        enums: Fields = []
        sections: YamlValue = {DATA: [{"name": "payload", "type": "bytes", "size": "rest"}]}
        if whole is None:
            fields, left_out, enums = self._fields()
            reasons = [f"{each} is left out: {reason}" for each, reason in left_out.items()]
            self.reasons += reasons
            sections = Noted({DATA: fields}, "\n".join(map(todo, reasons)), self.at)
        else:
            self.reasons = [whole]
            sections = Noted(sections, todo(whole), self.at)
        said = Coverage.BYTES if self.reasons else Coverage.WHOLE
        self.database.outcomes.append(Outcome(self.message.name, self.at, said, tuple(dict.fromkeys(self.reasons))))
        doc = _sentences(self.message.comment, self._sent())
        is_unmarked = _number(self.message) in self.database.unmarked
        mark = (
            "An extended frame, as its identifier has more than 11 bits; the file does not say so."
            if is_unmarked
            else ""
        )
        return {
            "message": name,
            "title": self.message.name,
            **({"doc": doc} if doc else {}),
            "source": {"document": self.at.path.name, "section": f"line {self.at.line}"},
            "match": Noted(self._match(), mark, self.at),
            **({"enums": enums} if enums else {}),
            **({"sections": sections} if self.message.length else {}),
        }

    def _sent(self) -> str:
        """Who sends it, and how often."""
        senders = [name for name in self.message.senders if name != "Vector__XXX"]
        by = f"by {' and '.join(senders)}" if senders else ""
        every = f"every {self.message.cycle_time} ms" if self.message.cycle_time else ""
        return f"Sent {' '.join(filter(None, [by, every]))}." if by or every else ""

    def _match(self) -> dict[str, YamlValue]:
        number = _number(self.message)
        if "pdu_format" not in self.columns:
            return {"can_id": Hex(number)}
        if self.message.protocol != "j1939" or self.is_exact:
            return {"is_extended": bool(number & EXTENDED), "can_id": Hex(number)}
        group = number >> 16 & 0xFF
        specific = {"pdu_specific": Hex(number >> 8 & 0xFF)} if group >= 240 else {}
        pages = {"extended_data_page": bool(number >> 25 & 1), "data_page": bool(number >> 24 & 1)}
        return {
            "is_extended": True,
            "is_remote": False,
            "is_error": False,
            **pages,
            "pdu_format": Hex(group),
            **specific,
        }

    def _fields(self) -> tuple[Fields, Mapping[str, str], Fields]:
        """The fields of the message, what is left out of them, and enums that no other message has declared."""
        signals = {each.name: each for each in self._signals()}
        length = self.message.length
        left_out = {name: "it ends behind the message" for name, each in signals.items() if each.end > length}
        while True:
            for name, each in signals.items():
                if any(condition.selector.name in left_out for condition in each.conditions):
                    left_out.setdefault(name, "its multiplexer is left out")
            layout = Layout(self.byte_order)
            there = [each for name, each in signals.items() if name not in left_out]
            fields = layout.fields(there, 0, length)
            if not layout.left_out:
                self.reasons += [f"{name}: {reason}" for name, reason in layout.as_bits.items()]
                return fields, left_out, [*self._declared(there)]
            left_out |= layout.left_out

    def _declared(self, signals: Iterable[Signal]) -> Iterator[YamlValue]:
        for signal in signals:
            name = str(signal.keys.get("enum", ""))
            if name and name not in self.database.declared:
                self.database.declared.add(name)
                yield {"name": name, "values": self.database.enums[name]}

    def _signals(self) -> Iterator[Signal]:
        taken = {*self.columns}
        found: dict[str, Signal] = {}
        for each in self.message.signals:
            name = naming.column_like(each.name, taken)
            taken.add(f"{name}_raw")
            found.setdefault(each.name, self._signal(name, each))
        by_name = {each.name: each for each in self.message.signals}
        for each in self.message.signals:
            yield replace(found[each.name], conditions=tuple(_conditions(each, by_name, found)))

    def _signal(self, name: str, signal: "CanSignal") -> Signal:
        little = signal.byte_order == "little_endian"
        start = signal.start if little else signal.start ^ 7
        at = self.database.place(self.message, signal.name)
        plain = Signal(name, start, signal.length, little, noted=Noted("", at=at))
        about = _about(signal)
        reason = self.database.refused.get(at)
        if reason is not None and at != self.at:
            self.reasons.append(f"{signal.name}: {reason}")
            return replace(plain, keys=about, noted=Noted("", todo(reason), at))
        scale, offset = signal.scale, signal.offset
        is_excess = scale == 1 and offset == int(offset) and not signal.is_signed and not signal.is_float
        as_double = {**({"scale": scale} if scale != 1 else {}), **({"offset": offset} if offset else {})}
        meaning: dict[str, YamlValue] = {"as": {"double": as_double}} if as_double and not is_excess else {}
        enum = self._enum(signal, int(offset) if is_excess else 0)
        return replace(
            plain,
            is_signed=signal.is_signed and not signal.is_float,
            is_float=signal.is_float,
            offset=int(offset) if is_excess else 0,
            keys={**meaning, **({"enum": enum} if enum else {}), **about},
            has_enum=bool(enum),
            is_selector=signal.is_multiplexer,
        )

    def _enum(self, signal: "CanSignal", offset: int) -> str:
        """The name of the enum that names the numbers of a signal; it is empty if there is none."""
        lowest = -(1 << signal.length - 1) if signal.is_signed else 0
        numbers = range(lowest, lowest + (1 << signal.length))
        choices = {number: str(text) for number, text in (signal.choices or {}).items() if number in numbers}
        if not choices or signal.is_float or (signal.length == 1 and set(choices) != {0, 1}):
            return ""
        taken: set[str] = set()
        values: Fields = []
        for number, text in choices.items():
            label = _one_line(text) or str(number)
            name = word = re.sub(r"\W+", "_", label, flags=re.ASCII).strip("_") or "value"
            word = name = word if word[0].isalpha() else f"n_{word}"
            if name in taken:
                label = f"{label} ({number})"
            while name in taken:
                name = f"{name}_{number}".replace("-", "minus_")
            taken.add(name)
            values.append({"name": name, "value": number + offset, **({"label": label} if label != name else {})})
        known = self.database.enums
        camel = "".join(part[:1].upper() + part[1:] for part in re.split(r"_+", signal.name)) or "Values"
        camel = camel if camel[0].isalpha() else f"N{camel}"
        candidates = [camel, f"{self.message.name[:1].upper()}{self.message.name[1:]}{camel}".replace("_", "")]
        candidates += [f"{candidates[1]}{number}" for number in range(2, 1000)]
        for candidate in candidates:
            if known.setdefault(candidate, values) == values:
                return candidate
        return ""


def _conditions(
    signal: "CanSignal", by_name: "Mapping[str, CanSignal]", found: Mapping[str, Signal]
) -> Iterable[Condition]:
    """What selects a signal, the outermost multiplexer first."""
    conditions: list[Condition] = []
    seen = {signal.name}
    while (selector := signal.multiplexer_signal) is not None and selector in by_name and selector not in seen:
        seen.add(selector)
        conditions.append(Condition(found[selector], frozenset(signal.multiplexer_ids or ())))
        signal = by_name[selector]
    return reversed(conditions)


def _about(signal: "CanSignal") -> dict[str, YamlValue]:
    """Unit and documentation of a signal."""
    low, high = signal.minimum, signal.maximum
    has_range = low is not None and high is not None and math.isfinite(low) and math.isfinite(high)
    unit = _one_line(signal.unit)
    doc = _sentences(signal.comment, f"{low:.15g} to {high:.15g}." if has_range else "")
    return {**({"unit": unit} if unit else {}), **({"doc": doc} if doc else {})}


def _sentences(comment: str | None, more: str) -> str:
    """A comment, and what else is known."""
    said = _one_line(comment)
    end = "." if said and more and said[-1] not in ".!?:;," else ""
    return " ".join(filter(None, [f"{said}{end}", more]))


def _one_line(text: str | None) -> str:
    return " ".join("".join(each if each.isprintable() else " " for each in str(text or "")).split())


def _is_ours(text: str) -> bool:
    return re.search(r"^[ \t]*(VERSION|BU_|BO_|NS_)\b", text, re.MULTILINE) is not None


IMPORTER = Importer("DBC, messages of a CAN bus", (".dbc",), _is_ours, _read)
