"""Mutants: small faults made on purpose in the compiler and the runtime, and whether a test finds each.

    make mutants SEED=1 COUNT=200              a seeded sample; needs the coverage of each test, made when it is missing
    make mutants AGAIN=build/mutants-1.jsonl   the mutants of an earlier run, and which of them are found no longer

A mutant changes one operator, bound, constant or branch on a line that tests reach. It is made in a copy of the code,
and only the tests that reach its line are run, the quick ones first. The result is a line of JSON for each mutant.
"""

import argparse
import ast
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("runtime", "generator")
COVERAGE = ROOT / "build" / "mutants.coverage"
DURATIONS = ROOT / "build" / "mutants.durations"
FIRST = 40
"""So many of the quickest tests that reach a line are run before all others."""
PATIENCE = 300, 6
"""Tests may take so many seconds, and so many times what they took before; a mutant that makes them hang is found."""

_SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault: in which file and line which text becomes which other one, as the ``nth`` such text of the line."""

    file: str
    line: int
    text: str
    was: str
    now: str
    nth: int

    def source(self) -> str:
        """What is in its file now; nothing if that is gone."""
        path = ROOT / self.file
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def place(self, source: str) -> int | None:
        """The number of its line in the source, which may have moved; None if it is not there any longer."""
        places = [number for number, line in enumerate(source.splitlines(), 1) if line.strip() == self.text]
        return min(places, key=lambda place: abs(place - self.line), default=None)

    def applied(self, source: str) -> str | None:
        """The source with the fault; None if its line is not there any longer."""
        place = self.place(source)
        if place is None:
            return None
        lines = source.splitlines(keepends=True)
        number, at = place - 1, -1
        for _ in range(self.nth + 1):
            at = lines[number].find(self.was, at + 1)
        if at < 0:
            return None
        lines[number] = lines[number][:at] + self.now + lines[number][at + len(self.was) :]
        return "".join(lines)


def mutants(path: Path) -> Iterator[Mutant]:
    """Every fault that can be made in a file, each on one line."""
    source = path.read_text(encoding="utf-8")
    lines, tree = source.splitlines(), ast.parse(source)
    left_out = {id(inner) for node in ast.walk(tree) for inner in _left_out(node)}
    branches = {id(node.test) for node in ast.walk(tree) if isinstance(node, ast.If | ast.While | ast.IfExp)}
    for node in ast.walk(tree):
        if id(node) in left_out or not isinstance(node, ast.expr) or node.lineno != node.end_lineno:
            continue
        line = lines[node.lineno - 1]
        begin, end = (len(line.encode()[:at].decode()) for at in (node.col_offset, node.end_col_offset or 0))
        was = line[begin:end]
        changes = list(_changes(node)) or ([ast.UnaryOp(ast.Not(), node)] if id(node) in branches else [])
        for changed in changes:
            now = f"({ast.unparse(changed)})"
            nth = sum(line.startswith(was, at) for at in range(begin))
            yield Mutant(str(path.relative_to(ROOT)), node.lineno, line.strip(), was, now, nth)


def _left_out(node: ast.AST) -> Iterator[ast.AST]:
    """What is in a node and decides nothing: annotations, errors, and parts of texts, whose places are unknown."""
    match node:
        case ast.JoinedStr() | ast.Raise():
            yield from ast.walk(node)
        case ast.arg(annotation=ast.expr() as annotation) | ast.AnnAssign(annotation=annotation):
            yield from ast.walk(annotation)
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            for inner in (*node.decorator_list, *([node.returns] if node.returns else [])):
                yield from ast.walk(inner)


def _changes(node: ast.expr) -> Iterator[ast.expr]:
    """The node with another operator, constant or condition."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _SWAPS:
            yield ast.Compare(left, [_SWAPS[type(op)]()], [right])
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _SWAPS and not _is_text(left, right):
            yield ast.BinOp(left, _SWAPS[type(op)](), right)
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(_SWAPS[type(op)](), values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield ast.Constant(value + 1)


def _is_text(*sides: ast.expr) -> bool:
    return any(isinstance(side, ast.JoinedStr | ast.Constant) and not _is_number(side) for side in sides)


def _is_number(side: ast.expr) -> bool:
    return isinstance(side, ast.Constant) and isinstance(side.value, int)


def measure(marks: str) -> None:
    """Run the tests once, to see which of them reach which lines, and how long each takes."""
    COVERAGE.parent.mkdir(exist_ok=True)
    sources = [f"--cov={folder}" for folder in FOLDERS]
    command = [sys.executable, "-m", "pytest", "-q", "--numprocesses", "auto", "--dist", "loadgroup", "-m", marks]
    command += [*sources, "--cov-context=test", "--cov-report=", "--durations=0", "--durations-min=0"]
    environment = {**os.environ, "COVERAGE_FILE": str(COVERAGE)}
    found = subprocess.run(command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True)
    print(found.stdout[-400:])
    took: Counter[str] = Counter()
    for line in found.stdout.splitlines():
        seconds, _, rest = line.partition("s ")
        if rest.split(" ")[0] in ("call", "setup", "teardown"):
            took[_ungrouped(rest.split(maxsplit=1)[1])] += float(seconds)
    DURATIONS.write_text(json.dumps(took))


def _ungrouped(test: str) -> str:
    """The name of a test without that of its group, which pytest-xdist appends."""
    return re.sub(r"@[a-z ]+$", "", test)


def reached(took: dict[str, float], only: list[str]) -> dict[str, dict[int, list[str]]]:
    """The tests that reach each line, by file, the quick ones first; only those of some files or folders, if named."""
    from coverage.numbits import numbits_to_nums

    tests: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    with sqlite3.connect(COVERAGE) as data:
        rows = data.execute(
            "select file.path, context.context, line_bits.numbits from line_bits "
            "join file on file.id = line_bits.file_id join context on context.id = line_bits.context_id "
            "where context.context != ''"
        )
        for path, context, bits in rows:
            file = str(Path(path).relative_to(ROOT))
            for line in numbits_to_nums(bits):
                if not only or context.startswith(tuple(only)):
                    tests[file][line].add(_ungrouped(context.rpartition("|")[0]))
    return {
        file: {line: sorted(names, key=lambda name: (took.get(name, 9.0), name)) for line, names in lines.items()}
        for file, lines in tests.items()
    }


def sampled(seed: int, count: int, lines: dict[str, dict[int, list[str]]]) -> list[Mutant]:
    """A sample of the faults on lines that tests reach, the same for the same code and seed."""
    paths = (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py")))
    every = [mutant for path in paths for mutant in mutants(path)]
    there = [mutant for mutant in every if lines.get(mutant.file, {}).get(mutant.line)]
    print(f"{len(every)} mutants, {len(there)} of them on lines that tests reach")
    return random.Random(seed).sample(there, min(count, len(there)))


def is_found(mutant: Mutant, tests: list[str], seconds: float) -> str:
    """Which test finds a mutant; nothing if none does. The tests took so many seconds without it."""
    changed = mutant.applied(mutant.source())
    if changed is None:
        return "its line is gone"
    limit = PATIENCE[0] + PATIENCE[1] * seconds
    with tempfile.TemporaryDirectory() as folder:
        for name in FOLDERS:
            shutil.copytree(ROOT / name, Path(folder) / name, ignore=shutil.ignore_patterns("__pycache__"))
        (Path(folder) / mutant.file).write_text(changed, encoding="utf-8")
        paths = os.pathsep.join(str(Path(folder) / name) for name in FOLDERS)
        environment = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
        for some in (tests[:FIRST], tests[FIRST:]):
            listed = Path(folder) / "tests.txt"
            listed.write_text("\n".join(some))
            if not some:
                continue
            command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", f"@{listed}"]
            try:
                ran = subprocess.run(
                    command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=limit
                )
            except subprocess.TimeoutExpired:
                return "time out"
            if ran.returncode:
                failed = [line for line in ran.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
                if not failed and "ERROR: not found: " in ran.stderr:
                    raise RuntimeError(f"pytest does not know these tests: {ran.stderr[-2000:]}")
                return failed[0].split(" ")[1] if failed else "the tests cannot be run"
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--again", type=Path, help="the mutants of this result, and how they differ from it")
    parser.add_argument("--marks", default="not long", help="which tests, by their marks")
    parser.add_argument("--measure", action="store_true", help="see again which tests reach which lines")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("only", nargs="*", help="folders or files of tests; all if none is named")
    given = parser.parse_args()
    if given.measure or not COVERAGE.exists():
        measure(given.marks)
    took = json.loads(DURATIONS.read_text())
    lines = reached(took, given.only)
    before: dict[Mutant, str] = {}
    if given.again:
        rows = [json.loads(line) for line in given.again.read_text().splitlines()]
        before = {Mutant(**row["mutant"]): row["found_by"] for row in rows}
    chosen = list(before) or sampled(given.seed, given.count, lines)
    began, out = time.monotonic(), ROOT / "build" / f"mutants-{given.again.stem if given.again else given.seed}.jsonl"
    killed = 0

    def answer(mutant: Mutant) -> str:
        tests = lines.get(mutant.file, {}).get(mutant.place(mutant.source()) or 0, [])
        return is_found(mutant, tests, sum(took.get(test, 0.0) for test in tests))

    with ThreadPoolExecutor(given.workers) as workers, out.open("w") as stream:
        answers = workers.map(answer, chosen)
        for mutant, found_by in zip(chosen, answers, strict=True):
            killed += bool(found_by)
            stream.write(json.dumps({"mutant": asdict(mutant), "found_by": found_by}) + "\n")
            stream.flush()
            lost = "  found before: " + before[mutant] if before.get(mutant) and not found_by else ""
            what = f"{mutant.file}:{mutant.line}: {mutant.was} -> {mutant.now}"
            print(f"{what}: {found_by or 'SURVIVES'}{lost}", flush=True)
    print(f"{killed} of {len(chosen)} mutants found in {time.monotonic() - began:.0f} s; {out.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
