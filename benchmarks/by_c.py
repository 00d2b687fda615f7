"""The rival in C: ``by_c.c``, compiled for this machine by its own compiler, gives columns of the same types."""

import ctypes
import os
import shutil
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import captures
import pyarrow as pa

COMPILER = "cc"
_SOURCE = Path(__file__).with_suffix(".c")
_OPTIONS = ("-std=c99", "-O3", "-march=native", "-shared", "-fPIC")
_LABEL = "mutation"
_COLUMNS: dict[str, pa.DataType] = {
    "message": pa.string(),
    "magic": pa.int16(),
    "opcode": pa.int16(),
    "key_length": pa.int32(),
    "extras_length": pa.int16(),
    "datatype": pa.int16(),
    "vbucket": pa.int32(),
    "total_body_length": pa.int64(),
    "opaque": pa.int64(),
    "cas": pa.decimal128(20, 0),
}
_MUTATION: dict[str, pa.DataType] = {
    "by_seqno": pa.int64(),
    "rev_seqno": pa.int64(),
    "flags": pa.int64(),
    "expiration": pa.int64(),
    "lock_time": pa.int64(),
    "metadata_length": pa.int32(),
    "nru": pa.int16(),
    "key": pa.string(),
    "value": pa.binary(),
}


def may_run() -> bool:
    """Whether there is a compiler."""
    return shutil.which(COMPILER) is not None


def told() -> str:
    """What a reader has to know."""
    return "C: our own loop, which counts first." if may_run() else f"There is no C compiler ({COMPILER}) here."


@cache
def library() -> ctypes.CDLL:
    """The compiled functions."""
    captures.BUILD.mkdir(parents=True, exist_ok=True)
    path = captures.BUILD / "by_c.so"
    if not path.exists():
        made = path.with_suffix(f".{os.getpid()}")  # several processes may come here at once
        subprocess.run([COMPILER, *_OPTIONS, "-o", str(made), str(_SOURCE)], check=True)
        made.replace(path)
    found = ctypes.CDLL(str(path))
    size, number = ctypes.c_size_t, ctypes.POINTER(ctypes.c_int64)
    found.measured.argtypes = [ctypes.c_char_p, size, number, number]
    found.measured.restype = ctypes.c_int64
    found.fill.argtypes = [ctypes.c_char_p, size, ctypes.c_void_p]
    found.fill.restype = None
    found.hopped.argtypes = [ctypes.c_char_p, size, size, size]
    found.hopped.restype = ctypes.c_int64
    return found


def mutations(data: bytes) -> pa.Table:
    """All frames of a buffer in which there are only mutations. Raises ``ValueError`` at one that is not sound."""
    keys, values = ctypes.c_int64(), ctypes.c_int64()
    rows = library().measured(data, len(data), ctypes.byref(keys), ctypes.byref(values))
    if rows < 0:
        raise ValueError("not a mutation")
    texts = {"message": rows * len(_LABEL), "key": keys.value, "value": values.value}
    buffers = {name: _allocated(kind, rows, texts.get(name)) for name, kind in (_COLUMNS | _MUTATION).items()}
    addresses = [buffer.address for several in buffers.values() for buffer in several]
    library().fill(data, len(data), (ctypes.c_void_p * len(addresses))(*addresses))

    def arrays(kinds: dict[str, pa.DataType]) -> list[pa.Array]:
        return [pa.Array.from_buffers(kind, rows, [None, *buffers[name]]) for name, kind in kinds.items()]

    mutation = pa.StructArray.from_arrays(arrays(_MUTATION), list(_MUTATION))
    return pa.table([*arrays(_COLUMNS), mutation], [*_COLUMNS, _LABEL])


def _allocated(kind: pa.DataType, rows: int, size: int | None) -> list[pa.Buffer]:
    """Where a column's values go, and in front of that where its offsets do, if it has any."""
    if size is None:
        return [pa.allocate_buffer(rows * kind.byte_width)]
    return [pa.allocate_buffer(4 * (rows + 1)), pa.allocate_buffer(size)]


def hop(place: int, more: int) -> Callable[[bytes], int]:
    """What counts records whose length, less ``more``, is the big-endian ``u32`` at ``place``."""
    function = library().hopped
    return lambda data: int(function(data, len(data), place, more))
