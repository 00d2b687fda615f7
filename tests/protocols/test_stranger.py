"""A protocol of one's own, from an empty folder to decoded rows: nothing about it is known to Wireloom beforehand."""

import json
import os
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest
from click.testing import CliRunner
from pyarrow import parquet

import wireloom as runtime
import wireloom_generator as generator
from wireloom.cli import app

INSTALLED = [str(Path(package.__path__[0]).parent) for package in (runtime, generator)]
"""All that a process of somebody else's can import of Wireloom: what is tested, and no protocols."""
RECORD = "574c 01 0016 00000007 0000018bcfe56800 41ac0000 00 6174746963"
"""A reading of sensor 7, as the starter's example has it."""


def wireloom(folder: Path, *arguments: str, stdin: str = "", status: int = 0) -> str:
    """Run the program in ``folder``; its standard output, or where it fails its standard error.

    What imports the generated protocol has a process of its own, which does without the accelerator.
    """
    if arguments[0] not in ("decode", "encode"):
        with chdir(folder):
            result = CliRunner().invoke(app, arguments)
        assert result.exit_code == status, result.output
        return result.stderr if status else result.stdout
    done = subprocess.run(
        [sys.executable, "-m", "wireloom", *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(INSTALLED), "WIRELOOM_ACCEL": "0"},
    )
    assert done.returncode == status, done.stderr
    return done.stderr if status else done.stdout


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that was empty, in which a protocol was begun and generated."""
    folder = tmp_path_factory.mktemp("stranger")
    wireloom(folder, "init", "mine")
    wireloom(folder, "check")
    wireloom(folder, "generate", "--out", "my_protocols")
    return folder


def test_the_starter_passes_check(tmp_path: Path) -> None:
    printed = wireloom(tmp_path, "init", "mine")
    assert "wrote specs/mine/protocol.yaml" in printed
    assert wireloom(tmp_path, "check", "specs/mine") == "specs/mine: no problems\n"


@pytest.mark.program
def test_files_of_a_header_and_records_are_begun_and_decoded(tmp_path: Path) -> None:
    wireloom(tmp_path, "init", "log", "--file")
    assert wireloom(tmp_path, "check") == "specs: no problems\n"
    wireloom(tmp_path, "generate", "--out", "my_protocols")
    header = "4c4f4731 0100 0800 6174746963000000"
    printed = wireloom(tmp_path, "decode", "my_protocols.log", "-", "--hex", stdin=f"{header} 00f15365 38ff 01 aa")
    first, second = map(json.loads, printed.splitlines())
    assert first["capture"] == {"magic": "4c4f4731", "version": 1, "entry_size": 8, "station": "attic"}
    assert second["entry"] == {
        "taken_at": "2023-11-14T22:13:20Z",
        "temperature": "-2.00",
        "quality": 1,
        "quality_name": "Suspect",
        "trailing_body": "aa",
    }


def test_what_is_generated_can_be_imported(started: Path) -> None:
    code = "from my_protocols import mine; print(mine.messages['reading'].name, mine.Quality.Suspect.value)"
    done = subprocess.run([sys.executable, "-c", code], cwd=started, capture_output=True, text=True, check=True)
    assert done.stdout == "reading 1\n"


@pytest.mark.program
def test_it_decodes_and_encodes(started: Path) -> None:
    printed = wireloom(started, "decode", "my_protocols.mine", "-", "--hex", stdin=RECORD)
    row = json.loads(printed)
    assert row["message"] == "reading"
    assert row["reading"] == {
        "sensor_id": 7,
        "taken_at": 1700000000000,
        "temperature": 21.5,
        "quality": 0,
        "quality_name": "Good",
        "place": "attic",
    }
    assert wireloom(started, "encode", "my_protocols.mine", "--hex", stdin=printed).strip() == RECORD.replace(" ", "")


@pytest.mark.program
def test_it_is_found_by_its_name_on_the_path_too(started: Path) -> None:
    assert wireloom(started / "my_protocols", "decode", "mine", "-", "--hex", stdin=RECORD)


@pytest.mark.program
def test_spark_finds_it_where_its_folder_is_on_the_path(started: Path) -> None:
    code = (
        "import pyspark_mine; print(pyspark_mine.DefaultSource.name(), pyspark_mine.DefaultSource({}).schema().names)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=started / "my_protocols",
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(INSTALLED)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("mine ['message', ")


@pytest.mark.program
def test_an_edit_shows_in_check_until_it_is_generated(tmp_path: Path) -> None:
    wireloom(tmp_path, "init", "mine")
    wireloom(tmp_path, "generate", "--out", "my_protocols")
    checked = wireloom(tmp_path, "generate", "--out", "my_protocols", "--check")
    assert checked == "my_protocols is up to date with specs\n"
    spec = tmp_path / "specs" / "mine" / "reading.yaml"
    spec.write_text(spec.read_text().replace("name: place", "name: room").replace("place: attic", "room: attic"))
    found = wireloom(tmp_path, "generate", "--out", "my_protocols", "--check", status=1)
    assert "my_protocols/mine/parsers.py: edited" in found
    assert '+            "room" / Text(Rest()),' in found
    assert found.splitlines()[-1] == (
        "wireloom: my_protocols is out of date with specs; run: wireloom generate specs --out my_protocols"
    )
    assert "wrote my_protocols/mine/parsers.py" in wireloom(tmp_path, "generate", "--out", "my_protocols")
    row = json.loads(wireloom(tmp_path, "decode", "my_protocols.mine", "-", "--hex", stdin=RECORD))
    assert row["reading"]["room"] == "attic"


def test_a_file_that_no_spec_gives_any_more_is_removed(tmp_path: Path) -> None:
    wireloom(tmp_path, "init", "mine")
    wireloom(tmp_path, "generate", "--out", "my_protocols")
    left_over = tmp_path / "my_protocols" / "mine" / "left_over.py"
    left_over.write_text((left_over.parent / "enums.py").read_text())
    found = wireloom(tmp_path, "generate", "--out", "my_protocols", "--check", status=1)
    assert "my_protocols/mine/left_over.py: orphaned" in found
    assert wireloom(tmp_path, "generate", "--out", "my_protocols") == "removed my_protocols/mine/left_over.py\n"
    assert not left_over.exists()


@pytest.mark.program
def test_a_package_can_be_named(tmp_path: Path) -> None:
    wireloom(tmp_path, "init", "mine")
    wireloom(tmp_path, "generate", "--out", ".", "--package", "acme.wire")
    assert wireloom(tmp_path, "decode", "acme.wire.mine", "-", "--hex", stdin=RECORD)
    assert wireloom(tmp_path, "generate", "--out", ".", "--check") == ". is up to date with specs\n"
    found = wireloom(tmp_path, "generate", "--out", ".", "--package", "acme wire", status=2)
    assert found == "wireloom: --package must be a dotted name, such as my.protocols, not 'acme wire'\n"


def test_every_mistake_is_told_with_its_place(tmp_path: Path) -> None:
    wireloom(tmp_path, "init", "mine")
    spec = tmp_path / "specs" / "mine" / "reading.yaml"
    spec.write_text(spec.read_text().replace("type: u32", "type: u33").replace("enum: Quality", "enum: Qualiti"))
    for command in (["check"], ["generate", "--out", "my_protocols"]):
        found = wireloom(tmp_path, *command, status=1)
        assert "specs/mine/reading.yaml:10:" in found
        assert "did you mean 'Quality'?" in found
        assert found.splitlines()[-1].startswith("wireloom: 2 errors; explain with: wireloom explain ")
    assert not (tmp_path / "my_protocols").exists()


def test_an_example_that_does_not_hold_is_told(tmp_path: Path) -> None:
    wireloom(tmp_path, "init", "mine")
    spec = tmp_path / "specs" / "mine" / "reading.yaml"
    spec.write_text(spec.read_text().replace("sensor_id: 7,", "sensor_id: 8,"))
    assert "sensor_id" in wireloom(tmp_path, "check", status=1)


EMPTY = """
protocol: pings
byte_order: big
record:
  length: 1
  fields: [{name: kind, type: u8}, {section: body, size: rest}]
"""


def test_a_message_without_fields_fits_every_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "specs" / "pings"
    folder.mkdir(parents=True)
    (folder / "protocol.yaml").write_text(EMPTY)
    (folder / "ping.yaml").write_text("message: ping\nmatch: {kind: 1}\n")
    wireloom(tmp_path, "generate", "--out", "without_fields")
    capture = tmp_path / "capture.bin"
    capture.write_bytes(b"\1\2")
    for name in ("jsonl", "parquet", "arrow"):
        arguments = ["decode", "without_fields.pings", capture, "--format", name, "--output", tmp_path / f"out.{name}"]
        assert CliRunner().invoke(app, list(map(str, arguments))).exit_code == 0
    assert json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])["ping"] == {}
    assert parquet.read_table(tmp_path / "out.parquet").column("message").to_pylist() == ["ping", "unknown"]


@pytest.mark.spark
@pytest.mark.long
def test_spark_reads_it(started: Path, tmp_path: Path) -> None:
    (tmp_path / "capture.bin").write_bytes(bytes.fromhex(RECORD))
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    path = os.pathsep.join([str(started), *INSTALLED])
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "capture.bin")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
    )
    assert done.stdout == "Row(message='reading', place='attic', quality_name='Good')\n", done.stderr


SCRIPT = """
import sys
from pyspark.sql import SparkSession
from wireloom.spark import register

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", False).getOrCreate()
register(spark, "my_protocols.mine")
rows = spark.read.format("mine").load(sys.argv[1])
print(rows.select("message", "reading.place", "reading.quality_name").first())
"""


def test_no_specs_is_one_sentence(tmp_path: Path) -> None:
    assert wireloom(tmp_path, "check", status=2) == (
        "wireloom: there is no file or folder specs; name the specs, or create some with: wireloom init NAME\n"
    )
