"""A database as Python's SQLite writes it, and what that reads in its tables and indexes."""

import sqlite3
import struct
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from protocols.strangers import Capture

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


def varied(random: Random) -> Iterator[Capture]:
    """Databases with vacuuming and without, of every encoding and page size, with rowids of every size, deleted rows,
    large values, and tables without rowids; and what is read in them.
    """
    while True:
        size = random.choice((4096, 4096, 4096, 512, 1024, 65536))
        found = sqlite3.connect(":memory:", isolation_level=None)
        found.execute(f"pragma page_size = {size}")
        found.execute(f"pragma auto_vacuum = {random.choice(('none', 'full', 'incremental'))}")
        found.execute(f"pragma encoding = '{random.choice(('UTF-8', 'UTF-16le', 'UTF-16be'))}'")
        found.execute(f"pragma user_version = {random.getrandbits(31)}")
        found.execute("create table items (id integer primary key, value)")
        found.execute("create index sorted on items (value)")
        found.execute("create table words (word text primary key, value blob) without rowid")
        found.execute("begin")
        for _ in range(random.randrange(60)):
            number = random.getrandbits(64) - (1 << 63)
            rowid = number >> random.choice((0, 8, 32, 50, 56, 60))
            value = random.choice(
                (None, random.random(), number, "ä" * random.randrange(99), bytes(random.choice((9, 3000, 9000))))
            )
            found.execute("insert or ignore into items values (?, ?)", (rowid, value))
            found.execute("insert into words values (?, ?)", (str(number) * random.choice((1, 60)), value))
        if random.random() < 0.5:
            found.execute("delete from items where id % 3 = 0")
        if random.random() < 0.3:
            found.execute("alter table items add column more int default 5")
        if random.random() < 0.3:
            found.execute("drop table words")
        found.execute("commit")
        if random.random() < 0.3:
            found.execute("vacuum")
        if random.random() < 0.3:
            found.execute("pragma incremental_vacuum")
        rowids = [rowid for (rowid,) in found.execute("select id from items order by id")]
        (root,) = found.execute("select rootpage from sqlite_schema where name = 'items'").fetchone()
        data = found.serialize()
        found.close()
        row = {"rowids": rowids} if size == 4096 else {"unknown": {}}
        yield Capture(f"pages of {size}", data, ({"page_size": size % 65535, **row},), told=partial(_rowids, root=root))


def _rowids(row: Any, root: int) -> Any:
    """The rowids of a table, followed through its tree."""
    if row["message"] == "unknown":
        return row
    pages = [row["pages_4096"]["first_page"], *row["pages_4096"]["other_pages"]]
    return {**row, "rowids": list(_tree(pages, root))}


def _tree(pages: list[Any], number: int) -> Iterator[int]:
    tree = pages[number - 1]["tree"]
    for cell in tree["cells"]:
        if cell["left_page"] is not None:
            yield from _tree(pages, cell["left_page"])
        else:
            yield cell["rowid"]
    if tree["right_page"] is not None:
        yield from _tree(pages, tree["right_page"])
