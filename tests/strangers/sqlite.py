"""A database as Python's SQLite writes it, and what that reads in its tables and indexes."""

import sqlite3
import struct
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from strangers import Capture

TABLES = ("sqlite_schema", "items", "empty", "words")


def captures() -> Iterator[Capture]:
    """A database with pages of every kind, one of another page size, and a small one."""
    with TemporaryDirectory() as folder:
        for name, size in (("trees", 4096), ("small pages", 512)):
            path = Path(folder) / name
            found = sqlite3.connect(path)
            tables = _filled(found, size)
            found.close()
            rows = {"pages_4096": {"tables": tables}} if size == 4096 else {"unknown": {}}
            yield Capture(name, path.read_bytes(), ({"page_size": size, **rows},), told=_told)
        found = sqlite3.connect(Path(folder) / "few rows")
        found.execute("create table items (name text)")
        found.execute("insert into items values ('a'), ('b')")
        found.commit()
        found.close()
        table = {"kind_name": "leaf_table", "tree": {"cells": [{"rowid": 1}, {"rowid": 2}]}}
        yield Capture("few rows", Path(folder, "few rows").read_bytes(), ({"pages_4096": {"other_pages": [table]}},))


def _filled(found: sqlite3.Connection, size: int) -> dict[str, list[Any]]:
    """The rows of a database that is filled, without what is deleted again."""
    chance = Random(4)
    found.execute(f"pragma page_size = {size}")
    found.execute("create table items (id integer primary key, name text, price real, amount int, picture blob)")
    found.execute("create table empty (number int)")
    found.execute("create table words (word text primary key, count int) without rowid")
    found.execute("create index names on items (name, amount)")
    for number in range(130):
        row = ("ä" * chance.randrange(40), chance.random() * 9, chance.choice((None, 0, 1, -1, 300, 2**40, -(2**60))))
        picture = chance.randbytes(chance.choice((0, 10, 3000, 9000)) if number % 20 == 0 else 5)
        found.execute("insert into items values (?, ?, ?, ?, ?)", (number * number, *row, picture))
        found.execute("insert into words values (?, ?)", (f"{number:05}" * 40, number))
    found.execute("create table gone as select * from items")
    found.execute("drop table gone")
    found.execute("delete from items where id % 7 = 1")
    found.commit()
    return {table: [list(row) for row in found.execute(f"select * from {table} order by 1")] for table in TABLES[1:]}


def _told(row: Any) -> Any:
    """The tables of a database, followed through its trees."""
    if row["message"] == "unknown":
        return row
    message = row["pages_4096"]
    pages = [message["first_page"], *message["other_pages"]]
    schema = {values[1]: (values[0], values[3]) for _, values in _rows(pages, 1)}
    tables = {name: list(_rows(pages, schema[name][1])) for name in TABLES[1:]}
    keyed = [[rowid, *values[1:]] for rowid, values in tables["items"]]
    told = {"items": keyed, "empty": tables["empty"], "words": [values for _, values in tables["words"]]}
    index = [values for _, values in _rows(pages, schema["names"][1])]
    assert sorted(index, key=str) == sorted(([row[1], row[3], row[0]] for row in keyed), key=str)
    return {**row, "pages_4096": {"tables": told}}


def _rows(pages: list[Any], number: int) -> Iterator[tuple[int | None, list[Any]]]:
    """The rows of a tree in order."""
    tree = pages[number - 1]["tree"]
    for cell in tree["cells"]:
        if cell["left_page"] is not None:
            yield from _rows(pages, cell["left_page"])
        if cell["payload_size"] is not None:
            yield cell["rowid"], list(_values(pages, cell))
    if tree["right_page"] is not None:
        yield from _rows(pages, tree["right_page"])


def _values(pages: list[Any], cell: Any) -> Iterator[Any]:
    if cell["row"] is not None:
        yield from map(_value, cell["row"]["serial_types"], cell["row"]["values"])
        return
    payload, number = cell["part"], cell["overflow_page"]
    while number:
        page = pages[number - 1]
        data = bytes([page["kind"]]) + page["other"]
        number, payload = int.from_bytes(data[:4], "big"), payload + data[4:]
    kinds, at = [], 1
    while at < payload[0]:
        kind = 0
        while True:
            kind, at = kind << 7 | payload[at] & 0x7F, at + 1
            if payload[at - 1] < 0x80:
                break
        kinds.append(kind)
    for kind in kinds:
        size = (kind - 12) // 2 if kind > 11 else (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)[kind]
        yield _value(kind, payload[at : at + size])
        at += size


def _value(kind: int, data: bytes) -> Any:
    match kind:
        case 0:
            return None
        case 7:
            return struct.unpack(">d", data)[0]
        case 8 | 9:
            return kind - 8
        case _ if kind < 7:
            return int.from_bytes(data, "big", signed=True)
    return data.decode() if kind % 2 else data
