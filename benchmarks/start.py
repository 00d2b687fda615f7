"""How long it takes until something happens: the processor time of processes that do little."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence

import captures
import protocols
import timing
from report import Measured, Report, spread
from rivals import ACCELERATOR, RIVALS, SWITCH
from targets import TARGETS

_DECODE = (
    "import sys; from wireloom_protocols import couchbase_dcp as p; p.decode_columnar(open(sys.argv[1], 'rb').read())"
)
_ONE_THREAD = {"OMP_NUM_THREADS": "1"}
"""As Spark has it for its Python workers. Else numpy has a thread for each other core, which spins before it sleeps."""
_UNSAID = {SWITCH, "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PYTHONDONTWRITEBYTECODE"}
"""Variables that the processes have only where it is said here."""


def times(rounds: int) -> Iterator[Report]:
    """A first table of one frame, the help of the command line, and that frame decoded by it.

    Beside the first table: the same where numpy has one thread, and what no table can do without.
    """
    block = captures.markers(1)
    capture = block.capture("start.bin", records=1)
    wireloom = [sys.executable, "-m", "wireloom"]
    table = [sys.executable, "-c", _DECODE, capture.path]
    commands: dict[str, tuple[str, Sequence[str], Mapping[str, str]]] = {
        "first": ("decode_columnar of one frame, in a new process", table, {}),
        "one thread": ("the same with OMP_NUM_THREADS=1, as in Spark's workers", table, _ONE_THREAD),
        "floor": ("import numpy, pyarrow", [sys.executable, "-c", "import numpy, pyarrow"], {}),
        "help": ("wireloom --help", [*wireloom, "--help"], {}),
        "frame": ("wireloom decode of one frame", [*wireloom, "decode", capture.protocol, capture.path], {}),
    }
    ways = {False: {SWITCH: "0"}, True: {}} if RIVALS["columnar_accelerated"].may_run() else {False: {}}
    lines, seconds, reached = [], {}, []
    keys = [(name, way) for name in commands for way in ways if name in TARGETS or not way]
    found: dict[tuple[str, bool], list[float]] = {key: [] for key in keys}
    for number in range(-1, rounds):  # the first writes what is compiled, and does not count
        for name, way in reversed(keys) if number % 2 else keys:
            _, command, variables = commands[name]
            spent = _spent(command, {**ways[way], **variables})
            if number >= 0:
                found[name, way].append(spent)
    for (name, way), rounds_ in found.items():
        middle = timing.middle(rounds_)
        what = f"{commands[name][0]}{f', {ACCELERATOR} installed' if way else ''}"
        lines.append((what, f"{middle.value:.3f}", spread(middle.spread)))
        seconds[what] = middle.value
        if name in TARGETS:
            reached.append(Measured(name, way, middle))
    caption = f"Of all threads. {ACCELERATOR} is loaded when some megabytes were read, and so never here."
    yield Report("Start", ("", "s CPU", "spread"), tuple(lines), caption, seconds, seconds, tuple(reached))


def _spent(command: Sequence[str], variables: Mapping[str, str]) -> float:
    """The processor seconds of a process. Ends the run where it fails."""
    environment = {name: value for name, value in os.environ.items() if name not in _UNSAID}
    environment |= {"PYTHONPATH": protocols.search_path(), **variables}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)}: {said.decode().strip()}")
    return usage.ru_utime + usage.ru_stime
