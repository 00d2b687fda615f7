"""All that client and server send on a connection of Couchbase decodes in ``couchbase_dcp``, whatever it is about.

The frames are laid out here by hand, after the documents of kv_engine and its validators.
"""

import struct
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from support.cases import each
from support.lockstep import Pair, alike_in_turn, capture_alike, rows_alike

from wireloom.pairing import pair
from wireloom_protocols import couchbase_dcp, memcached
from wireloom_protocols.couchbase_dcp import ClientOpcode, ServerOpcode, Status

Row = dict[str, Any]


class Command(NamedTuple):
    """A request and what answers it: extras, key and value of both, and the messages that they are."""

    opcodes: str
    request: str
    response: str | None
    sections: tuple[bytes, bytes, bytes] = (b"", b"", b"")
    answer: tuple[bytes, bytes, bytes] = (b"", b"", b"")
    statuses: tuple[int, ...] = (0,)


KEY, JSON = b"\x09hotel_1", b'{"id":1}'
TOKEN = struct.pack(">QQ", 0xBEEFCAFEF00D, 42)
UUID, SEQNO = struct.pack(">Q", 0xFEEDDECA), struct.pack(">Q", 7)
META = struct.pack(">IIQQ", 1, 2, 3, 4)
SUBDOC = "SubdocDictAdd SubdocDictUpsert SubdocDelete SubdocReplace SubdocArrayPushLast SubdocArrayPushFirst "
SUBDOC += "SubdocArrayInsert SubdocArrayAddUnique SubdocCounter SubdocReplaceBodyWithXattr"
LOOKUPS = struct.pack(">BBH", 0xC5, 4, 2) + b"_x" + struct.pack(">BBH", 0, 0, 0)
FOUND = struct.pack(">HI", 0, 3) + b'"a"' + struct.pack(">HI", 0xC0, 0)
MUTATIONS = struct.pack(">BBHI", 0xC8, 0, 1, 2) + b"p42" + struct.pack(">BBHI", 0xC9, 4, 2, 0) + b"_x"
CHANGED = struct.pack(">BHI", 0, 0, 1) + b"5"
FAILED = struct.pack(">BH", 1, 0xC0)
OBSERVED, SCAN = b"\0\5\0\x08" + KEY, bytes(range(16))
MARKED = struct.pack(">QQI", 0, 9, 1)
CHANGE = struct.pack(">QQIIIHB", 5, 1, 0, 0, 0, 0, 2)
EVENT = struct.pack(">QIB", 4, 0, 0)
WANTED = struct.pack(">IIQQQQQ", 0, 0, 0, 2**64 - 1, 5, 0, 0)
LOG = struct.pack(">QQ", 5, 0)
CACHED = struct.pack(">QQQIIIHBB", 1, 2, 3, len(JSON), 0, 0, len(KEY), 1, 0) + KEY + JSON

LIFE = (
    Command("Hello", "hello", "hello_response", (b"", b'{"a":"sdk"}', b"\0\x04\0\x12"), (b"", b"", b"\0\x04\0\x12")),
    Command("SaslListMechs", "sasl_list_mechs", "sasl_list_mechs_response", answer=(b"", b"", b"SCRAM-SHA512 PLAIN")),
    Command("SaslAuth", "sasl_auth", "sasl_auth_response", (b"", b"PLAIN", b"\0u\0p"), (b"", b"", b"r"), (0, 0x21)),
    Command("SaslStep", "sasl_auth", "sasl_auth_response", (b"", b"PLAIN", b"c")),
    Command("SelectBucket", "select_bucket", "response", (b"", b"travel", b"")),
    Command("GetErrorMap", "get_error_map", "get_error_map_response", (b"", b"", b"\0\2"), (b"", b"", JSON)),
    Command("Noop", "noop", "response"),
    Command("Quit Quitq", "quit", "response"),
    Command("Version", "server_version", "server_version_response", answer=(b"", b"", b"8.0.0")),
    Command("Verbosity", "verbosity", "response", (struct.pack(">I", 1), b"", b"")),
    Command("Stat", "stat", "stat_response", (b"", b"dcp", b""), (b"", b"ep_dcp_count", b"1")),
    Command("Stat", "stat", "stat_response", (b"", b"", JSON)),
    Command("ListBuckets", "list_buckets", "list_buckets_response", answer=(b"", b"", b"travel beer")),
    Command("GetClusterConfig", "get_cluster_config", "get_cluster_config_response", answer=(b"", b"", JSON)),
    Command("GetClusterConfig", "get_cluster_config", "get_cluster_config_response", (UUID + SEQNO, b"", b"")),
    Command(
        "CollectionsGetManifest",
        "get_collections_manifest",
        "get_collections_manifest_response",
        answer=(b"", b"", JSON),
    ),
    Command(
        "CollectionsGetID CollectionsGetScopeID",
        "get_collection_id",
        "get_collection_id_response",
        (b"", b"", b"inventory.hotel"),
        (SEQNO + b"\0\0\0\x09", b"", b""),
    ),
    Command("SetVbucket", "set_vbucket", "response", (b"\1", b"", b'{"topology":[["n"]]}')),
    Command("GetVbucket", "get_vbucket", "get_vbucket_response", answer=(b"", b"", b"\0\0\0\2")),
    Command("DelVbucket", "delete_vbucket", "response", (b"", b"", b"async=0")),
    Command("SeqnoPersistence", "seqno_persistence", "response", (b"\xff" * 8, b"", b"")),
    Command(
        "ObserveSeqno",
        "observe_seqno",
        "observe_seqno_response",
        (b"", b"", UUID),
        (b"", b"", b"\0\0\5" + UUID + SEQNO * 2),
    ),
    Command(
        "ObserveSeqno",
        "observe_seqno",
        "observe_seqno_response",
        (b"", b"", UUID),
        (b"", b"", b"\1\0\5" + SEQNO * 3 + UUID + SEQNO),
    ),
    Command("Get Getq GetReplica GetEx GetExReplica", "get", "get_response", (b"", KEY, b""), (b"\2\0\0\6", b"", JSON)),
    Command("Getk Getkq", "get", "get_response", (b"", KEY, b""), (b"\2\0\0\6", KEY, JSON)),
    Command("Gat Gatq", "touch", "get_response", (b"\0\0\0\x3c", KEY, b""), (b"\2\0\0\6", b"", JSON)),
    Command("Touch", "touch", "get_response", (b"\0\0\0\x3c", KEY, b"")),
    Command("Set Add Replace Setq Addq Replaceq", "set", "response", (bytes(8), KEY, JSON), (TOKEN, b"", b"")),
    Command("Append Prepend Appendq Prependq", "append", "response", (b"", KEY, b"!"), (TOKEN, b"", b"")),
    Command("Delete Deleteq", "delete", "response", (b"", KEY, b""), (TOKEN, b"", b"")),
    Command(
        "Increment Decrement Incrementq Decrementq",
        "increment",
        "increment_response",
        (bytes(20), KEY, b""),
        (TOKEN, b"", SEQNO),
    ),
    Command("GetLocked", "get_locked", "get_locked_response", (b"\0\0\0\x1e", KEY, b""), (b"\2\0\0\6", b"", JSON)),
    Command("UnlockKey EvictKey", "unlock_key", "response", (b"", KEY, b"")),
    Command(
        "GetMeta GetqMeta", "get_meta", "get_meta_response", (b"\2", KEY, b""), (META[:12] + SEQNO + b"\1", b"", b"")
    ),
    Command(
        "SetWithMeta SetqWithMeta AddWithMeta AddqWithMeta DelWithMeta DelqWithMeta",
        "set_with_meta",
        "response",
        (META + struct.pack(">I", 8), KEY, JSON),
        (TOKEN, b"", b""),
    ),
    Command("SetWithMeta", "set_with_meta", "response", (META, KEY, JSON)),
    Command("SetWithMeta", "set_with_meta", "response", (META + b"\0\4", KEY, JSON + bytes(4))),
    Command("DelWithMeta", "set_with_meta", "response", (META + bytes(4) + b"\0\4", KEY, bytes(4))),
    Command("MutateWithMeta", "set_with_meta", "response", (b"\0\0\0\2", KEY, b"value{}"), (TOKEN, b"", b"")),
    Command(
        "SubdocGet SubdocExists SubdocGetCount",
        "subdoc",
        "subdoc_response",
        (b"\0\4\0", KEY, b"name"),
        (b"", b"", JSON),
        (0, 0xCD),
    ),
    Command(SUBDOC, "subdoc", "subdoc_response", (b"\0\1\1" + bytes(4) + b"\1", KEY, b"n5"), (TOKEN, b"", b"")),
    Command("SubdocCounter", "subdoc", "subdoc_response", (b"\0\1\1" + bytes(4), KEY, b"n5"), (b"", b"", b"6")),
    Command("SubdocDelete", "subdoc", "subdoc_response", (b"\0\1\1\4", KEY, b"n")),
    Command(
        "SubdocMultiLookup",
        "subdoc_multi_lookup",
        "subdoc_multi_lookup_response",
        (b"\4", KEY, LOOKUPS),
        (b"", b"", FOUND),
        (0, 0xCC, 0xCD, 0xD3),
    ),
    Command(
        "SubdocMultiMutation",
        "subdoc_multi_mutation",
        "subdoc_multi_mutation_response",
        (bytes(4) + b"\1", KEY, MUTATIONS),
        (TOKEN, b"", CHANGED),
    ),
    Command(
        "SubdocMultiMutation",
        "subdoc_multi_mutation",
        "subdoc_multi_mutation_response",
        (b"\1", KEY, MUTATIONS),
        (b"", b"", FAILED),
        (0xCC, 0xD3),
    ),
    Command("Observe", "observe", "observe_response", (b"", b"", OBSERVED), (b"", b"", OBSERVED + b"\1" + SEQNO)),
    Command(
        "ReturnMeta", "return_meta", "return_meta_response", (b"\0\0\0\2" + bytes(8), KEY, JSON), (META[:16], b"", b"")
    ),
    Command("RangeScanCreate", "create_range_scan", "create_range_scan_response", (b"", b"", JSON), (b"", b"", SCAN)),
    Command(
        "RangeScanContinue",
        "continue_range_scan",
        "continue_range_scan_response",
        (SCAN + bytes(12), b"", b""),
        (bytes(4), b"", b"\4key0\5key11"),
        (0, 0xA6),
    ),
    Command(
        "RangeScanContinue",
        "continue_range_scan",
        "continue_range_scan_response",
        (SCAN + bytes(12), b"", b""),
        (b"\0\0\0\1", b"", bytes(8) + SEQNO * 2 + b"\1\4key0\2{}"),
        (0, 0xA7),
    ),
    Command("RangeScanCancel", "cancel_range_scan", "response", (SCAN, b"", b"")),
    Command("DcpOpen", "open_connection", "response", (struct.pack(">II", 0, 5), b"indexer", b"")),
    Command("DcpControl", "control", "response", (b"", b"enable_noop", b"true")),
    Command("DcpNoop", "dcp_noop", "response"),
    Command("DcpBufferAcknowledgement", "buffer_acknowledgement", "response", (b"\0\0\x10\0", b"", b"")),
    Command("DcpAddStream", "add_stream", "add_stream_response", (bytes(4), b"", b""), (bytes(4), b"", b"")),
    Command("DcpStreamReq", "stream_req", "stream_req_response", (WANTED, b"", b""), (b"", b"", LOG)),
    Command(
        "DcpStreamReq", "stream_req", "stream_req_response", (WANTED, b"", b'{"sid":2}'), (b"", b"", SEQNO), (0x23,)
    ),
    Command(
        "DcpGetFailoverLog GetFailoverLog", "failover_log_request", "failover_log_response", answer=(b"", b"", LOG)
    ),
    Command("GetAllVbSeqnos", "get_all_vb_seqnos", "get_all_vb_seqnos_response", answer=(b"", b"", b"\0\5" + SEQNO)),
    Command("DcpSnapshotMarker", "snapshot_marker", "snapshot_marker_response", (MARKED, b"", b"")),
    Command("DcpMutation", "mutation", "response", (CHANGE, KEY, JSON)),
    Command("DcpDeletion", "deletion", "response", (struct.pack(">QQIB", 6, 2, 60, 0), KEY, b"")),
    Command("DcpExpiration", "expiration", "response", (struct.pack(">QQI", 6, 2, 60), KEY, b"")),
    Command("DcpPrepare", "prepare", "response", (struct.pack(">QQIIIBBB", 7, 2, 0, 0, 0, 2, 0, 1), KEY, JSON)),
    Command("DcpSeqnoAcknowledged", "seqno_acknowledged", "response", (SEQNO, b"", b"")),
    Command("DcpCommit", "commit", "response", (SEQNO * 2, KEY, b"")),
    Command("DcpAbort", "abort", "response", (SEQNO * 2, KEY, b"")),
    Command("DcpSystemEvent", "system_event", "system_event_response", (EVENT, b"c", bytes(16))),
    Command("DcpSeqnoAdvanced", "seqno_advanced", "response", (SEQNO, b"", b"")),
    Command("DcpOsoSnapshot", "oso_snapshot", "response", (b"\0\0\0\1", b"", b"")),
    Command("DcpCacheTransfer", "cache_transfer", "response", (b"", b"", CACHED)),
    Command("DcpCacheTransferEnd", "cache_transfer_end", "response"),
    Command("DcpSetVbucketState", "set_vbucket_state", "response", (b"\1", b"", b"")),
    Command("DcpStreamEnd", "stream_end", "response", (bytes(4), b"", b"")),
    Command("DcpCloseStream", "close_stream", "response"),
    Command("DcpFlush_Unsupported", "flush", "response"),
)

REVISION = struct.pack(">qq", -1, 32)
OF_SERVER = (
    Command(
        "ClustermapChangeNotification",
        "clustermap_change_notification",
        "server_response",
        (REVISION, b"travel", JSON),
    ),
    Command("ClustermapChangeNotification", "clustermap_change_notification", None, (b"\0\0\0\5", b"", b"")),
    Command("Authenticate", "server_request", "server_response", (b"", b"", JSON), (b"", b"", JSON)),
    Command("ActiveExternalUsers", "server_request", "server_response", (b"", b"", b'["Foo"]')),
    Command("GetAuthorization", "server_request", "server_response", (b"", b"osbourne", b""), (b"", b"", JSON)),
)

ADMINISTRATION = """
    IoctlGet IoctlSet ConfigValidate ConfigReload AuditPut AuditConfigReload Shutdown SetBucketThrottleProperties
    SetBucketDataLimitExceeded SetActiveEncryptionKeys PruneEncryptionKeys RegisterAuthToken GetFusionStorageSnapshot
    ReleaseFusionStorageSnapshot MountFusionVbucket UnmountFusionVbucket SyncFusionLogstore StartFusionUploader
    StopFusionUploader DeleteFusionNamespace GetFusionNamespaces CreateFusionNamespace StopPersistence StartPersistence
    SetParam SetChronicleAuthToken CreateBucket DeleteBucket PauseBucket ResumeBucket ValidateBucketConfig EnableTraffic
    DisableTraffic Ifconfig CompactDb SetClusterConfig CollectionsSetManifest PrepareSnapshot ReleaseSnapshot
    DownloadSnapshot GetFileFragment IsaslRefresh GetCmdTimer SetCtrlToken GetCtrlToken UpdateExternalUserPermissions
    RbacRefresh AuthProvider DropPrivilege AdjustTimeofday EwouldblockCtl
"""
"""What the manager of a node sends on connections of its own."""
OTHERS = "GetKeys GetRandomKey Invalid"
"""What tools send that look into a bucket."""

FRAMED = {
    "durability": b"\x13\1\x03\xe8",
    "impersonation": b"\x4f\x00^cluster-reader",
    "both": b"\x11\3\x45^jane",
    "barrier": b"\x00",
    "preserved ttl": b"\x50",
    "stream": b"\x22\0\7",
}
TIMED = b"\x02\0\x2a"
PARTS = 5
"""How many captures the frames are divided into, where each takes a way to read it."""


def frame(
    magic: int, opcode: int, sections: tuple[bytes, bytes, bytes], opaque: int, *, status: int = 0, framing: bytes = b""
) -> bytes:
    """A frame, laid out by hand."""
    extras, key, value = sections
    lengths = bytes([len(framing), len(key)]) if magic in (0x08, 0x18) else struct.pack(">H", len(key))
    body = framing + extras + key + value
    datatype = int(value.startswith(b"{"))
    rest = struct.pack(">BBHIIQ", len(extras), datatype, status, len(body), opaque, 0)
    return bytes([magic, opcode]) + lengths + rest + body


def opcodes(command: Command, names: type[ClientOpcode] | type[ServerOpcode] = ClientOpcode) -> list[int]:
    return [int(names[name]) for name in command.opcodes.split()]


def life(framing: bytes = b"", timing: bytes = b"") -> Iterator[tuple[str, bytes]]:
    """Every frame of a connection with the message that it is, in the order of requests and responses."""
    opaque = 0
    for command in LIFE:
        for opcode in opcodes(command):
            for status in command.statuses:
                opaque += 1
                asked = frame(0x08 if framing else 0x80, opcode, command.sections, opaque, framing=framing)
                yield command.request, asked
                magic = 0x18 if timing else 0x81
                assert command.response is not None
                yield command.response, frame(magic, opcode, command.answer, opaque, status=status, framing=timing)
    for command in OF_SERVER:
        for opcode in opcodes(command, ServerOpcode):
            opaque += 1
            yield command.request, frame(0x82, opcode, command.sections, opaque)
            if command.response is not None:
                yield command.response, frame(0x83, opcode, command.answer, opaque)


def refusals() -> Iterator[tuple[str, bytes]]:
    """Responses without what was asked for: that the vbucket is elsewhere, with a map and without, and errors."""
    errors = [each for each in Status if each not in (0x00, 0x07, 0x21, 0x23, 0xA6, 0xA7, 0xCC, 0xCD, 0xD3)]
    seen: set[str] = set()
    for command in LIFE:
        assert command.response is not None
        for opcode in opcodes(command):
            statuses = (0x07, 0x24) if command.response in seen else (0x07, *errors)
            seen.add(command.response)
            for status in statuses:
                for value in (b"", JSON) if status in (0x07, 0x24) else (b"",):
                    yield command.response, frame(0x81, opcode, (b"", b"", value), 1, status=status)


def as_said(frames: list[tuple[str, bytes]]) -> None:
    """None is unknown or malformed, nothing is left over, and the bytes come back."""
    for message, data in frames:
        row = couchbase_dcp.parse(data)
        assert row["message"] == message, data.hex()
        values = row[message]
        left = [name for name, value in values.items() if name.startswith("trailing_") and value]
        assert not left, (message, data.hex())
        assert couchbase_dcp.build(row) == data


@each(("framing", "timing"), [(b"", b""), *((framing, TIMED) for framing in FRAMED.values())])
def test_every_frame_of_a_connection_decodes(framing: bytes, timing: bytes) -> None:
    as_said(list(life(framing, timing)))


def test_every_refusal_decodes() -> None:
    as_said(list(refusals()))


def test_each_opcode_is_in_it_or_has_a_reason_not_to_be() -> None:
    described = {name for command in LIFE for name in command.opcodes.split()}
    left_out = {*ADMINISTRATION.split(), *OTHERS.split()}
    assert not described & left_out
    named = {each.name for each in ClientOpcode if not each.name.endswith("_Unsupported")}
    assert described - {"DcpFlush_Unsupported"} | left_out == named
    assert {name for command in OF_SERVER for name in command.opcodes.split()} == {each.name for each in ServerOpcode}
    assert {command.request for command in (*LIFE, *OF_SERVER)} | {
        command.response for command in (*LIFE, *OF_SERVER) if command.response
    } | {"unknown"} == {*couchbase_dcp.messages}


def test_a_capture_of_it_is_read_alike_by_all() -> None:
    capture = b"".join(data for _, data in life(FRAMED["both"], TIMED))
    rows_alike(Pair.of(couchbase_dcp), capture_alike(Pair.of(couchbase_dcp), capture, in_pieces=False))


@pytest.mark.sweep
def test_a_capture_of_it_is_read_alike_in_all_ways() -> None:
    frames = [data for _, data in (*life(), *life(FRAMED["both"], TIMED), *refusals())]
    parts = [b"".join(frames[start::PARTS]) for start in range(PARTS)]
    alike_in_turn(Pair.of(couchbase_dcp), [(part, {}) for part in parts])


def test_every_response_has_its_request() -> None:
    table = couchbase_dcp.decode_columnar(b"".join(data for _, data in life()))
    paired = pair(table, "couchbase_dcp", connection=[])
    rows = [row for batch in paired for row in batch.to_pylist()]
    answers = [row for row in rows if row["message"].endswith("response")]
    assert len(answers) == sum(message.endswith("response") for message, _ in life())
    assert [row["message"] for row in answers if row["request"] is None] == []
    assert {row["request"]["opaque"] - row["opaque"] for row in answers} == {0}
    waiting = {row["request"]["message"] for row in paired.waiting.to_pylist()}
    assert waiting == {"stat", "continue_range_scan"}  # whose responses go on


@each("opcode", range(256))
def test_both_protocols_read_the_commands_of_memcached(opcode: int) -> None:
    """They are written once: without collections all but the name of the key is the same."""
    for command in LIFE:
        if opcode not in opcodes(command) or command.request not in memcached.messages:
            continue
        sections = (command.sections[0], command.sections[1].replace(b"\x09", b"H"), command.sections[2])
        for data in (frame(0x80, opcode, sections, 7), frame(0x81, opcode, command.answer, 7)):
            plain, dcp = memcached.parse(data), couchbase_dcp.parse(data, collections=False)
            if plain["message"] == "unknown":  # a command of Couchbase's that is like one of memcached's
                continue
            assert plain["message"] == dcp["message"]
            assert common(plain) == common(dcp)


def common(row: Row) -> Row:
    """The fields of a message, by the names that memcached has for them."""
    renamed = {"document_key": "key", "document_key_bytes": "key_bytes"}
    return {renamed.get(name, name): value for name, value in row[row["message"]].items() if name != "collection_id"}
