"""The benchmarks' own arithmetic, the rival in C, and versions held against each other. No time is tested."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from support.paths import ROOT

BENCHMARKS = ROOT / "benchmarks"
sys.path.append(str(BENCHMARKS))

import by_c  # noqa: E402
import by_kaitai_cpp  # noqa: E402
import comparing  # noqa: E402
import targets  # noqa: E402
import timing  # noqa: E402
from report import Measured  # noqa: E402
from timing import Middle, Result  # noqa: E402


def test_ratios_are_of_rounds_that_were_taken_together() -> None:
    ours, theirs = Result("ours", (1.0, 2.0, 4.0)), Result("theirs", (3.0, 6.0, 4.0))
    assert theirs.over(ours) == Middle(3.0, (3.0 - 1.0) / 3.0)
    assert ours.shared(4).times == (0.25, 0.5, 1.0)


def test_rounds_go_through_calls_in_turns() -> None:
    called: list[str] = []
    turns = timing.Turns({"a": lambda: called.append("a"), "b": lambda: called.append("b")}, 0)
    assert set(turns.take(0)) == set(turns.take(1)) == {"a", "b"}
    assert called == ["a", "b", "b", "a"]


@pytest.mark.parametrize(
    ("target", "accelerated", "value", "verdict"),
    [
        ("mutations", True, 30, "holds"),
        ("mutations", True, 29.9, "misses"),
        ("mutations", False, 29.9, "holds"),
        ("help", True, 0.15, "holds"),
        ("help", False, 0.16, "misses"),
        ("snapshot marker: encode", True, 0.1, ""),
    ],
)
def test_targets_are_held_against_what_was_measured(target: str, accelerated: bool, value: float, verdict: str) -> None:
    (report,) = targets.told([Measured(target, accelerated, Middle(value, 0.1))])
    (row,) = report.rows
    assert len(row) == len(report.columns)
    assert (row[7] if accelerated else row[4]) == verdict
    assert row[5 if accelerated else 2] == f"{value:.3g} ±5%"


def test_a_target_that_is_measured_one_way_says_so_of_the_other() -> None:
    (report,) = targets.told([Measured("mutations", False, Middle(5, 0))])
    assert report.rows[0][2:] == ("5", "≥ 5", "holds", "", "≥ 30", "not measured")
    assert report.caption.startswith("1 targets hold, 0 are missed")


def test_there_is_no_table_of_nothing() -> None:
    assert list(targets.told([])) == []


@pytest.mark.skipif(not by_c.may_run(), reason="no C compiler")
def test_the_rival_in_c_gives_the_columns_of_its_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_c.captures, "BUILD", tmp_path)
    by_c.library.cache_clear()
    extras = bytes.fromhex("0000000000000005 0000000000000002 fffffffe 00000003 00000004 0006 07")
    header = "8057 {:04x} 1f01 0007 {:08x} 0000002a ffffffffffffffff"
    first = bytes.fromhex(header.format(3, 31 + 3 + 2)) + extras + "aß".encode() + b"\x80\x81"
    second = bytes.fromhex(header.format(0, 31)) + extras
    table = by_c.mutations(first + second)
    table.validate(full=True)
    row = table.to_pylist()[0]
    assert (row["message"], row["key_length"], row["cas"]) == ("mutation", 3, 2**64 - 1)
    assert list(row["mutation"].values()) == [5, 2, 2**32 - 2, 3, 4, 6, 7, "aß", b"\x80\x81"]
    assert table["mutation"].combine_chunks().field("key").to_pylist() == ["aß", ""]
    assert table.schema.field("cas").type == pa.decimal128(20, 0)
    assert by_c.hop(8, 24)(first + second) == 2
    for broken in (first[:-1], first[:20], b"\x81" + first[1:], first.replace("ß".encode(), b"\xc3\xc3")):
        with pytest.raises(ValueError, match="not a mutation"):
            by_c.mutations(second + broken)


def test_kaitai_says_what_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv(by_kaitai_cpp.RUNTIME, raising=False)
    by_kaitai_cpp.lacking.cache_clear()
    assert not by_kaitai_cpp.may_run()
    assert by_kaitai_cpp.told().endswith("for want of: c++, node, its C++ runtime in KAITAI_CPP_RUNTIME.")
    by_kaitai_cpp.lacking.cache_clear()


RUN = """
import json, sys
from pathlib import Path
import speed
report = {"title": "Toy: a title", "found": None, "times": {"same": 2.0, "changed": speed.SECONDS, **speed.MORE}}
Path(sys.argv[sys.argv.index("--output") + 1]).write_text(json.dumps({"toy": [report]}))
"""


def test_versions_are_held_against_each_other(tmp_path: Path) -> None:
    repository = tmp_path / "repository"

    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(repository), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    (repository / "runtime").mkdir(parents=True)
    git("init", "--quiet")
    speed = repository / "runtime" / "speed.py"
    speed.write_text("SECONDS, MORE = 4.0, {}\n")
    git("add", ".")
    git("commit", "--quiet", "--message", "slow, and without benchmarks")
    speed.write_text("SECONDS, MORE = 1.0, {'new': 1.0}\n")
    (repository / "benchmarks").mkdir()
    (repository / "benchmarks" / "run.py").write_text(RUN)
    (report,) = comparing.compared(repository, "HEAD", ["--only", "toy"], 2)
    assert report.rows == (("Toy: same", "1.00", "", ""), ("Toy: changed", "4.00", "", "faster"))
    assert json.loads(json.dumps(report.found))[1]["before"] == [4.0, 4.0]
    assert len(git("worktree", "list").splitlines()) == 1
    with pytest.raises(SystemExit, match="nowhere"):
        list(comparing.compared(repository, "nowhere", [], 1))


def test_what_differs_less_than_its_rounds_is_no_change() -> None:
    assert comparing.verdict(Middle(1.2, 0.5)) == ""
    assert comparing.verdict(Middle(1.04, 0.0)) == ""
    assert comparing.verdict(Middle(0.5, 0.1)) == "slower"
