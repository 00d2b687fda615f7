"""Types that contain themselves: rows that are deeper than their type, and how much is made of a type."""

from pathlib import Path

import pytest
from support import compiled
from support.agreement import check_outputs as check
from support.lockstep import Pair, records_alike

from wireloom.codec import DecodeError, EncodeError

PROTOCOL = compiled.of(compiled.FEATURES["recursion_without_ends"].read_text())
LEAF = {"kind": 9}


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"kind": 1, "items": [LEAF, {"kind": 1, "items": [LEAF]}]}, "value.items[1].items[0]"),
        ({"kind": 2, "pairs": [{"key": 1, "value": {"kind": 4, "one": LEAF}}]}, "value.pairs[0].value.one"),
        ({"kind": 3, "parts": [{"kind": 3, "parts": [{"kind": 0}]}, {"kind": 0}]}, "value.parts[0].parts[0]"),
    ],
)
def test_a_row_that_is_too_deep_is_not_written(value: dict[str, object], path: str) -> None:
    with pytest.raises(EncodeError) as told:
        PROTOCOL.codec.build({"kind": 1, "value": {"value": value}})
    assert str(told.value) == f"value.{path}: nested deeper than 2"


def test_it_is_told_where_a_record_is_too_deep() -> None:
    with pytest.raises(DecodeError) as told:
        PROTOCOL.codec.parse(bytes.fromhex("01 05  01 01  01 01  09"))
    assert str(told.value) == "too-deep: value.value.items[0].items[0] at byte 6: nested deeper than 2"


def test_both_engines_refuse_any_number_of_values_that_are_too_deep() -> None:
    records = [bytes.fromhex("01 05  01 01  01"), bytes.fromhex("01 fe  01 01  01 fa") + bytes(250)]
    records += [bytes.fromhex(f"01 05  01 01  01 {count:02x} 00") for count in range(4)]
    records_alike(Pair.of(PROTOCOL.columnar), records)


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
