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

_DECODE = (
    "import sys; from wireloom_protocols import couchbase_dcp as p; p.decode_columnar(open(sys.argv[1], 'rb').read())"
)


def times(rounds: int) -> Iterator[Report]:
    """A first table of one frame, the help of the command line, and that frame decoded by it."""
    block = captures.markers(1)
    capture = block.capture("start.bin", records=1)
    wireloom = [sys.executable, "-m", "wireloom"]
    commands: dict[str, tuple[str, Sequence[str]]] = {
        "first": ("decode_columnar of one frame, in a new process", [sys.executable, "-c", _DECODE, capture.path]),
        "help": ("wireloom --help", [*wireloom, "--help"]),
        "frame": ("wireloom decode of one frame", [*wireloom, "decode", capture.protocol, capture.path]),
    }
    ways = {False: {SWITCH: "0"}, True: {}} if RIVALS["columnar_accelerated"].may_run() else {False: {}}
    lines, seconds, reached = [], {}, []
    keys = [(name, way) for name in commands for way in ways]
    found: dict[tuple[str, bool], list[float]] = {key: [] for key in keys}
    for number in range(-1, rounds):  # the first writes what is compiled, and does not count
        for name, way in reversed(keys) if number % 2 else keys:
            spent = _spent(commands[name][1], ways[way])
            if number >= 0:
                found[name, way].append(spent)
    for (name, way), rounds_ in found.items():
        middle = timing.middle(rounds_)
        what = f"{commands[name][0]}{f', {ACCELERATOR} installed' if way else ''}"
        lines.append((what, f"{middle.value:.3f}", spread(middle.spread)))
        seconds[what] = middle.value
        reached.append(Measured(name, way, middle))
    caption = f"Of all threads. {ACCELERATOR} is loaded when some megabytes were read, and so never here."
    yield Report("Start", ("", "s CPU", "spread"), tuple(lines), caption, seconds, seconds, tuple(reached))


def _spent(command: Sequence[str], variables: Mapping[str, str]) -> float:
    """The processor seconds of a process. Ends the run where it fails."""
    environment = {name: value for name, value in os.environ.items() if name != SWITCH}
    environment |= {"PYTHONPATH": protocols.search_path(), **variables}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)}: {said.decode().strip()}")
    return usage.ru_utime + usage.ru_stime
