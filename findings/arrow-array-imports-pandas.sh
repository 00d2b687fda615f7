#!/usr/bin/env bash
# Making an Arrow array of Python's numbers in a process that has not imported pandas, which is installed.
# Guess: pandas stays out: neither the values nor the result have to do with it.
# What happens: `pyarrow.array([1])` imports all of pandas to ask whether the list is one of its objects; so do an array of
#   numpy's, `fill_null` with a Python number, and `to_numpy` of an array. Without pandas installed, the same lines work.
# Version: pyarrow 26.0.1, pandas 2.3.3.
# Why it matters: a process that makes its first small array takes some 50 MB more and up to a second longer, which nobody finds who
#   looks at its own imports, and which is not there where pandas is not installed. A server that is to stay small makes
#   arrays of buffers (`Array.from_buffers`).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet "pyarrow==26.0.1" "pandas==2.3.3"
"$folder/venv/bin/python" - <<'PYTHON'
import subprocess
import sys

LINES = {
    "an array of a list": "pa.array([1, 2, 3])",
    "a null filled": "pa.Array.from_buffers(pa.int64(), 1, [None, pa.py_buffer(bytes(8))]).fill_null(0)",
    "as numpy's": "pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(bytes(8)), pa.py_buffer(b'')]).to_numpy(zero_copy_only=False)",
    "an array of numpy's": "pa.array(numpy.zeros(3))",
    "an array of a buffer": "pa.Array.from_buffers(pa.int64(), 1, [None, pa.py_buffer(bytes(8))])",
}


def imports(line: str) -> bool:
    """Whether a line imports pandas."""
    told = f"import sys, numpy, pyarrow as pa; assert 'pandas' not in sys.modules; {line}; print('pandas' in sys.modules)"
    return subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True).stdout == "True\n"


print("guess: none of these imports pandas")
found = {name: imports(line) for name, line in LINES.items()}
for name, does in found.items():
    print(f"{name}: {'imports pandas' if does else 'does not'}")
sys.exit(list(found.values()) != [True, True, True, True, False])
PYTHON
