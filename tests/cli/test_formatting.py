"""``wireloom fmt``: what it writes, says and ends with."""

from pathlib import Path

import pytest

from cli.calls import run

UNTIDY = 'protocol:   "x"  # named\n'
TIDY = "protocol: x # named\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "specs/x/protocol.yaml": UNTIDY,
        "specs/x/kinds/m.yaml": "message: m\n",
        "specs/.hidden/a.yaml": UNTIDY,
        "specs/other.yaml": "a:   1\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_spec_files_are_formatted_in_place(folder: Path) -> None:
    assert run("fmt").output == "formatted specs/x/protocol.yaml\n"
    assert (folder / "specs/x/protocol.yaml").read_text(encoding="utf-8") == TIDY
    assert (folder / "specs/.hidden/a.yaml").read_text(encoding="utf-8") == UNTIDY
    assert (folder / "specs/other.yaml").read_text(encoding="utf-8") == "a:   1\n"
    assert run("fmt").output == "2 files are in canonical form\n"
    assert run("fmt", "specs/other.yaml").output == "formatted specs/other.yaml\n"


def test_check_and_diff_write_nothing(folder: Path) -> None:
    checked = run("fmt", "--check", status=1)
    assert checked.stdout == "specs/x/protocol.yaml would change\n"
    assert checked.stderr == "wireloom: 1 file is not in canonical form; run: wireloom fmt\n"
    diff = [
        "--- specs/x/protocol.yaml (on disk)", "+++ specs/x/protocol.yaml (formatted)", "@@ -1 +1 @@",
        f"-{UNTIDY}", f"+{TIDY}",
    ]  # fmt: skip
    assert run("fmt", "--diff", status=1).stdout == "\n".join(map(str.rstrip, diff)) + "\n"
    assert (folder / "specs/x/protocol.yaml").read_text(encoding="utf-8") == UNTIDY
    assert run("fmt", "--check", "specs/x/kinds").output == "1 file is in canonical form\n"


def test_standard_input_is_formatted_to_standard_output() -> None:
    assert run("fmt", "-", stdin=UNTIDY.encode()).output == TIDY
    assert run("fmt", "-", stdin="doc:   'é 日本'\n".encode()).output == "doc: é 日本\n"
    assert run("fmt", "-", "--check", stdin=UNTIDY.encode(), status=1).stdout == "- would change\n"
    assert run("fmt", "-", "specs", status=2).output == (
        "wireloom: standard input is formatted alone, without other files\n"
    )


def test_what_cannot_be_formatted_stays_and_does_not_stop_the_rest(folder: Path) -> None:
    broken = folder / "specs/x/kinds/m.yaml"
    broken.write_text("message: [m\n", encoding="utf-8")
    result = run("fmt", status=1)
    assert result.stdout == "formatted specs/x/protocol.yaml\n"
    assert result.stderr.startswith("specs/x/kinds/m.yaml:2:1: error[yaml]:")
    assert broken.read_text(encoding="utf-8") == "message: [m\n"
    broken.write_bytes(b"message: \xff\n")
    assert run("fmt", status=2).output == (
        "wireloom: specs/x/kinds/m.yaml is not UTF-8: invalid start byte at byte 9\n"
    )
