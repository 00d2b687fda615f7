"""Lines of JSON that are not what a form says: refused with the key that is wrong, whatever stands there."""

import json
from itertools import product
from typing import Any

import pytest
from support.cases import each
from support.compiled import feature

from wireloom.codec import DecodeError, EncodeError, Form, FormEntry, Forms
from wireloom_protocols import databus

LINE: dict[str, Any] = {
    "opcode": "UPSERT",
    "key": 1,
    "sequence": 5,
    "logicalPartitionId": 2,
    "physicalPartitionId": 3,
    "timestampInNanos": 1,
    "srcId": 15,
    "schemaId": "YWJjZGVmZ2hpamtsbW5vcA==",
    "valueEnc": "JSON",
    "isReplicated": False,
    "value": "cGF5bG9hZA==",
}
ODD = (5, 2**70, 1.5, float("nan"), "x", "é", "\ud800", [], {})
FORM = databus.PROTOCOL.form("json")


@each(("key", "odd"), list(product(LINE, ODD)))
def test_an_odd_value_is_refused_or_fits(key: str, odd: Any) -> None:
    line = json.dumps(LINE | {key: odd})
    try:
        row = databus.parse(databus.build(FORM.read(line)))
    except (DecodeError, EncodeError):
        return
    assert json.loads(FORM.write(row))[key] == odd


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "json: record at byte 0: not JSON: "),
        ("{", "json: record at byte 0: not JSON: "),
        ("[" * 100_000, "json: record at byte 0: not JSON: "),
        ('{"key": ' + "9" * 5000 + "}", "json: record at byte 0: not JSON: "),
        ("5", "json: record at byte 0: an object expected, found int"),
        (json.dumps(LINE | {"value": None}), "json: value at byte 0: text expected, found null"),
        (json.dumps(LINE | {"schemaId": ["x"]}), 'json: schemaId at byte 0: text expected, found ["x"]'),
        (json.dumps(LINE | {"value": "x"}), "json: value at byte 0: not Base64: "),
        (json.dumps(LINE | {"valueEnc": "json"}), "json: valueEnc at byte 0: 'JSON' expected, found 'json'"),
        ('{"key": 1}', "json: sequence at byte 0: missing"),
    ],
    ids=lambda value: value[:30],
)
def test_what_is_no_line_of_the_form_is_refused(line: str, reason: str) -> None:
    with pytest.raises(DecodeError) as raised:
        FORM.read(line)
    assert raised.value.reason.startswith(reason)


def test_text_that_is_no_unicode_is_refused() -> None:
    line = json.dumps(LINE | {"valueEnc": "JSON_PLAIN_VALUE", "value": "\ud800"})
    with pytest.raises(DecodeError, match="json: value at byte 0: "):
        databus.PROTOCOL.form("json_plain_value").read(line)


def test_a_malformed_record_has_no_line() -> None:
    (row,) = databus.iter_records(b"\xff", "PERMISSIVE")
    with pytest.raises(ValueError, match="form json writes dbus_event and dbus_event_v2 only, not malformed records"):
        FORM.write(row)


WRITTEN = {
    "0108 cafedeed 01 05 6162": '{"kind":1,"magic":-889266451,"partVersion":5,"partData":"ab","again":"YWI="}',
    "0105 00000007 00": '{"kind":1,"magic":7,"again":null}',
    "0202 6162": '{"note":"ab"}',
}


@each(("record", "line"), WRITTEN.items())
def test_a_row_is_written_by_the_form_of_its_message(record: str, line: str) -> None:
    codec = feature("forms_written").codec
    assert codec.form("json").write(codec.parse(bytes.fromhex(record))) == line


def test_lines_are_read_by_the_form_that_reads() -> None:
    form = feature("forms_written").codec.form("json")
    assert form.read('{"note":"ab"}') == {"message": "note", "note": {"text": "ab"}}
    with pytest.raises(DecodeError, match="json: note at byte 0: missing"):
        form.read('{"kind":1,"magic":7,"again":null}')


def test_a_form_that_is_only_written_reads_no_line() -> None:
    form = Forms("json", [Form("json", "item", FormEntry("magic", "magic"), write_only=True)])
    with pytest.raises(DecodeError, match="json: record at byte 0: form json is written only"):
        form.read('{"magic":7}')
