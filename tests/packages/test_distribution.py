"""The wheel and the source distribution: an index would take them, and what is installed of them runs."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from email import message_from_bytes
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version
from support.paths import ROOT

pytestmark = pytest.mark.program

FRAME = "805600001400000000000014deadbeef00000000000000000000000000000000000000000000000800000001"
PARSE = f"from wireloom_protocols import couchbase_dcp; print(couchbase_dcp.parse(bytes.fromhex('{FRAME}'))['message'])"


def run(*command: str | Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that both are made in, with what is installed already."""
    folder = tmp_path_factory.mktemp("dist")
    done = run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_an_index_would_take_both(made: Path) -> None:
    files = sorted(made.iterdir())
    assert [file.name.partition("-")[0] for file in files] == ["wireloom", "wireloom"]
    done = run(sys.executable, "-m", "twine", "check", "--strict", *files)
    assert done.returncode == 0, done.stdout


def test_an_index_shows_no_link_into_the_checkout(made: Path) -> None:
    (wheel,) = made.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        shown = message_from_bytes(archive.read(metadata)).get_payload(decode=True).decode()
    links = re.findall(r"\]\(([^)]*)\)", shown)
    assert [link for link in links if not link.startswith("https://")] == []
    assert "<p" not in shown
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    fences = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
    assert fences.findall(shown) == fences.findall(readme)
    assert len(fences.findall(readme)) > 2


def test_the_wheel_runs_in_an_empty_environment(made: Path, tmp_path: Path) -> None:
    (wheel,) = made.glob("*.whl")
    environment = tmp_path / "environment"
    venv.create(environment)
    python = environment / "bin" / "python"
    installed = run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", wheel)
    assert installed.returncode == 0, installed.stderr
    found = find_spec("construct")
    assert found is not None
    assert found.origin is not None
    needed = tmp_path / "needed"
    needed.mkdir()
    needed.joinpath("construct").symlink_to(Path(found.origin).parent)
    alone = {"PYTHONPATH": str(needed), "PATH": ""}
    assert run(python, "-c", PARSE, env=alone).stdout == "snapshot_marker\n"
    program = run(environment / "bin" / "wireloom", "--version", env=alone)
    assert (program.returncode, program.stderr.count("\n")) == (2, 1)
    assert "pip install 'wireloom[cli]'" in program.stderr


WITHOUT_COMPILER = f"""
import sys
from pathlib import Path
sys.path[:] = [path for path in sys.path if not Path(path, "wireloom_generator").exists()]
import wireloom.cli
import wireloom.spark
from wireloom.spark.sources import source_of
from wireloom_protocols import couchbase_dcp
print(couchbase_dcp.decode_columnar(bytes.fromhex("{FRAME}")).num_rows)
print(source_of("wireloom_protocols.couchbase_dcp")({{}}).schema()["opcode"].name)
import wireloom_generator
"""


def test_what_runs_needs_no_compiler(made: Path, tmp_path: Path) -> None:
    (wheel,) = made.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    shutil.rmtree(tmp_path / "wireloom_generator")
    done = run(sys.executable, "-c", WITHOUT_COMPILER, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.stdout == "1\nopcode\n", done.stderr
    assert done.stderr.endswith("No module named 'wireloom_generator'\n")


def test_the_wheel_has_the_page_of_every_rule(made: Path) -> None:
    generator = ROOT / "generator"
    pages = {path.relative_to(generator).as_posix() for path in generator.glob("**/rules/pages/*.md")}
    assert pages
    (wheel,) = made.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert pages <= set(archive.namelist())


def test_the_wheel_has_what_sites_are_made_of(made: Path) -> None:
    generator = ROOT / "generator"
    folder = generator / "wireloom_generator" / "site"
    parts = {path.relative_to(generator).as_posix() for path in (*folder.glob("assets/*"), folder / "zensical.toml")}
    assert len(parts) > 3
    (wheel,) = made.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert parts <= set(archive.namelist())


def test_the_oldest_versions_are_those_that_are_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    needed = map(Requirement, (*project["dependencies"], *extras["arrow"], *extras["compression"], *extras["spark"]))
    pinned: dict[str, set[Version]] = {}
    for line in (ROOT / "constraints-oldest.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, version = line.partition(";")[0].strip().split("==")
            pinned.setdefault(name, set()).add(Version(version))
    for requirement in needed:
        if requirement.name != "wireloom":
            (least,) = (Version(bound.version) for bound in requirement.specifier if bound.operator == ">=")
            assert least == min(pinned[requirement.name]), requirement


def test_the_sources_have_what_makes_them(made: Path) -> None:
    (sources,) = made.glob("*.tar.gz")
    with tarfile.open(sources) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "specs/databus/protocol.yaml"} <= names
    assert "generator/wireloom_generator/rules/pages/known-type.md" in names
