"""``wireloom import``: what it writes, what it tells, and what it refuses."""

from pathlib import Path

import pytest
from cli.calls import run

from importers import words
from wireloom_generator import importers, importing
from wireloom_generator.importers import Importer, ImporterError, SourceError, Sources


class _Entry:
    """An entry point of another package."""

    def __init__(self, name: str, found: object) -> None:
        self.name, self.value, self.found = name, f"other:{name}", found

    def load(self) -> object:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, _Entry]:
    """What other packages bring: the importer ``words``."""
    found = {"words": _Entry("words", words.IMPORTER)}
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: found.values())
    monkeypatch.chdir(tmp_path)
    return found


def _words(text: str, name: str = "sensor.words") -> Path:
    path = Path(name)
    path.write_text(text, encoding="utf-8")
    return path


def test_specs_are_written_checked_and_counted() -> None:
    result = run("import", _words("kind u8\nlevel u16\n"))
    assert Path("specs/sensor/protocol.yaml").read_text() == (
        "# yaml-language-server: $schema=../schema.json\n"
        "protocol: sensor\n"
        "byte_order: big\n"
        "record:\n"
        "  length: fields\n"
        "  fields:\n"
        "    - {name: kind, type: u8}\n"
        "    - {name: level, type: u16}\n"
        "    - {section: body, size: 0}\n"
    )
    assert result.stdout.splitlines() == [
        "wrote specs/sensor (2 files)",
        "wrote specs/schema.json",
        "Read them, then run:",
        "  wireloom generate --out my_protocols",
        "  wireloom decode my_protocols.sensor CAPTURE",
        "messages and types: 1 whole, 0 in bytes, 0 refused, no problems",
    ]
    assert run("check").exit_code == 0


def test_what_check_refuses_is_bytes_with_the_reason() -> None:
    result = run("import", _words("kind u8\nlevel u99\n"), "--out", "here")
    assert (
        "    - {name: kind, type: u8}\n    # TODO: no integer has 99 bits\n    - {name: level, type: bytes, size: 1}\n"
    ) in Path("here/sensor/protocol.yaml").read_text()
    assert result.stderr == "sensor.words:1:1: sensor: in bytes: no integer has 99 bits\n"
    assert result.stdout.endswith("messages and types: 0 whole, 1 in bytes, 0 refused, no problems\n")
    assert "  wireloom generate here --out my_protocols\n" in result.stdout


def test_problems_that_no_place_explains_are_reported() -> None:
    result = run("import", _words("Kind u8\n", "Sensor.words"), status=1)
    assert "Sensor/protocol.yaml:2:11: error[name-style]: 'Sensor' is not snake_case" in result.stderr
    assert Path("specs/Sensor/line.yaml").exists()


def test_nothing_is_overwritten() -> None:
    run("import", _words("kind u8\n"))
    assert run("import", "sensor.words", status=2).stderr == (
        "wireloom: specs/sensor already exists; remove it, or choose another --out\n"
    )


@pytest.mark.parametrize(
    ("name", "text", "status", "told"),
    [
        ("a.words", "kind\n", 1, "a.words:1:1: 'kind' is not a name and a type"),
        ("a.words", "include a.words\n", 1, "a.words:1:1: a.words includes itself"),
        ("a.words", "include ../b\n", 1, "a.words:1:1: there is no file ../b"),
        ("a.words", "!", 2, "nothing says what a.words is; say --format: "),
        ("a.bin", "kind u8\n", 2, "nothing says what a.bin is; say --format: "),
    ],
)
def test_wrong_files_are_refused_with_a_sentence(name: str, text: str, status: int, told: str) -> None:
    error = run("import", _words(text, name), status=status).stderr
    assert error.startswith(f"wireloom: {told}")
    assert error.count("\n") == 1
    assert not Path("specs").exists()


def test_a_cycle_over_several_files_is_refused() -> None:
    _words("include b.words\n", "a.words")
    _words("kind u8\ninclude a.words\n", "b.words")
    assert run("import", "b.words", status=1).stderr == ("wireloom: b.words:2:1: a.words includes itself\n")


def test_a_file_that_is_no_text_is_refused() -> None:
    Path("a.words").write_bytes(b"kind u8\n\xff\x00")
    assert (
        run("import", "a.words", status=1).stderr
        == "wireloom: a.words:2:1: not text in UTF-8 or Windows-1252; convert it first\n"
    )


def test_files_are_not_read_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    _words("kind u8\n", "a.words")
    with pytest.raises(SourceError, match="more than 8 MiB in all files together"):
        Sources(7).text(Path("a.words"))
    monkeypatch.setattr(importers, "MOST_FILES", 1)
    sources = Sources()
    sources.text(Path("a.words"))
    sources.text(Path("a.words"))
    with pytest.raises(SourceError, match=r"^b\.words:1:1: more than 1 files$"):
        sources.text(_words("kind u8\n", "b.words"))


def test_a_missing_file_is_misuse() -> None:
    assert run("import", "none.words", status=1).stderr == "wireloom: none.words:1:1: not a file\n"


def test_files_of_several_formats_need_the_format(installed: dict[str, _Entry]) -> None:
    installed["others"] = _Entry("others", Importer("others", (".words",), lambda text: True, words.IMPORTER.read))
    _words("kind u8\n")
    assert run("import", "sensor.words", status=2).stderr == (
        "wireloom: sensor.words may be words or others; say --format\n"
    )
    assert run("import", "sensor.words", "--format", "words").exit_code == 0


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (ValueError("broken"), "the importer 'odd' cannot be loaded: ValueError: broken"),
        (3, "other:odd is not an Importer"),
    ],
)
def test_importers_of_others_may_be_wrong(installed: dict[str, _Entry], found: object, told: str) -> None:
    installed["odd"] = _Entry("odd", found)
    with pytest.raises(ImporterError, match=told):
        importers.named("odd")


def test_an_unknown_format_is_misuse() -> None:
    assert (
        "unknown format 'word'; did you mean 'words'?"
        in run("import", _words("kind u8\n"), "--format", "word", status=2).stderr
    )


@pytest.mark.parametrize("name", importers.own())
def test_importers_say_what_they_read(name: str) -> None:
    importer = importers.own()[name]
    assert importer.title
    assert all(suffix.startswith(".") for suffix in importer.suffixes)


def test_each_round_knows_more() -> None:
    """Names that are the same twice are refused one after the other, until what is left is a spec."""
    result = importing.imported([_words("a u97\nb u98\nc u99\n")], words.IMPORTER, Path("specs"))
    assert [outcome.reasons for outcome in result.outcomes] == [
        ("no integer has 97 bits", "no integer has 98 bits", "no integer has 99 bits")
    ]
    assert result.problems == ()
