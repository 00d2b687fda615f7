"""Types that contain themselves: values that are too deep for columns, and how much is made of a type."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import compiled
from support.agreement import check_outputs as check
from support.lockstep import Pair, records_alike

from wireloom.codec import DecodeError, EncodeError
from wireloom_generator import explained
from wireloom_generator.emitters import parsers

PROTOCOL = compiled.of(compiled.FEATURES["recursion_without_ends"].read_text())


def _written(items: object) -> bytes:
    """The record of a value in a value."""
    value = {"kind": 1, "items": [{"kind": 1, "items": items}]}
    found: bytes = PROTOCOL.codec.build({"kind": 1, "value": {"value": value}})
    return found


def test_bytes_are_written_as_the_values_that_they_are() -> None:
    assert _written([b"\x09", b"\x01\x01\x07"]).hex(" ") == "01 08 01 01 01 02 09 01 01 07"


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ({"kind": 9}, "bytes expected, not {'kind': 9}"),
        (b"", "not the bytes of one value: truncated: kind at byte 6: needs 1 byte, 0 left"),
        (b"\x09\x09", "not the bytes of one value: 1 more than it has"),
        (b"\x01\x01", "not the bytes of one value: count: items at byte 8: 1 item cannot stand in 0 bytes"),
        (
            bytes.fromhex("01 01  01 01  09"),
            "not the bytes of one value: too-deep: items[0].items[0] at byte 10: nested deeper than 4",
        ),
    ],
)
def test_bytes_that_are_not_one_value_are_not_written(item: object, reason: str) -> None:
    with pytest.raises(EncodeError) as told:
        _written([item])
    assert str(told.value) == f"value.value.items[0].items[0]: {reason}"


def test_it_is_told_where_a_record_is_too_deep() -> None:
    with pytest.raises(DecodeError) as told:
        PROTOCOL.codec.parse(bytes.fromhex("01 09  01 01  01 01  01 01  01 01  09"))
    path = "value.value.items[0].items[0].items[0].items[0]"
    assert str(told.value) == f"too-deep: {path} at byte 10: nested deeper than 4"


def test_both_engines_read_any_number_of_values_that_are_too_deep_for_columns() -> None:
    records = [bytes.fromhex("01 05  01 01  01"), bytes.fromhex("01 fe  01 01  01 fa") + bytes(250)]
    records += [bytes.fromhex(f"01 05  01 01  01 {count:02x} 00") for count in range(4)]
    records_alike(Pair.of(PROTOCOL.columnar), records)


@pytest.fixture
def short_stack() -> Iterator[None]:
    """As many calls as Python allows unless it is told otherwise."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.usefixtures("short_stack")
def test_types_between_values_do_not_count() -> None:
    """Statements and terms in turn, with a block around each statement but the first: 64 of them, and 65."""
    data = b"\x01\x02\x01" * 31 + b"\x01\x09"
    record = bytes([2, len(data)]) + data
    assert PROTOCOL.codec.build(PROTOCOL.codec.parse(record)) == record
    data = b"\x01\x02\x01" * 31 + b"\x01\x01\x09"
    with pytest.raises(DecodeError, match=r": nested deeper than 64$"):
        PROTOCOL.codec.parse(bytes([2, len(data)]) + data)


def _parsers(name: str) -> dict[str, str]:
    """The code of the types in the generated parsers of a feature, by name."""
    (file,) = parsers.emit(compiled.of(compiled.FEATURES[name].read_text()).protocol)
    return {
        statement.targets[0].id: ast.unparse(statement.value)
        for statement in ast.parse(file.text).body
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
    }


def test_the_levels_of_a_type_are_made_by_one_function() -> None:
    found = _parsers("recursion_without_ends")
    assert found["Asked"].startswith("recursive(lambda Asked: Layout('kind' / Int8ub, ")
    assert found["Asked"].endswith("depth=2, limit=64)")
    assert "Asked2" not in found


def test_the_deepest_level_is_a_layout_of_its_own_if_its_parts_are_others() -> None:
    found = _parsers("recursion")
    assert "'children' / Blob(Rest())" in found["Node3"]
    assert found["Node"].startswith("recursive(lambda Node: Layout(")
    assert found["Node"].endswith(", Node3, depth=3)")
    assert "Node2" not in found


def test_each_type_is_made_once_for_each_depth() -> None:
    names = [struct.name for struct in PROTOCOL.protocol.structs]
    assert sorted(name for name in names if name[0] in "PV") == ["Pair1", "Pair2", "Value", "Value2"]


def test_a_tree_with_too_many_branches_is_refused_at_once(tmp_path: Path) -> None:
    branches = "\n".join(f"      - {{name: branch{number}, type: Tree, when: kind == {number}}}" for number in range(9))
    text = f"""\
protocol: forest
byte_order: big
types:
  - name: Tree
    depth: 32
    fields:
      - {{name: kind, type: u8}}
{branches}
record:
  length: fields
  fields:
    - {{name: tree, type: Tree}}
    - {{section: body, size: 0}}
"""
    (problem,) = check([compiled.folders(text, tmp_path)])
    assert str(problem).endswith(
        "error[too-large]: more than 50000 fields, each counted wherever it is used; a list of a "
        "type counts once; a smaller depth gives fewer"
    )


def test_it_is_said_which_values_programs_leave_to_the_codec() -> None:
    found = explained.support(PROTOCOL.codec)
    assert found.unread["statement"] == found.unwritten["statement"] == ("a value that is too deep for columns",)
