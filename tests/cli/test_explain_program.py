"""``wireloom explain --program``: the instructions of a message beside the lines of its spec."""

import re
from pathlib import Path

import pytest
from support.paths import ROOT

from cli.calls import run

PROTOCOL = """\
protocol: tiny
title: Tiny
doc: Notes.
byte_order: big
record:
  doc: A header of three bytes and a body.
  length: 3 + size
  fields:
    - {name: kind, type: u8, doc: Selects the message.}
    - {name: size, type: u16, derive: size(body), doc: The size of the body.}
    - {section: body, size: size, doc: The message.}
"""
NOTE = """\
message: note
title: Note
doc: A note.
match: {kind: 1}
sections:
  body:
    - {name: level, type: u8, doc: How urgent it is.}
    - {name: code, type: u16, when: level == 7, doc: Why it is that urgent.}
    - {name: words, type: text, size: rest, doc: What it says.}
"""
MIXED = """\
message: mixed
title: Mixed
doc: What no program reads.
match: {kind: 2}
sections:
  body:
    - {name: words, type: text, size: rest, doc: What it says.}
    - {name: early, type: bool, compute: words < 'm', doc: What no program computes.}
"""
RECORD, KIND, SIZE, BODY = (
    f"specs/tiny/protocol.yaml:{line}" for line in ("6  record", "9  kind: u8", "10  size: u16", "11  section: body")
)
LEVEL, CODE, WORDS = (f"specs/tiny/note.yaml:{line}" for line in ("7  level: u8", "8  code: u16", "9  words: text"))


@pytest.fixture(autouse=True)
def specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the specs, in the working directory."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "specs" / "tiny"
    folder.mkdir(parents=True)
    for name, text in (("protocol", PROTOCOL), ("note", NOTE), ("mixed", MIXED)):
        folder.joinpath(f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


def programs(*arguments: str) -> dict[str, list[tuple[str, str]]]:
    """The programs that are printed, by what is said of them: their lines, and what is beside each. Outputs are not
    numbered.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for part in re.split(r"^(?=\S+\.\S+: )", run("explain", "--program", *arguments).stdout, flags=re.MULTILINE)[1:]:
        title, *lines = filter(None, part.splitlines())
        assert max(map(len, lines)) <= 140
        beside = [re.sub(r"output \d+", "output #", line).rstrip().partition("  ; ") for line in lines]
        found[title] = [(text.rstrip(), place) for text, _, place in beside]
    return found


def test_a_message_is_read_by_these_instructions() -> None:
    """Worked by hand: three bytes, of which the size says how many follow; a byte, two more if it is 7, and the rest,
    which is text. Columns of u8 have 16 bits, those of u16 32. Then the size must be that of the body, and the body
    must be the rest of the record. Each line is an instruction, but for the one that sets two registers to 0.
    """
    ((title, lines),) = programs("tiny.note").items()
    assert re.fullmatch(rf"tiny\.note: reads a record, with {len(lines) + 1} instructions and \d+ registers", title)
    assert lines == [
        ("%at = need 3 bytes at start before stop", RECORD),
        ("%kind = load u8 [%at]", KIND),
        ("store u16 %kind to output #", ""),
        ("%size = load u16 big [%at + 1]", SIZE),
        ("store u32 %size to output #", ""),
        ("%1 = %at + 3", RECORD),
        ("%body, %body.end = take %size bytes at %1 before stop", BODY),
        ("%body.at = need 1 byte at %body before %body.end", ""),
        ("%level = load u8 [%body.at]", LEVEL),
        ("store u16 %level to output #", ""),
        ("%2 = %body.at + 1", BODY),
        ("%3 = %level == 7", ""),
        ("store bit %3 to output #", CODE),
        ("%code, %body.at.2 = 0", BODY),
        ("when %3:", ""),
        ("    %body.at.2 = need 3 bytes at %body.at before %body.end where %3", ""),
        ("    %code = load u16 big [%body.at.2 + 1]", CODE),
        ("store u32 %code to output #", ""),
        ("%4 = %body.at.2 + 3", BODY),
        ("%5 = %4 if %3 else %2", ""),
        ("check text ascii=0 from %5 to %body.end else reject words", WORDS),
        ("store bytes from %5 to %body.end to output #", ""),
        ("%6 = %body.end - %body", SIZE),
        ("%7 = %size == %6", ""),
        ("check %7 else reject size", ""),
        ("%8 = %body.end == stop", RECORD),
        ("check %8 else reject", ""),
    ]


@pytest.mark.parametrize("arguments", [["note"], ["note", "specs"], ["tiny.note", "specs/tiny"]])
def test_a_message_is_named_with_its_protocol_or_alone(arguments: list[str]) -> None:
    assert programs(*arguments) == programs("tiny.note")


def test_programs_that_write_are_printed_too() -> None:
    """Columns are read, numbers that follow from others are computed, everything is written, and read again."""
    writes, measures = programs("tiny.note", "--write").items()
    assert writes[0].startswith("tiny.note: writes a record, with ")
    assert measures[0].startswith("tiny.note: says how many bytes a record takes, with ")
    given = [
        (text.partition(" = ")[0], place) for text, place in writes[1] if text.endswith("of row %row size=2 step=2")
    ]
    assert given == [("%kind", ""), ("%level", "")]
    written = [(text, place) for text, place in writes[1] if text.startswith(("write ", "copy "))]
    assert [(re.sub(r"%[\w.]+", "%", text), place) for text, place in written] == [
        ("write 1 in 1 byte big=1 to [start]", KIND),
        ("write % in 2 bytes big=1 to [start + 1]", SIZE),
        ("write % in 1 byte big=1 to [start + 3]", LEVEL),
        ("write % in 2 bytes big=1 to [start + 4] where %", CODE),
        ("copy from % to % to [%] where %", ""),
    ]
    sizes = [text for text, _ in measures[1]]
    assert sizes[-3:] == ["%5 = %4 if %words.bit else 0", "%6 = %3 + %5", "store u64 %6 to output #"]


def test_the_byte_order_is_a_parameter(specs: Path) -> None:
    text = PROTOCOL.replace(
        "byte_order: big\n",
        "byte_order: byte_order\nparameters:\n"
        "  - {name: byte_order, type: text, choices: [big, little], default: big, doc: The order.}\n",
    )
    specs.joinpath("protocol.yaml").write_text(text, encoding="utf-8")
    for order in ("big", "little"):
        lines = [text for each in programs("note", "-P", f"byte_order={order}").values() for text, _ in each]
        assert f"%size = load u16 {order} [%at + 1]" in lines


@pytest.mark.parametrize(("option", "does"), [([], "reads"), (["--write"], "writes")])
def test_a_message_without_a_program_is_one_line_with_the_reason(option: list[str], does: str) -> None:
    told = run("explain", "--program", "mixed", *option).stdout
    assert re.fullmatch(rf"No program {does} tiny\.mixed, which has .+\.\n", told)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--program", "tiny.nota"], "unknown message 'tiny.nota'; did you mean 'tiny.note'?"),
        (["--program", "nota"], "unknown message 'nota'; did you mean 'note'?"),
        (["--program", "xyz"], "unknown message 'xyz'; known: mixed, note, unknown"),
        (["--program", "tin.note"], "unknown protocol 'tin'; did you mean 'tiny'?"),
        (["--program", "note", "absent"], "there is no file or folder absent"),
        (["--program", "note", "-P", "x=1"], "unknown parameter 'x'; known: u64"),
        (["--write"], "--write needs --program"),
        (["-P", "x=1"], "-P needs --program"),
    ],
)
def test_misuse_is_one_sentence_and_status_2(arguments: list[str], message: str) -> None:
    result = run("explain", *arguments, status=2)
    assert (result.stderr, result.stdout) == (f"wireloom: {message}\n", "")


def test_a_message_of_several_protocols_is_asked_for_by_both_names(specs: Path) -> None:
    other = specs.parent / "other"
    other.mkdir()
    other.joinpath("protocol.yaml").write_text(PROTOCOL.replace("protocol: tiny", "protocol: other"), encoding="utf-8")
    other.joinpath("note.yaml").write_text(NOTE, encoding="utf-8")
    told = run("explain", "--program", "note", status=2).stderr
    assert told == "wireloom: several protocols have a message 'note'; write other.note or tiny.note\n"
    assert programs("other.note")


def test_specs_with_errors_have_no_programs(specs: Path) -> None:
    specs.joinpath("note.yaml").write_text(NOTE.replace("type: u8", "type: octet"), encoding="utf-8")
    result = run("explain", "--program", "note", status=1)
    assert "error[known-type]" in result.stderr
    assert result.stdout == ""


def test_fields_of_one_name_in_alternatives_are_beside_their_instructions() -> None:
    folder = str(ROOT / "specs" / "memcached")
    ((_, lines),) = (each for each in programs("memcached.quit", folder).items() if "a record" in each[0])
    text = ROOT.joinpath("specs/memcached/library.yaml").read_text(encoding="utf-8").splitlines()
    numbers = [str(number) for number, line in enumerate(text, 1) if re.search(r"\{name: key_length, ", line)]
    assert len(numbers) == 2
    (place,) = {place for text, place in lines if text.strip() == "%key_length = load u16 big [%at.4 + 2]"}
    assert f"library.yaml:{','.join(numbers)}  key_length" in place
