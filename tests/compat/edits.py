"""Edits to the specs of this repository, and what each changes."""

from support.small_checkout import KEPT

from wireloom_protocols import couchbase_dcp

MARKER, EVENT, LOG = "snapshot_marker", "system_event", "failover_log_response"


def _with(column: str) -> list[str]:
    """The messages of DCP that have such a column."""
    return [
        name
        for name, message in couchbase_dcp.messages.items()
        if name in (*KEPT, "unknown") and any(one.name == column for one in message.columns)
    ]


EDITS = {
    "a field of one variant gets smaller": (
        f"couchbase_dcp/streams/{MARKER}.yaml",
        (
            "- {name: snapshot_type, type: u32, flags: SnapshotType, doc: The kind of snapshot.}",
            "type: u32",
            "type: u16",
        ),
        {f"field-resized WIRE BF {MARKER}.v1.snapshot_type"},
    ),
    "a field's type is another": (
        f"couchbase_dcp/streams/{EVENT}.yaml",
        ("- {name: event, type: u32, enum: SystemEventId", "type: u32, enum: SystemEventId", "type: bytes, size: 4"),
        {
            f"field-retyped WIRE BF {EVENT}.event",
            f"labelling-changed CODEC B {EVENT}.event",
            f"column-retyped TABLE BF {EVENT}.event",
            f"column-removed TABLE B {EVENT}.event_name",
        },
    ),
    "a number is signed": (
        f"couchbase_dcp/streams/{EVENT}.yaml",
        ("{name: collection_id, type: u32, doc: The collection dropped.}", "u32", "i32"),
        {f"signedness-changed WIRE BF {EVENT}.drop_collection_v0.collection_id"},
    ),
    "two fields change places": (
        f"couchbase_dcp/streams/{EVENT}.yaml",
        (
            "        - {name: scope_id, type: u32, doc: The scope that the new collection is in.}\n"
            "        - {name: collection_id, type: u32, doc: The new collection.}",
            "        - {name: scope_id, type: u32, doc: The scope that the new collection is in.}\n"
            "        - {name: collection_id, type: u32, doc: The new collection.}",
            "        - {name: collection_id, type: u32, doc: The new collection.}\n"
            "        - {name: scope_id, type: u32, doc: The scope that the new collection is in.}",
        ),
        {
            f"field-moved WIRE BF {EVENT}.create_collection_v0.collection_id",
            f"column-reordered TABLE BF {EVENT}.collection_id",
        },
    ),
    "a field is taken out": (
        f"couchbase_dcp/streams/{EVENT}.yaml",
        ("        - {name: scope_id, type: u32, doc: The scope dropped.}\n", None, ""),
        {f"field-removed WIRE BF {EVENT}.drop_scope_v0.scope_id"},
    ),
    "an optional last field becomes mandatory": (
        f"couchbase_dcp/streams/{MARKER}.yaml",
        ("          optional: true\n", None, ""),
        {f"optional-changed WIRE B {MARKER}.v2_2.high_prepared_seqno"},
    ),
    "an optional last field is new": (
        f"couchbase_dcp/streams/{EVENT}.yaml",
        (
            "{name: scope_id, type: u32, doc: The scope dropped.}",
            "doc: The scope dropped.}",
            "doc: The scope dropped.}\n        - {name: reason, type: u8, optional: true}",
        ),
        {f"field-added WIRE - {EVENT}.drop_scope_v0.reason", f"column-added TABLE - {EVENT}.reason"},
    ),
    "a field is renamed": (
        f"couchbase_dcp/streams/{MARKER}.yaml",
        ("- name: purge_seqno", "purge_seqno", "purged_seqno"),
        {
            f"field-renamed CODEC BF {MARKER}.v2_2.purged_seqno",
            f"column-renamed TABLE BF {MARKER}.purged_seqno",
        },
    ),
    "a table type is gone": (
        "couchbase_dcp/protocol.yaml",
        ("{name: vb_seqno, type: u64, table_type: long", ", table_type: long", ""),
        {
            "range-changed WIRE F FailoverEntry.vb_seqno",
            f"column-retyped TABLE B {LOG}.entries.vb_seqno",
            "column-retyped TABLE B stream_req_response.entries.vb_seqno",
        },
    ),
    "a list is counted": (
        f"couchbase_dcp/streams/{LOG}.yaml",
        ("          repeat: rest\n", "repeat: rest", "repeat: {count: 4}"),
        {f"repetition-changed WIRE BF {LOG}.success.entries"},
    ),
    "a variant is renamed": (
        f"couchbase_dcp/streams/{MARKER}.yaml",
        ("- name: v2_1", "v2_1", "v2_15"),
        {f"variant-renamed CODEC BF {MARKER}.v2_15"},
    ),
    "a variant holds for more": (
        f"couchbase_dcp/streams/{MARKER}.yaml",
        ("when: extras_length == 20", "== 20", ">= 20"),
        {f"variant-condition-changed WIRE BF {MARKER}.v1"},
    ),
    "a variant holds for other records": (
        f"couchbase_dcp/streams/{MARKER}.yaml",
        ("when: version == 1", "== 1", "== 3"),
        {f"variant-condition-changed WIRE BF {MARKER}.v2_1"},
    ),
    "a message is selected by less": (
        f"couchbase_dcp/streams/{MARKER}.yaml",
        ("match: {magic: Request, opcode: 0x56}", "Request", "0x80"),
        {f"match-changed WIRE B {MARKER}"},
    ),
    "a message takes the records of another": (
        f"couchbase_dcp/streams/{MARKER}.yaml",
        ("match: {magic: Request, opcode: 0x56}", "0x56", "[0x56, 0x5f]"),
        {f"match-changed WIRE - {MARKER}", f"dispatch-reused WIRE BF {MARKER}"},
    ),
    "a message is renamed": (
        "couchbase_dcp/streams/oso_snapshot.yaml",
        ("message: oso_snapshot", "oso_snapshot", "oso"),
        {"message-renamed CODEC BF oso", "column-renamed TABLE BF oso"},
    ),
    "an enum's number is another": (
        "couchbase_dcp/protocol.yaml",
        ("{name: CreateScope, value: 3", "value: 3", "value: 6"),
        {"enum-value-renumbered WIRE BF SystemEventId.CreateScope"},
    ),
    "an enum's number has another name": (
        "couchbase_dcp/protocol.yaml",
        ("{name: Reserved, value: 2", "Reserved", "FlushCollection"),
        {"enum-value-reused WIRE BF SystemEventId.FlushCollection"},
    ),
    "an enum's name is gone": (
        "couchbase/library.yaml",
        ("      - {name: GetRandomKey,                          value: 0xb6}\n", None, ""),
        {"enum-value-removed CODEC B ClientOpcode.GetRandomKey"},
    ),
    "an enum has one more": (
        "couchbase/library.yaml",
        (
            "      - {name: Touch,                                 value: 0x1c}\n",
            "0x1c}\n",
            "0x1c}\n      - {name: TouchMore, value: 0x4d}\n",
        ),
        {"enum-value-added CODEC - ClientOpcode.TouchMore"},
    ),
    "a number in a range gets a name of its own": (
        "databus/protocol.yaml",
        ("      - {name: PULLER_RETRIES_EXPIRED", "      -", "      - {name: LOST, value: -7}\n      -"),
        {"enum-value-added CODEC BF SourceId.LOST"},
    ),
    "a flag has another bit": (
        "couchbase_dcp/protocol.yaml",
        ("{name: Disk, value: 0x02", "0x02", "0x40"),
        {"flag-renumbered WIRE BF SnapshotType.Disk"},
    ),
    "a bit has another flag": (
        "couchbase_dcp/protocol.yaml",
        ("{name: Acknowledge, value: 0x08", "Acknowledge", "Urgent"),
        {"flag-bit-reused WIRE BF SnapshotType.Urgent"},
    ),
    "a flag is gone": (
        "couchbase_dcp/protocol.yaml",
        ("      - {name: Disk, value: 0x02, doc: The snapshot is from disk.}\n", None, ""),
        {"flag-removed CODEC B SnapshotType.Disk"},
    ),
    "a FlatBuffers field is stored elsewhere": (
        "couchbase_dcp/protocol.yaml",
        ("{name: name, type: text, id: 2", "id: 2", "id: 3"),
        {"flatbuffer-changed WIRE BF Scope.name"},
    ),
    "a FlatBuffers default is another": (
        "couchbase_dcp/protocol.yaml",
        ("{name: metered, type: bool, id: 8, default: false", "false", "true"),
        {"flatbuffer-changed WIRE BF Collection.metered"},
    ),
    "a FlatBuffers field is new": (
        "couchbase_dcp/protocol.yaml",
        (
            "      - {name: name, type: text, id: 2, doc: The name of the scope.}\n",
            "scope.}\n",
            "scope.}\n      - {name: uuid, type: u64, id: 3}\n",
        ),
        {"flatbuffer-changed WIRE - Scope.uuid", f"column-added TABLE - {EVENT}.scope.uuid"},
    ),
    "records have another length": (
        "memcached/library.yaml",
        ("length: 24 + total_body_length", "24 +", "28 +"),
        {"framing-changed WIRE BF "},
    ),
    "more records are believed": (
        "memcached/library.yaml",
        ("valid: magic in [0x80, 0x08, 0x81,", "[0x80", "[0x7f, 0x80"),
        {"framing-changed WIRE F "},
    ),
    "a section is as long as another field says": (
        "memcached/library.yaml",
        ("section: key, size: key_length", "size: key_length", "size: extras_length"),
        {"section-changed WIRE BF key"},
    ),
    "bytes left over are malformed": (
        "memcached/library.yaml",
        ("size: key_length, trailing: trailing_key", ", trailing: trailing_key", ""),
        {
            "section-changed WIRE B key",
            *(f"column-removed TABLE B {message}.trailing_key" for message in _with("trailing_key")),
        },
    ),
    "a column of what is left over is renamed": (
        "memcached/library.yaml",
        ("trailing: trailing_extras", "trailing_extras", "more_extras"),
        {
            "field-renamed CODEC BF extras",
            *(f"column-renamed TABLE BF {message}.more_extras" for message in _with("trailing_extras")),
        },
    ),
    "every number is turned round": (
        "couchbase_dcp/protocol.yaml",
        ("byte_order: big", "big", "little"),
        {"byte-order-changed WIRE BF "},
    ),
    "a default is another": (
        "memcached/library.yaml",
        ("default: 0", "default: 0", "default: 1"),
        {"default-changed CODEC B datatype"},
    ),
    "a parameter's default is another": (
        "databus/protocol.yaml",
        ("default: auto", "auto", "big"),
        {"parameter-default-changed WIRE BF byte_order"},
    ),
    "a parameter has a choice less": (
        "databus/protocol.yaml",
        ("choices: [auto, big, little]", ", little", ""),
        {"parameter-removed CODEC B byte_order"},
    ),
    "a checksum has another algorithm": (
        "databus/dbus_event.yaml",
        ("checksum: {algorithm: crc32_zero, from: 5", "crc32_zero", "crc32"),
        {"checksum-changed WIRE BF dbus_event.header_crc"},
    ),
    "a checksum covers less": (
        "databus/dbus_event.yaml",
        ("61, to: size(record)}", "size(record)", "size(record) - 1"),
        {"checksum-changed WIRE BF dbus_event.value_crc"},
    ),
    "a length counts something else": (
        "databus/dbus_event.yaml",
        ("derive: size(record)", "size(record)", "size(body)"),
        {"derivation-changed WIRE BF dbus_event.length"},
    ),
    "a field may hold less": (
        "databus/dbus_event.yaml",
        ("valid: key_size >= 0", ">= 0", ">= 1"),
        {"range-changed WIRE B dbus_event.byte_key.key_size"},
    ),
    "a column is computed otherwise": (
        "databus/dbus_event.yaml",
        ("compute: src_id == -2", "-2", "-3"),
        {"computed-changed WIRE BF dbus_event.end_of_period"},
    ),
    "a condition is another": (
        "databus/dbus_event.yaml",
        ("        - when: not repl_dbus\n", "not repl_dbus", "repl_dbus"),
        {f"condition-changed WIRE BF dbus_event.{name}" for name in ("schema_id", "schema_version", "schema_id_rest")},
    ),
    "events are no longer searched for": (
        "databus/protocol.yaml",
        ("  resync: true\n", None, ""),
        {"framing-changed WIRE B "},
    ),
}
"""What is edited: the file, the text that is looked for with what is put for which part of it, and the findings:
rule, category, whom it breaks (``B``, ``F``), element without its protocol."""
