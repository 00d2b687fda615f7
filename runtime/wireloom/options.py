"""The options of readers: the mode, the protocol's parameters, and the largest size of a record.

They are parsed and checked here for the Python API, the command line and Spark.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, Union

from wireloom.coercion import plain, whole_number

if TYPE_CHECKING:
    from ipaddress import IPv4Network, IPv6Network

_Word = TypeVar("_Word", bound=StrEnum)
Network = Union["IPv4Network", "IPv6Network"]

MAX_RECORD_BYTES = 64 * 1024 * 1024
"""A record that claims to be longer is malformed, and so is everything after it."""
MAX_STREAM_BYTES = 64 * 1024 * 1024
"""How many bytes wait for missing packets before those count as lost."""
MOST_RECORD_BYTES = 1 << 30
"""The largest bound for tables: in Arrow and Spark, the values of a column in a batch must be less than 2 GiB together.
"""


class OptionError(ValueError):
    """An option is unknown or has a wrong value; the message names it and what is allowed."""


class Mode(StrEnum):
    """What happens to a malformed record, as in Spark's own sources."""

    PERMISSIVE = "PERMISSIVE"
    DROPMALFORMED = "DROPMALFORMED"
    FAILFAST = "FAILFAST"

    @classmethod
    def of(cls, value: str) -> "Mode":
        """The mode called ``value``, in any case."""
        try:
            return cls(value.upper())
        except ValueError:
            raise OptionError(f"mode must be one of {', '.join(cls)}, not {shown(value)}") from None


class Resync(StrEnum):
    """Where a reader continues after bytes that are not a record, if the protocol allows it.

    ``PROOF``: only where a checksum or a terminator identifies a record. ``CHAIN``: also where records fit one after
    another, which is a guess.
    """

    CHAIN = "chain"
    PROOF = "proof"


class CaptureKind(StrEnum):
    """What a file holds: records end to end, or recorded packets. With ``AUTO``, its first bytes decide."""

    AUTO = "auto"
    RAW = "raw"
    PCAP = "pcap"
    PCAPNG = "pcapng"


class Sender(StrEnum):
    """Which side's records are read from recorded packets."""

    BOTH = "both"
    CLIENT = "client"
    SERVER = "server"


class TableTypes(StrEnum):
    """For whom tables are made: the consumer whose types the columns have.

    ``SPARK``: those of Spark, which has no unsigned integers. ``ARROW``: the natural ones of Arrow.
    """

    SPARK = "spark"
    ARROW = "arrow"
    DELTA = "delta"
    ICEBERG = "iceberg"
    DUCKDB = "duckdb"
    POLARS = "polars"
    PANDAS = "pandas"

    @classmethod
    def of(cls, name: str) -> "TableTypes":
        """The types of the consumer of that name, in any case. Raises ``OptionError``."""
        return _table_types("types", name)


Only = Collection[str] | None
"""The names of the messages that are wanted; None means all."""


def only_of(message: str | None, messages: Iterable[str] | None) -> Only:
    """The messages that the options ``message`` and ``messages`` select. Raises ``OptionError`` if both are given."""
    if message is None:
        return None if messages is None else frozenset(messages)
    if messages is not None:
        raise OptionError("message and messages exclude each other; give one of them")
    return frozenset((message,))


ParameterValue = bool | int | str
"""The value of a parameter."""


class Parameter(NamedTuple):
    """A fact that is not in the bytes: a choice, a whole number, text, or else a truth value.

    It is one of the ``choices``, a number within ``bounds``, or any ``text``; without these, it is true or false. Rows
    have each parameter that is a ``column``, and writing takes it from them. One without a ``default`` comes from the
    header of a capture, and must be given for single records. One that is ``found`` in a capture has its default only
    if the capture does not contain it.
    """

    name: str
    default: ParameterValue | None = None
    choices: tuple[str, ...] = ()
    bounds: tuple[int, int] | None = None
    text: bool = False
    column: bool = False
    found: bool = False

    @property
    def assumed(self) -> ParameterValue:
        """The default, or a value to assume where no record is decoded: no text, 0, or false."""
        if self.default is not None:
            return self.default
        return "" if self.text else False if self.bounds is None else 0

    def value_of(self, value: object) -> ParameterValue:
        """``value``, which may be text from a command line, as a value of this parameter."""
        known = truth = None
        with suppress(Exception):  # whatever the value's own class raises
            known = plain(value)
        if self.bounds is not None:
            return self._number(known, value, *self.bounds)
        if self.choices:
            if known in self.choices:
                return str(known)
            raise OptionError(f"{self.name} must be one of {', '.join(self.choices)}, not {shown(value)}")
        if self.text:
            if isinstance(known, str):
                return known
            raise OptionError(f"{self.name} must be text, not {shown(value)}")
        with suppress(Exception):
            truth = {"true": True, "false": False, "1": True, "0": False}.get(str(known).lower())
        if truth is None:
            raise OptionError(f"{self.name} must be true or false, not {shown(value)}")
        return truth

    def _number(self, known: object, value: object, least: int, most: int) -> int:
        with suppress(ValueError, TypeError):  # also for more digits than Python reads
            number = int(known, 0) if isinstance(known, str) else whole_number(known)
            if isinstance(number, int) and least <= number <= most:
                return number
        raise OptionError(f"{self.name} must be a whole number from {least} to {most}, not {shown(value)}")


def shown(value: object) -> str:
    """A value as an error shows it, shortened if it is long."""
    try:
        text = repr(value)
    except Exception:  # an integer with more digits than Python shows, or whatever the value's own class raises
        return f"this {type(value).__name__}"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


_LONGEST = 80


SOUGHT = "?"
"""The key, among the values of parameters, for the names of those to be found in the capture."""


class U64Type(StrEnum):
    """How unsigned 64-bit numbers are returned.

    ``DECLARED``: as a long if the spec bounds them below 2^63, so that a larger one makes its record malformed.
    ``DECIMAL``: always as decimal(20,0). ``LONG``: as if the spec bounded every field.
    """

    DECLARED = "declared"
    DECIMAL = "decimal"
    LONG = "long"

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> "U64Type":
        """The type in these parameters, which need not be resolved."""
        return _U64_TYPES[parameters.get("u64", "declared")]


_U64_TYPES = {each.value: each for each in U64Type}  # looked up per record; the class takes ten times as long
U64 = Parameter("u64", U64Type.DECLARED.value, tuple(each.value for each in U64Type))
"""The parameter that every protocol has."""


_NO_PARAMETERS: Mapping[str, ParameterValue] = {}


class ReadOptions(NamedTuple):
    """How captures are read: the options that the command line and Spark share. ``parameters`` are resolved.

    ``columns`` are the selected ones, a field of a struct as ``struct.field``; None means all. At most one of
    ``message`` and ``messages`` is given.

    Packets are read if their server is at one of the ``ports`` and one of their ends is in one of the networks
    ``hosts``. None means the ports that the protocol declares, and all hosts; no ports means all of them. With
    ``tunnels``, the packets inside tunnels count. If they are ``rotated``, files are parts of one recording.
    ``max_stream_bytes`` is how many bytes of all streams together may wait for missing packets.
    """

    mode: Mode = Mode.PERMISSIVE
    message: str | None = None
    messages: tuple[str, ...] | None = None
    labels: bool = True
    positions: bool = False
    columns: tuple[str, ...] | None = None
    corrupt_column: str = "_corrupt_record"
    max_record_bytes: int = MAX_RECORD_BYTES
    resync: Resync = Resync.CHAIN
    capture: CaptureKind = CaptureKind.AUTO
    connections: bool = False
    ports: frozenset[int] | None = None
    hosts: tuple[Network, ...] | None = None
    direction: Sender = Sender.BOTH
    tunnels: bool = False
    rotated: bool = False
    max_stream_bytes: int = MAX_STREAM_BYTES
    parameters: Mapping[str, ParameterValue] = _NO_PARAMETERS

    @property
    def only(self) -> Only:
        """The messages whose records are selected; malformed records without a message are always."""
        return only_of(self.message, self.messages)

    @classmethod
    def of(
        cls,
        given: Mapping[str, object],
        parameters: Iterable[Parameter],
        messages: Iterable[str],
        mode: Mode = Mode.PERMISSIVE,
        others: Iterable[str] = (),
    ) -> "ReadOptions":
        """The options, including parameters, from those ``given`` by the names that users write, in any case.

        ``mode`` is the default mode. ``others`` are names that are read elsewhere. Raises ``OptionError``.
        """
        known = {parameter.name: parameter for parameter in parameters}
        names = {name.lower(): name for name in (*READING, *others, *known)}
        read: dict[str, object] = {"mode": mode}
        chosen: dict[str, object] = {}
        for name, value in given.items():
            canonical = names.get(name.lower())
            if canonical is None:
                raise OptionError(unknown("option", name, names.values()))
            if canonical in known:
                chosen[canonical] = value
        read |= read_by(READING, {name: value for name, value in given.items() if names[name.lower()] not in known})
        found = cls(**read, parameters=resolve(known.values(), chosen))  # type: ignore[arg-type]
        every = tuple(messages)
        for name in found.only or ():
            if name not in every:
                raise OptionError(unknown("message", name, every))
        return found


def positive(name: str, value: str, what: str) -> int:
    """The text of an option as a number above 0. Raises ``OptionError``."""
    if not re.fullmatch("[0-9]{1,18}", value) or int(value) == 0:
        raise OptionError(f"{name} must be a positive number of {what}, not {shown(value)}")
    return int(value)


_SIZE = re.compile(r"([0-9]{1,18})(?:([kmgtp]?)b?)", re.IGNORECASE)


def size(name: str, value: str) -> int:
    """The text of an option as a number of bytes above 0; ``64m`` and ``64MB`` are 64 MiB, as in Spark's settings.

    Raises ``OptionError``.
    """
    if (found := size_or_zero(name, value)) == 0:
        raise OptionError(f"{name} must be a positive number of bytes, not {shown(value)}")
    return found


def size_or_zero(name: str, value: str) -> int:
    """As ``size``, but 0 is also allowed."""
    found = _SIZE.fullmatch(value.strip())
    if found is None:
        raise OptionError(f"{name} must be a number of bytes, such as 65536 or 64m, not {shown(value)}")
    return int(found[1]) << (10 * " kmgtp".index(found[2].lower() or " "))


def _record_bytes(name: str, value: str) -> int:
    found = size(name, value)
    if found > MOST_RECORD_BYTES:
        raise OptionError(f"{name} must be at most {MOST_RECORD_BYTES}, not {value}; tables cannot hold longer values")
    return found


def truth(name: str, value: str) -> bool:
    """The text of an option as true or false. Raises ``OptionError``."""
    return bool(Parameter(name, default=False).value_of(value))


def _names(name: str, value: str) -> tuple[str, ...]:
    names = tuple(part.strip() for part in value.split(","))
    if not all(names):
        raise OptionError(f"{name} must be a comma-separated list of names, not {shown(value)}")
    return names


class TextOption(NamedTuple):
    """An option: the field that it sets, the function that reads its text, and its row in the tables of ``docs``.

    Its default is that of the field. ``about`` is Markdown.
    """

    sets: str
    read: Callable[[str, str], object]
    type: str
    example: str
    about: str


Options = Mapping[str, TextOption]
"""Options by their names."""


def read_by(options: Options, given: Mapping[str, object]) -> dict[str, object]:
    """The fields that the ``given`` options set, in any case; unknown options are ignored. Raises ``OptionError``."""
    names = {name.lower(): name for name in options}
    read: dict[str, object] = {}
    for name, value in given.items():
        canonical = names.get(name.lower())
        if canonical is not None:
            option = options[canonical]
            told = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            read[option.sets] = option.read(canonical, told)
    return read


def _choice(kinds: type[_Word]) -> Callable[[str, str], _Word]:
    """A function that reads one of these words, in any case."""

    def read(name: str, value: str) -> _Word:
        known = {each.value: each for each in kinds}
        if value.lower() not in known:
            raise OptionError(unknown(name, value, known))
        return known[value.lower()]

    return read


resync_of = _choice(Resync)
_table_types = _choice(TableTypes)


def _ports(name: str, value: str) -> frozenset[int]:
    if value.strip().lower() == "all":
        return frozenset()
    found = _names(name, value)
    if not all(re.fullmatch("[0-9]{1,5}", port) and 0 < int(port) < 1 << 16 for port in found):
        raise OptionError(f"{name} must be all, or a comma-separated list of ports, not {shown(value)}")
    return frozenset(map(int, found))


def _hosts(name: str, value: str) -> tuple[Network, ...]:
    from ipaddress import ip_network  # slow to import, and rarely needed

    try:
        return tuple(ip_network(host, strict=False) for host in _names(name, value))
    except ValueError:
        what = "a comma-separated list of addresses and networks, such as 10.0.0.7,fd00::/8"
        raise OptionError(f"{name} must be {what}, not {shown(value)}") from None


def text(_: str, value: str) -> str:
    """The text of an option as it is."""
    return value


TRUTH = "boolean"
"""The type of an option that ``truth`` reads, in words."""

READING: Options = {
    "mode": TextOption(
        "mode",
        lambda _, value: Mode.of(value),
        "mode",
        "FAILFAST",
        "What happens to a malformed record: `PERMISSIVE` gives a row with the reason, `DROPMALFORMED` drops it,"
        " `FAILFAST`"
        " raises an error.",
    ),
    "message": TextOption(
        "message",
        text,
        "name",
        "snapshot_marker",
        "Only records of this message, its fields next to those of the header. Other messages are not decoded.",
    ),
    "messages": TextOption(
        "messages",
        _names,
        "names",
        "snapshot_marker,system_event",
        "Only records of these messages, and only their structs. Other messages are not decoded.",
    ),
    "columns": TextOption(
        "columns",
        _names,
        "names",
        "opcode,snapshot_marker.end_seqno",
        "Only these columns; `struct.field` selects a field. The rest is not decoded.",
    ),
    "labels": TextOption(
        "labels",
        truth,
        TRUTH,
        "false",
        "Adds columns with the names of enum values and flags, such as `status_name`.",
    ),
    "positions": TextOption(
        "positions", truth, TRUTH, "true", "Adds `_file`, `_offset` and `_length`: where each record is."
    ),
    "columnNameOfCorruptRecord": TextOption(
        "corrupt_column", text, "name", "bad", "The name of the column with the bytes of malformed records."
    ),
    "maxRecordBytes": TextOption(
        "max_record_bytes",
        _record_bytes,
        "bytes",
        "1m",
        "Records that are longer than this, or claim to be, are malformed. At most `1g`.",
    ),
    "resync": TextOption(
        "resync",
        resync_of,
        "name",
        "proof",
        "How the next record is found after damage. `proof`: only by a checksum or a terminator. `chain`: also by"
        " several plausible records in a row, which is a guess if there is no checksum.",
    ),
    "capture": TextOption(
        "capture",
        _choice(CaptureKind),
        "kind",
        "pcapng",
        "What files contain: `raw` for records end to end, `pcap` or `pcapng` for recorded packets. `auto` detects it"
        " from their first bytes.",
    ),
    "connections": TextOption(
        "connections",
        truth,
        TRUTH,
        "true",
        "Adds `_time`, `_connection`, `_from_client` and `_gap_before`: how each record was sent, in recorded packets.",
    ),
    "ports": TextOption(
        "ports",
        _ports,
        "ports",
        "11210,11207",
        "Only packets from or to these server ports, or `all`. By default the ports that the protocol declares, or"
        " all if it declares none.",
    ),
    "hosts": TextOption(
        "hosts",
        _hosts,
        "addresses",
        "10.0.0.7,fd00::/8",
        "Only packets from or to one of these addresses or networks.",
    ),
    "direction": TextOption(
        "direction",
        _choice(Sender),
        "name",
        "server",
        "Only packets sent by the `client` or the `server`; by default `both`.",
    ),
    "tunnels": TextOption(
        "tunnels",
        truth,
        TRUTH,
        "true",
        "Reads the packets inside tunnels (GRE, VXLAN, GENEVE, GTP-U, IP in IP) instead of those that carry them.",
    ),
    "rotated": TextOption(
        "rotated",
        truth,
        TRUTH,
        "true",
        "Treats files, in the order of their names, as parts of one recording: connections continue from one to the"
        " next. One task reads all of them, or in a stream all new ones.",
    ),
    "maxStreamBytes": TextOption(
        "max_stream_bytes",
        size,
        "bytes",
        "16m",
        "How many bytes, of all connections together, may be buffered while packets are missing. Beyond that, the"
        " missing packets count as lost.",
    ),
}
"""The options of all readers."""


def resolve(parameters: Iterable[Parameter], given: Mapping[str, object]) -> dict[str, Any]:
    """Every parameter's value: the given one, checked, or the default. Raises ``OptionError``.

    The parameters of a capture's header must be given together. Under ``SOUGHT`` are the names of those to be found in
    the capture, because they are not given. Resolving twice changes nothing.
    """
    known = {parameter.name: parameter for parameter in parameters}
    default = given.get(SOUGHT, ())
    assert isinstance(default, Collection)
    given = {name: value for name, value in given.items() if name != SOUGHT and name not in default}
    for name in given:
        if name not in known:
            raise OptionError(unknown("parameter", name, known))
    of_header = [name for name, parameter in known.items() if parameter.default is None]
    missing = [name for name in of_header if name not in given]
    if 0 < len(missing) < len(of_header):
        raise OptionError(f"the parameters of a capture's header must be given together; missing: {', '.join(missing)}")
    values: dict[str, Any] = {
        name: parameter.value_of(given[name]) if name in given else parameter.default
        for name, parameter in known.items()
        if name in given or parameter.default is not None
    }
    sought = frozenset(name for name, parameter in known.items() if parameter.found and name not in given)
    return values | {SOUGHT: sought} if sought else values


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """The message for a name that is not in ``known``, with the closest known one."""
    from difflib import get_close_matches  # needed only for errors

    names = sorted(known)
    close = get_close_matches(name, names, 1)
    hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}" if names else "there are none"
    return f"unknown {what} {shown(name)}; {hint}"
