"""The wheel and the source distribution: an index would take them, and what is installed of them runs."""

import subprocess
import sys
import tarfile
import venv
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.program

ROOT = Path(__file__).parent.parent
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


def test_the_sources_have_what_makes_them(made: Path) -> None:
    (sources,) = made.glob("*.tar.gz")
    with tarfile.open(sources) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "specs/databus/protocol.yaml"} <= names
