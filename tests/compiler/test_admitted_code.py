"""The wall behind the emitters: what they write passes it, and nothing else does."""

import ast
import os
import re
from pathlib import Path, PurePosixPath

import pytest
from support import compiled
from support.agreement import check_outputs as check
from support.cases import each
from support.paths import ROOT

from wireloom_generator import blocks, emitted_code, emitters, naming
from wireloom_generator.emitters import ModuleEmitter, columnar, enums, package, parsers, spark
from wireloom_generator.output import OutputFile

EMITTERS = (package.emit, enums.emit, parsers.emit, spark.emit, columnar.emit)
SPECS = ROOT / "specs"
PARSERS = '"""Parsers."""\nfrom construct import Int8ub\nfrom wireloom.codec import Field, Record\n'
ENUM = "from wireloom.codec import WireEnum\n"
COLUMNAR = """\
from wireloom.columnar.tables import Table
from .parsers import PROTOCOL
COMMENTS = {"a": "A" "B"}
TABLE = Table(PROTOCOL, COMMENTS)
"""

HOSTILE = {
    "parsers": [
        "import os",
        "import os as construct",
        "from os import system",
        "from . import enums",
        "from .. import parsers",
        "from .spark import SCHEMA",
        "from .enums import *",
        "from construct import *",
        "from construct import core",
        "from wireloom.codec import *",
        "from wireloom.codec import Field as open",
        "from wireloom.codec import errors",
        "from wireloom.codec.message import Message",
        "from __future__ import annotations",
        'open("x")',
        '__import__("os").system("x")',
        'x = open("x")',
        'x = eval("1")',
        'x = exec("1")',
        'x = getattr(Record, "x")',
        'x = Record.__init__("x")',
        "x = Record.__class__",
        "x = Int8ub.parse",
        "x = Record(Int8ub.parse)",
        'x = Record(*"ab")',
        "x = Record(**{})",
        'x = Record(open("x"))',
        'x = Record(f"{1}")',
        "x = Record(f\"{open('x')}\")",
        "x = [a for a in Record]",
        "x = {a: a for a in Record}",
        "x = (a for a in Record)",
        "x = Record(y := Int8ub)",
        "x: int = 1",
        "x = y = 1",
        "x, y = 1, 2",
        "x += 1",
        "x.y = 1",
        "x[0] = 1",
        "__builtins__ = 1",
        "__getattr__ = Record",
        "Field = 1",
        "del Record",
        "global x",
        "pass",
        "assert Record()",
        "raise Record()",
        "return 1",
        "if 1:\n    x = 1",
        "for x in Record: pass",
        "while 1: pass",
        "with Record: pass",
        "try:\n    x = 1\nexcept Record: pass",
        "match Record:\n    case _: pass",
        "def f(): pass",
        "async def f(): pass",
        "class A: pass",
        "class A(Record): pass",
        "x = lambda: 1",
        "x = lambda this: this",
        "from wireloom.codec import Deeper\nx = Deeper(lambda: open, depth=1, limit=1)",
        "from wireloom.codec import Deeper\nx = Deeper(lambda: x(), depth=1, limit=1)",
        "from wireloom.codec import Deeper\nx = Deeper(lambda y=open('x'): x, depth=1, limit=1)",
        "from wireloom.codec import Layout, recursive\nx = recursive(lambda A: open('x'), depth=1)",
        "from wireloom.codec import Layout, recursive\nx = recursive(lambda A: Layout(open('x')), depth=1)",
        "from wireloom.codec import Layout, recursive\nx = recursive(lambda A=open('x'): Layout(A), depth=1)",
        "from wireloom.codec import Layout, recursive\nx = recursive(lambda Layout: Layout(1), depth=1)",
        "from wireloom.codec import Layout, recursive\nx = Layout(lambda A: Layout(A))",
        "x = lambda this, record: 1",
        "x = lambda this, record, frame: this",
        'x = lambda this, record, frame=open("x"): 1',
        "x = lambda this, record, *frame: 1",
        "x = lambda this, record, frame, **more: 1",
        "x = lambda this, record, frame, /: 1",
        "x = lambda this, record, *, frame: 1",
        'x = lambda this, record, frame: open("x")',
        'x = lambda this, record, frame: this["x"].y',
        "x = lambda this, record, frame: this.__class__",
        'x = lambda this, record, frame: frame.parameters.get("x")',
        "x = lambda this, record, frame: frame.io",
        "x = lambda this, record, frame: frame.io.read(1)",
        'x = lambda this, record, frame: frame.size("x", y=1)',
        'x = lambda this, record, frame: Record["x"]',
        "x = lambda this, record, frame: this[record]",
        'x = lambda this, record, frame: [this["x"] for x in this]',
        'x = lambda this, record, frame: (y := this["x"])',
        "x = lambda this, record, frame: lambda: 1",
        "x = lambda this, record, frame: f\"{this['x']}\"",
        'x = lambda this, record, frame: max(*this["x"])',
        "x = lambda this, record, frame: plan.choose(1, 2, 3).x",
        'x = Int8ub / "x"',
        'x = "x" + Record()',
        "x = Record()[0]",
        "x = Record()()",
        "x = (lambda this, record, frame: 1)()",
        "x = unknown",
        "x = Record(unknown)",
        "x = await Record()",
        "x = yield Record()",
        "x = not Record()",
        "x = Record() if 1 else Record()",
        "x = Record() and Record()",
        "x = Record() < Record()",
        "x = {Record()}",
        "x = {Record(): 1}",
        "x = {**Record()}",
        "x = float(Record())",
        "x = (",
        "x = '\0'",
        f"x = {'(' * 300}1{')' * 300}",
        f"x = {'-' * 100_000}1",
    ],
    "enums": [
        "class A(WireEnum, Other):\n    'A'",
        "class A(WireEnum, metaclass=type):\n    'A'",
        "@WireEnum\nclass A(WireEnum):\n    'A'",
        "class A(WireEnum):\n    X = 1",
        "class A(WireEnum):\n    'A'\n    X = open('x')",
        "class A(WireEnum):\n    'A'\n    __init__ = 1",
        "class A(WireEnum):\n    'A'\n    mro = 1",
        "class A(WireEnum):\n    'A'\n    X: int = 1",
        "class A(WireEnum):\n    'A'\n    print('x')",
        "class A(WireEnum):\n    'A'\n    def x(self): return ()",
        "class A(WireEnum):\n    'A'\n    def ranges(cls) -> tuple[tuple[int, int, str], ...]: return ()",
        "class A(WireEnum):\n    'A'\n    @classmethod\n    def ranges(cls) -> tuple[tuple[int, int, str], ...]:"
        "\n        return open('x')",
        "class A(WireEnum):\n    'A'\n    @classmethod\n    def ranges(cls, x=open('x')) -> "
        "tuple[tuple[int, int, str], ...]:\n        return ()",
        "class A(WireEnum):\n    'A'\n    @classmethod\n    def ranges(cls) -> tuple[tuple[int, int, str], ...]:"
        "\n        return ((1, open('x'), 'a'),)",
        "class A(WireEnum):\n    'A'\n    class B(WireEnum): 'B'",
        "class _A(WireEnum):\n    'A'",
        "class WireEnum(WireEnum):\n    'A'",
    ],
    "columnar": [
        "import os",
        "import pyarrow",
        "from wireloom import columnar",
        "from wireloom.columnar.tables import Table, Decoder",
        "from wireloom.columnar.tables import Decoder as Table",
        'x = Table("x", COMMENTS)',
        "TABLE = Table(PROTOCOL, {})",
        "x = TABLE.protocol",
        "scan = TABLE.protocol",
        "scan = print",
        'COMMENTS = open("x")',
        'COMMENTS = {"a": open("x")}',
        'COMMENTS = {open("x"): "a"}',
        'COMMENTS = {"a": 1}',
        "COMMENTS = {**COMMENTS}",
        'COMMENTS = {"a": f"{1}"}',
        'COMMENTS["a"] = "b"',
        'OTHERS = {"a": open("x")}',
        "PROTOCOL = 1",
        "Table = PROTOCOL",
        "from .enums import Kind",
        "x = lambda this, record, frame: this",
        "def scan(): pass",
    ],
    "__init__": [
        'x = import_module("os")',
        "x = PROTOCOL.trace",
        "x = PROTOCOL.parse.__globals__",
        '__all__ = open("x")',
        '__all__ = [open("x")]',
        "def __getattr__(name): return 1",
        "from .parsers import getattr",
        "from .parsers import needed",
        "from .enums import AttributeError",
    ],
    "spark": ["import pyspark", "from pyspark.sql import types", "from pyspark.sql.types import *"],
}
BEGINNING = {
    "parsers": PARSERS,
    "enums": ENUM,
    "columnar": COLUMNAR,
    "__init__": "from importlib import import_module\nfrom .parsers import PROTOCOL\n",
    "spark": "",
}


def module(name: str, text: str) -> OutputFile:
    return OutputFile(PurePosixPath("post", f"{name}.py"), text)


@each("name", BEGINNING)
def test_what_hostile_code_stands_behind_is_admitted(name: str) -> None:
    emitted_code.admit(module(name, BEGINNING[name]))


@each(("name", "text"), [(name, text) for name, texts in HOSTILE.items() for text in texts])
def test_what_no_emitter_writes_is_refused(name: str, text: str) -> None:
    with pytest.raises(emitted_code.ForeignCodeError):
        emitted_code.admit(module(name, f"{BEGINNING[name]}{text}\n"))


def test_no_message_can_be_called_as_what_the_modules_ask_for() -> None:
    for same in (package.LAZY, columnar.MODULE):
        tree = ast.parse(same)
        own = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        asked = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - own
        snakes = {name for name in asked if naming.column_fault(name) is None}
        assert not any(blocks.message_name(name) == name for name in snakes)
        classes = asked - snakes if same == package.LAZY else ()  # nothing imports an enum beside columnar's own
        assert not any(blocks.class_fault(name) is None and blocks.class_name(name) == name for name in classes)


@each("name", ["name", "buffer", "columns", "mode", "filters", "table", "comments"])
def test_a_message_can_be_called_as_an_argument_of_theirs(name: str, tmp_path: Path) -> None:
    text = compiled.FEATURES["bits"].read_text(encoding="utf-8")
    folder = compiled.folders(re.sub(r"^message: \w+", f"message: {name}", text, flags=re.MULTILINE), tmp_path / name)
    assert check([folder]) == []


def test_our_own_protocols_are_admitted() -> None:
    for path in (SPECS.parent / "generated" / "wireloom_protocols").glob("*/*.py"):
        emitted_code.admit(module(path.stem, path.read_text(encoding="utf-8")))


def test_nothing_is_run_that_is_not_admitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = compiled.folders(compiled.FEATURES["bits"].read_text(encoding="utf-8"), tmp_path)
    own = emitters.own()
    slip = 'import os\nos.environ["RUN"] = "1"\n'
    slipping = ModuleEmitter(lambda protocol: [_with(file, slip) for file in parsers.emit(protocol)])
    monkeypatch.delenv("RUN", raising=False)
    monkeypatch.setattr(emitters, "own", lambda: {**own, "parsers": slipping})
    problems = check([folder])
    assert [problem.rule for problem in problems] == ["emitted-code"]
    assert "a bug" in problems[0].hint
    assert "RUN" not in os.environ


def _with(file: OutputFile, text: str) -> OutputFile:
    return OutputFile(file.path, file.text + text)
