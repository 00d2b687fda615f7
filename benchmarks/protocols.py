"""The protocols that are measured: those that ship, and those of specs in the checkout, importable when a run begins.

Its package goes to ``build/bench/generated``, which every process of a run has on its path.
"""

import importlib
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import captures

from wireloom import registry

HERE = Path(__file__).parent
GENERATED = captures.BUILD / "generated"


def generate(*more: Callable[[Path], None]) -> None:
    """Write the package of these specs, and of what ``more`` writes into a folder.

    From a copy, since the compiler writes a schema beside them.
    """
    import wireloom_generator  # here, as the processes that measure do without it

    shutil.rmtree(GENERATED, ignore_errors=True)
    specs = captures.BUILD / "specs"
    shutil.rmtree(specs, ignore_errors=True)
    for folder in (HERE / "specs", HERE.parent / "tests" / "attack" / "specs"):
        shutil.copytree(folder, specs, dirs_exist_ok=True)
    for write in more:
        write(specs)
    done = wireloom_generator.generate([specs], GENERATED, write=True, package="")
    if done.errors:
        sys.exit(f"the specs of the benchmarks have problems: {done.errors[0]}")
    importlib.invalidate_caches()


def search_path() -> str:
    """``PYTHONPATH`` for other processes of the run: the generated package, these modules, and what was there."""
    before = os.environ.get("PYTHONPATH", "")
    wanted = [str(GENERATED), str(HERE), *before.split(os.pathsep)]
    return os.pathsep.join(path for path in dict.fromkeys(wanted) if path)


def load(name: str) -> ModuleType:
    """The generated module of a protocol."""
    if str(GENERATED) not in sys.path:
        sys.path.insert(0, str(GENERATED))
    return registry.load(name)
