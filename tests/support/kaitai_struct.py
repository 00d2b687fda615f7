"""Kaitai Struct's own compiler and runtime: what they read from bytes by a ``.ksy`` file.

Needs ``node``, which finds the package ``kaitai-struct-compiler`` of npm in ``NODE_PATH``, and ``kaitaistruct``.
"""

import importlib
import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

_COMPILE = """
const compiler = require("kaitai-struct-compiler");
const [mains, files] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const importer = {importYaml: (name) => Promise.resolve(files[name.replace(/^.*\\//, "")])};
const said = (main) => compiler.compile("python", files[main], importer, false).catch((error) => String(error));
(async () => {
    const made = [];
    for (const main of mains) made.push(await said(main));
    process.stdout.write(JSON.stringify(made));
})();
"""


@cache
def missing() -> str:
    """What is not there of what is needed."""
    if importlib.util.find_spec("kaitaistruct") is None:
        return "kaitaistruct"
    if shutil.which("node") is None:
        return "node"
    done = subprocess.run(["node", "-e", "require('kaitai-struct-compiler')"], capture_output=True, check=False)
    return "kaitai-struct-compiler in NODE_PATH" if done.returncode else ""


def modules(mains: Sequence[str], files: Mapping[str, object]) -> Mapping[str, Mapping[str, str]]:
    """The Python modules that the compiler makes of these files, by the names of both."""
    given = json.dumps([mains, files])
    done = subprocess.run(["node", "-e", _COMPILE], input=given, capture_output=True, text=True, check=True)
    made = dict(zip(mains, json.loads(done.stdout), strict=True))
    assert {main: said for main, said in made.items() if isinstance(said, str)} == {}
    return made


def parser(made: Mapping[str, str], main: str, folder: Path) -> Any:
    """The class of a file, whose modules are written to a folder."""
    for name, code in made.items():
        (folder / name).write_text(code, encoding="utf-8")
    own = {Path(name).stem for name in made}
    others = {name: sys.modules.pop(name) for name in own & sys.modules.keys()}
    sys.path.insert(0, str(folder))
    try:
        module = importlib.import_module(main)
    finally:
        sys.path.remove(str(folder))
        for name in own:
            sys.modules.pop(name, None)
        sys.modules.update(others)
    return getattr(module, "".join(map(str.capitalize, main.split("_"))))


def read(files: Mapping[str, object], main: str, data: bytes, folder: Path) -> Any:
    """What the compiled class of the file ``main`` reads from the bytes."""
    return opened(parser(modules([main], files)[main], main, folder), data)


def opened(made: Any, data: bytes, *parameters: object) -> Any:
    """What a class reads from the bytes."""
    from kaitaistruct import BytesIO, KaitaiStream

    return made(*parameters, KaitaiStream(BytesIO(data)))
