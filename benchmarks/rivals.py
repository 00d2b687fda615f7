"""All decoders by capture and name, each from the bytes of a whole buffer to rows or a table."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from shutil import which
from typing import Any

import by_c
import by_kaitai_cpp
import packets_by_others
import protocols

Decoder = Callable[[Any], Any]
"""Takes the bytes of a capture, or the path of a file of recorded packets."""

ACCELERATOR = "llvmlite"
SWITCH = "WIRELOOM_ACCEL"
"""An environment variable. 0 turns the accelerator off where it is installed."""

LABELS = ("message", "variant", "byte_order")
"""What our rows say beside the fields of the wire; rivals need not."""
NAMED = ("datatype", "status", "event", "version", "snapshot_type", "id")
"""Numbers that rivals may have under their names instead, so that they do not add up."""


IN_SETUP = (
    "agent",
    "bucket",
    "challenge",
    "connection_name",
    "error",
    "error_map",
    "feature",
    "mechanism",
    "mechanisms",
)
IN_FEW = (*IN_SETUP, "property", "setting", "state", "seqno", "vbucket", "key", "value", "length", "id_nibble")
"""Fields of a session that construct leaves as bytes, and those that have their names elsewhere."""
LABELLED = ("datatype_flags", "snapshot_type_flags", "event_name", "status_name", "version_name")
_WRITTEN = ("mutation", "prepare", "deletion", "expiration")
DOCUMENTS = (
    "message",
    "cas",
    *(f"{message}.document_key" for message in (*_WRITTEN, "commit", "abort")),
    *(f"{message}.by_seqno" for message in (*_WRITTEN, "system_event", "seqno_advanced")),
    *(f"{message}.json" for message in _WRITTEN),
)
"""Some columns of a session."""
FIVE = ("ipv4.source", "ipv4.destination", "tcp.source_port", "tcp.destination_port", "tcp.sequence")
"""Some columns of packets."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A decoder: what it is called, the module it needs, and which totals it need not agree on."""

    title: str
    make: Callable[[str], Decoder]
    needs: str = ""
    otherwise: tuple[str, ...] = ()
    some: bool = False
    """Whether it gives some of the columns, which alone have to agree."""
    given: Callable[[str, bytes], Any] | None = None
    """What makes of the bytes what it is to make these of, if it encodes."""
    whole: bool = False
    """Whether it always has all of the capture, as few rows at a time would say something else."""
    exact: bool = False
    """Whether it gives the very columns that we give."""
    sums: Callable[[Any], dict[str, int]] | None = None
    """What tells its totals, if it only counts."""
    able: Callable[[], bool] = lambda: True
    """Whether this machine has what it needs beside modules."""

    @property
    def environment(self) -> dict[str, str]:
        """What is set where it runs."""
        return {SWITCH: str(int(self.needs == ACCELERATOR))}

    def may_run(self) -> bool:
        """Whether what it needs is installed."""
        return (not self.needs or find_spec(self.needs) is not None) and self.able()


def _columnar(protocol: str, **parameters: Any) -> Decoder:
    return partial(protocols.load(protocol).decode_columnar, **parameters)


def _by_message(protocol: str) -> Decoder:
    return protocols.load(protocol).decode_by_message


def _records(protocol: str) -> Decoder:
    iter_records = protocols.load(protocol).iter_records
    return lambda data: list(iter_records(data))


def _by_construct(protocol: str, *, compiled: bool) -> Decoder:
    module = import_module("by_construct")
    layout = module.MUTATION if protocol == "mutations" else module.FRAME
    return partial(module.records, layout.compile() if compiled else layout)


def _by_struct(protocol: str) -> Decoder:
    if protocol == "databus":
        return import_module("events_by_struct").events
    module = import_module("by_struct")
    return module.mutations if protocol == "mutations" else module.mixed


def _by_kaitai(protocol: str) -> Decoder:
    module = import_module("by_kaitai")
    return module.mutations if protocol == "mutations" else module.mixed


def _by_c(_: str) -> Decoder:
    return by_c.mutations


def _by_kaitai_cpp(_: str) -> Decoder:
    return by_kaitai_cpp.mutations


def _hopping(protocol: str) -> Decoder:
    return import_module("scans").bare(protocol)


def _splitting(protocol: str) -> Decoder:
    return import_module("scans").splitting(protocol)


def _session_by_struct(_: str) -> Decoder:
    return import_module("documents_by_struct").session


def _session_by_construct(_: str) -> Decoder:
    return partial(import_module("by_construct").records, import_module("documents_by_construct").SESSION)


def _encoder(title: str, make: str, given: str, needs: str = "", *, whole: bool = False) -> Rival:
    """Functions of ``encoding``, by name."""

    def of(name: str, *arguments: Any) -> Any:
        return getattr(import_module("encoding"), name)(*arguments)

    return Rival(title, partial(of, make), needs, given=partial(of, given), whole=whole)


def _reader(title: str, name: str, needs: str = "", able: Callable[[], bool] = lambda: True) -> Rival:
    """One of ``packets_by_others``."""

    def made(_: str) -> Decoder:
        return packets_by_others.READERS[name]

    return Rival(title, made, needs, some=True, sums=packets_by_others.SUMS[name], able=able)


def _has_tshark() -> bool:
    return which("tshark") is not None


RIVALS = {
    "construct": Rival("construct", partial(_by_construct, compiled=False), otherwise=(*LABELS, *NAMED)),
    "construct_compiled": Rival(
        "construct, compiled", partial(_by_construct, compiled=True), otherwise=(*LABELS, *NAMED)
    ),
    "kaitai": Rival("Kaitai, Python", _by_kaitai, "kaitaistruct", otherwise=(*LABELS, *NAMED)),
    "struct": Rival("struct loop", _by_struct),
    "session_construct": Rival("construct", _session_by_construct, otherwise=(*LABELS, *NAMED, *LABELLED, *IN_FEW)),
    "session_struct": Rival("struct loop", _session_by_struct),
    "records": Rival("iter_records", _records),
    "columnar": Rival("decode_columnar", _columnar),
    "columnar_accelerated": Rival("decode_columnar, accelerated", _columnar, ACCELERATOR),
    "longs": Rival("decode_columnar, longs", partial(_columnar, u64="long")),
    "longs_accelerated": Rival("decode_columnar, longs, accelerated", partial(_columnar, u64="long"), ACCELERATOR),
    "by_message": Rival("decode_by_message", _by_message),
    "by_message_accelerated": Rival("decode_by_message, accelerated", _by_message, ACCELERATOR),
    "some_columns": Rival("decode_columnar, some columns", partial(_columnar, columns=DOCUMENTS), some=True),
    "some_columns_accelerated": Rival(
        "decode_columnar, some columns, accelerated", partial(_columnar, columns=DOCUMENTS), ACCELERATOR, some=True
    ),
    "columnar_big": Rival("decode_columnar, told big endian", partial(_columnar, byte_order="big")),
    "columnar_big_accelerated": Rival(
        "decode_columnar, told big endian, accelerated", partial(_columnar, byte_order="big"), ACCELERATOR
    ),
    "kaitai_cpp": Rival("Kaitai, C++", _by_kaitai_cpp, some=True, sums=by_kaitai_cpp.sums, able=by_kaitai_cpp.may_run),
    "c": Rival("C", _by_c, some=True, exact=True, able=by_c.may_run),
    "construct_build": _encoder("construct", "of_values", "values"),
    "frames_build": _encoder("construct", "of_frames", "frames"),
    "build": _encoder("build", "of_rows", "rows"),
    "encode": _encoder("encode_columnar", "of_table", "table", whole=True),
    "encode_accelerated": _encoder("encode_columnar, accelerated", "of_table", "table", ACCELERATOR, whole=True),
    "hop": Rival("bare hop", _hopping, some=True, able=by_c.may_run),
    "five": Rival("decode_columnar, five columns", partial(_columnar, columns=FIVE), some=True),
    "five_accelerated": Rival(
        "decode_columnar, five columns, accelerated", partial(_columnar, columns=FIVE), ACCELERATOR, some=True
    ),
    "dpkt": _reader("dpkt", "dpkt", "dpkt"),
    "scapy": _reader("Scapy", "scapy", "scapy"),
    "tshark": _reader("tshark", "tshark", able=_has_tshark),
    "tshark_couchbase": _reader("tshark, Couchbase", "tshark_couchbase", able=_has_tshark),
    "scan": Rival("places to split at", _splitting, some=True),
    "scan_accelerated": Rival("places to split at, accelerated", _splitting, ACCELERATOR, some=True),
}
IN_PROCESS = ("construct", "construct_compiled", "kaitai", "struct", "records", "columnar", "columnar_accelerated")
DATABUS = ("struct", "columnar", "columnar_accelerated", "columnar_big", "columnar_big_accelerated")
SESSION = (
    "session_construct",
    "session_struct",
    "records",
    "columnar",
    "columnar_accelerated",
    "some_columns",
    "some_columns_accelerated",
    "by_message",
    "by_message_accelerated",
)
