"""Kaitai Struct's own compiler and runtime: what they read from bytes by a ``.ksy`` file.

Needs ``node``, which finds the package ``kaitai-struct-compiler`` of npm in ``NODE_PATH``, and ``kaitaistruct``.
"""

import importlib
import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_COMPILE = """
const compiler = require("kaitai-struct-compiler");
const [main, files] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const importer = {importYaml: (name) => Promise.resolve(files[name.replace(/^.*\\//, "")])};
compiler.compile("python", files[main], importer, false).then((made) => process.stdout.write(JSON.stringify(made)));
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


def read(files: Mapping[str, object], main: str, data: bytes, folder: Path) -> Any:
    """What the compiled class of the file ``main`` reads from the bytes; the modules are written to a folder."""
    from kaitaistruct import BytesIO, KaitaiStream

    given = json.dumps([main, files])
    done = subprocess.run(["node", "-e", _COMPILE], input=given, capture_output=True, text=True, check=True)
    made = json.loads(done.stdout)
    for name, code in made.items():
        (folder / name).write_text(code, encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        module = importlib.import_module(main)
    finally:
        sys.path.remove(str(folder))
        for name in made:
            sys.modules.pop(Path(name).stem, None)
    return getattr(module, "".join(map(str.capitalize, main.split("_"))))(KaitaiStream(BytesIO(data)))
