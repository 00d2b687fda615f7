"""Frames of a CAN bus as cantools packs and reads them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cantools
from cantools.database.can import Database, Message
from support import compiled

from wireloom_generator import importers, importing
from wireloom_generator.naming import snake_case

HEAD = 'VERSION "1"\nBU_: ECU Dash\n'


@dataclass
class Made:
    """A file as cantools reads it, and the protocol that is made of it."""

    database: Database
    protocol: Any
    columns: Any
    result: importing.SpecImport

    def message(self, name: str) -> Message:
        found: Message = self.database.get_message_by_name(name)
        return found

    def row(self, name: str, data: bytes) -> Mapping[str, Any]:
        """The signals that Wireloom has of a frame, by the names of their columns."""
        row = self.protocol.parse(can_frame(self.message(name), data))
        assert row["message"] == snake_case(name)
        found: Mapping[str, Any] = row[snake_case(name)]
        return found

    def text(self, name: str) -> str:
        return next(text for path, text in self.result.files.items() if path.stem == name)


def bus_imported(text: str, folder: Path, as_cantools_takes_it: str = "") -> Made:
    path = folder / "bus.dbc"
    path.write_text(text, encoding="utf-8")
    result = importing.imported([path], importers.own()["dbc"], folder / "specs")
    assert [str(problem) for problem in result.problems] == []
    for file, content in result.files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    database = cantools.database.load_string(as_cantools_takes_it or text, "dbc", strict=False)
    made = compiled.compiled(folder / "specs" / "bus")
    return Made(database, made.codec, made.columnar, result)


def can_frame(message: Message, data: bytes) -> bytes:
    """A frame as it is in captures of Linux."""
    number = message.frame_id | message.is_extended_frame << 31
    is_fd = len(data) > 8
    head = number.to_bytes(4, "big") + bytes([len(data), 4 * is_fd, 0, 0])
    return head + data.ljust(64 if is_fd else 8, b"\0")


def read_and_written_alike(made: Made, name: str, data: bytes) -> None:
    """Both read the same numbers in a message, and write the same bytes."""
    message = made.message(name)
    row = made.row(name, data)
    said = message.decode(data, decode_choices=False)
    for signal in message.signals:
        column = snake_case(signal.name)
        if signal.name not in said:
            assert row[column] is None, signal.name
        else:
            assert math.isclose(float(row[column]), float(said[signal.name]), rel_tol=1e-12, abs_tol=1e-12), signal.name
    frame = can_frame(message, data)
    assert made.protocol.build(made.protocol.parse(frame)) == frame
    given = {snake_case(each): row[snake_case(each)] for each in said}
    given |= {key: row[key] for key in row if key.endswith("_raw") and row[key] is not None}
    rebuilt = made.protocol.build({"message": snake_case(name), snake_case(name): given})
    assert rebuilt == can_frame(message, message.encode(said, scaling=True, strict=False))
