"""The rival on Kaitai Struct's runtime in C++: what its compiler makes of ``by_kaitai.ksy``.

Needs ``c++``, ``node``, which finds the package ``kaitai-struct-compiler`` of npm (0.11) in ``NODE_PATH``, and in
``KAITAI_CPP_RUNTIME`` the folder of a checkout of kaitai_struct_cpp_stl_runtime, which no package registry has.
"""

import ctypes
import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import captures
import yaml

RUNTIME = "KAITAI_CPP_RUNTIME"
_SUMMED = ("opaque", "by_seqno", "key", "value")
_HERE = Path(__file__).parent
_COMPILE = """
const compiler = require("kaitai-struct-compiler");
const spec = JSON.parse(require("fs").readFileSync(0));
compiler.compile("cpp_stl", spec).then((files) => process.stdout.write(JSON.stringify(files)));
"""


def may_run() -> bool:
    """Whether all of it is there."""
    return not lacking()


@cache
def lacking() -> str:
    """What of it is not there; empty if all is."""
    missing = [program for program in ("c++", "node") if shutil.which(program) is None]
    if (
        not missing
        and subprocess.run(["node", "-e", _COMPILE.splitlines()[1]], capture_output=True, check=False).returncode
    ):
        missing.append("kaitai-struct-compiler in NODE_PATH")
    if not Path(os.environ.get(RUNTIME, ""), "kaitai", "kaitaistream.h").is_file():
        missing.append(f"its C++ runtime in {RUNTIME}")
    return ", ".join(missing)


def told() -> str:
    """What a reader has to know."""
    return f"Kaitai in C++ is not measured, for want of: {lacking()}." if lacking() else "Kaitai makes objects."


@cache
def _library() -> ctypes.CDLL:
    """The parser, made anew for a run."""
    folder = captures.BUILD / "kaitai"
    path = folder / "parser.so"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        spec = json.dumps(yaml.safe_load((_HERE / "by_kaitai.ksy").read_text()))
        made = subprocess.run(["node", "-e", _COMPILE], input=spec, capture_output=True, text=True, check=True)
        for name, text in json.loads(made.stdout).items():
            (folder / name).write_text(text)
        runtime = Path(os.environ[RUNTIME])
        sources = [_HERE / "by_kaitai.cpp", folder / "mutations.cpp", runtime / "kaitai" / "kaitaistream.cpp"]
        flags = ["-std=c++11", "-O3", "-march=native", "-shared", "-fPIC", "-DKS_STR_ENCODING_NONE"]
        where = [f"-I{folder}", f"-I{runtime}"]
        subprocess.run(["c++", *flags, *where, "-o", str(path), *map(str, sources)], check=True)
    library = ctypes.CDLL(str(path))
    library.parsed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p]
    library.parsed.restype = ctypes.c_int64
    return library


def mutations(data: bytes) -> int:
    """Read all frames of a buffer, and count them. Raises ``ValueError`` where one cannot be read."""
    records: int = _library().parsed(data, len(data), None)
    if records < 0:
        raise ValueError("not mutations")
    return records


def sums(data: bytes) -> dict[str, int]:
    """What some columns of all frames add up to, see ``totals``."""
    found = (ctypes.c_uint64 * len(_SUMMED))()
    records: int = _library().parsed(data, len(data), found)
    return {"*": records, **dict(zip(_SUMMED, found, strict=True))}
