"""Frames of Modbus RTU as the package ``pymodbus`` writes and reads them, one by one: it drops what follows a frame."""

from random import Random
from typing import Any

from pymodbus.client.mixin import ModbusClientMixin
from pymodbus.framer import FramerRTU
from pymodbus.pdu import DecodePDU, ModbusPDU

from protocols.strangers import Capture

KINDS = {
    "u16": ("words", ModbusClientMixin.DATATYPE.UINT16),
    "i32": ("integers", ModbusClientMixin.DATATYPE.INT32),
    "f32": ("floats", ModbusClientMixin.DATATYPE.FLOAT32),
}
"""The columns for what registers hold, and what that is called there."""
ENDS = {
    "u16": [0, 1, 0xFFFF],
    "i32": [0, -1, -(1 << 31), (1 << 31) - 1, 0x01020304],
    "f32": [0.0, -0.0, 500.5, -1.5, 2.0**-149, float("inf"), -3.4028234663852886e38],
}


def registers(kind: str, values: list[Any]) -> list[int]:
    """Registers with numbers, the low word first."""
    found: list[int] = ModbusClientMixin.convert_to_registers(values, KINDS[kind][1], word_order="little")
    return found


def some(random: Random, kind: str, most: int) -> list[int]:
    """Registers with any numbers."""
    count = random.randint(1, most // (1 if kind == "u16" else 2))
    draw = {"u16": lambda: random.getrandbits(16), "i32": lambda: random.getrandbits(32) - (1 << 31)}
    values = [draw.get(kind, lambda: float(random.randrange(-(1 << 24), 1 << 24)) / 64)() for _ in range(count)]
    return registers(kind, values)


def capture(name: str, sent: list[ModbusPDU], kind: str = "u16") -> Capture:
    """Frames, one after the other."""
    frames = [FramerRTU(DecodePDU(False)).buildFrame(each) for each in sent]
    rows = tuple(_row(frame, kind, is_request="Request" in type(sent[0]).__name__) for frame in frames)
    return Capture(name, b"".join(frames), rows, {"registers": kind})


def _row(frame: bytes, kind: str, *, is_request: bool) -> dict[str, Any]:
    """What the package reads in a frame."""
    used, found = FramerRTU(DecodePDU(is_request)).handleFrame(frame, 0, 0)
    assert used == len(frame)
    assert found is not None
    own: dict[str, Any] = {"crc": int.from_bytes(frame[-2:], "little")}
    row = {"device": found.dev_id, "function": found.function_code & 0x7F, "is_exception": found.isError()}
    if found.isError():
        return row | {"exception": own | {"exception_code": found.exception_code}}
    if found.function_code == 6:
        return row | {"write_register": own | {"address": found.address, "value": found.registers[0]}}
    if is_request or found.function_code == 16:
        own |= {"address": found.address, "count": found.count}
    if is_request == (found.function_code == 16):
        own["values"] = dict.fromkeys((column for column, _ in KINDS.values()), None) | _values(found.registers, kind)
    verb, side = "write" if found.function_code == 16 else "read", "request" if is_request else "response"
    return row | {f"{verb}_{side}": own}


def _values(found: Any, kind: str) -> dict[str, Any]:
    column, number = KINDS[kind]
    values = ModbusClientMixin.convert_from_registers(found, number, word_order="little")
    return {column: values if isinstance(values, list) else [values]}
