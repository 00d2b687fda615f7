"""A section with ``trailing`` has a column for the bytes left over, unless its fields never leave any."""

import pytest
from support import compiled

SPEC = """\
protocol: left_over
byte_order: big
types:
  - {name: Whole, fields: [{name: kind, type: u8}, {name: text, type: text, size: rest}]}
  - {name: Some, fields: [{name: kind, type: u8}, {name: text, type: text, size: kind}]}
record:
  length: length
  fields:
    - {name: length, type: u8}
    - {section: body, size: rest, trailing: rest_of_body}
---
message: only
match: {}
sections:
  body:
    - {name: first, type: u8}
"""

TAKING = {
    "bytes": "{name: a, type: bytes, size: rest}",
    "list": "{name: a, type: u8, repeat: rest}",
    "optional": "{name: a, type: bytes, size: rest, optional: true}",
    "struct": "{name: a, type: Whole, optional: true}",
    "include": "{include: Whole}",
    "section": "{section: a, size: rest, fields: [{name: b, type: bytes, size: rest}]}",
    "choice": "{choice: [{when: first == 1, fields: [{include: Whole}]}, {fields: [{include: Whole}]}]}",
    "computed": "{name: a, type: bytes, size: rest}\n    - {name: b, type: u8, compute: first}",
}
LEAVING = {
    "number": "{name: a, type: u8}",
    "condition": "{name: a, type: bytes, size: rest, when: first == 1}",
    "list": "{name: a, type: u8, repeat: {count: 1}}",
    "struct": "{name: a, type: Some}",
    "sized_struct": "{name: a, type: Whole, size: 1}",
    "choice": "{choice: [{when: first == 1, fields: [{include: Whole}]}, {fields: [{name: b, type: u8}]}]}",
    "open_choice": "{choice: [{when: first == 1, fields: [{name: b, type: bytes, size: rest}]}]}",
}


@pytest.mark.parametrize(
    ("fields", "leaves"),
    [*((text, False) for text in TAKING.values()), *((text, True) for text in LEAVING.values())],
    ids=[*(f"taking_{name}" for name in TAKING), *(f"leaving_{name}" for name in LEAVING)],
)
def test_a_column_for_bytes_left_over_is_there_if_there_can_be_any(fields: str, leaves: bool) -> None:
    protocol = compiled.of(f"{SPEC}    - {fields}\n").codec
    columns = [column.name for column in protocol.messages["only"].columns]
    assert ("rest_of_body" in columns) is leaves
    rows = [protocol.parse(bytes([5 + extra, first, 1, *bytes(2 + extra)])) for first in (0, 1) for extra in (0, 1)]
    assert any(row["only"].get("rest_of_body") is not None for row in rows) is leaves
