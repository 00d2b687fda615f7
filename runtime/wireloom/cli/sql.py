"""``wireloom sql``: captures queried by DuckDB, in which each protocol is a function that gives a table."""

import json
import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wireloom import registry
from wireloom.cli import arguments
from wireloom.cli.arguments import protocol_of
from wireloom.cli.diagnostics import FailedError, MisuseError
from wireloom.cli.formats import Format, write_batches
from wireloom.cli.outputs import output
from wireloom.codec.meanings import duration_text, time_text
from wireloom.extras import needed
from wireloom.json_rows import json_line
from wireloom.options import Mode, TableTypes

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_DEFAULTS = {"mode": Mode.PERMISSIVE, "types": TableTypes.DUCKDB}
"""The arguments of calls that differ from those of ``scan`` where a query does not give them."""
_SCAN = re.compile(r".* failed: (Invalid|IOError): ", re.DOTALL)
"""How DuckDB begins its message about a failed scan."""
_NO_FUNCTION = re.compile(r"Function with name (\w+) does not exist")


@click.command
@click.argument("query", help="The query, such as: select count(*) from couchbase_dcp('trace.bin')")
@arguments.format_name
@arguments.output
def sql(query: str, format_name: str, path: Path | None) -> None:
    """Query captures with DuckDB.

    In the query, PROTOCOL('path', …) is a table. It takes the arguments of scan() in Python, as in mode := 'FAILFAST';
    types is duckdb by default.
    """
    chosen = Format.of(format_name)
    chosen.must_suit(path)
    try:
        with needed("this command", "sql"):
            import duckdb
            import pyarrow as pa
    except ModuleNotFoundError as error:
        raise MisuseError(str(error)) from None
    try:
        with duckdb.connect() as connection:
            relation = connection.sql(_bound(query, connection))
            if relation is None:
                raise MisuseError("the query is empty")
            found = relation.to_arrow_reader()
            names = found.schema.names
            if twice := [name for name in names if names.count(name) > 1]:
                raise MisuseError(f"two columns are called {twice[0]!r}; rename one with AS")
            with output(path, binary=chosen is not Format.JSONL) as stream:
                if chosen is Format.JSONL:
                    for row in (row for batch in found for row in _rows(batch)):
                        stream.write(json_line(_json(row)))
                else:
                    write_batches(found, found.schema, chosen, stream)
    except (duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException) as error:
        raise MisuseError(_in_package(str(error)) or str(error).partition("\n")[0]) from None
    except duckdb.Error as error:
        told = str(error).partition(". Detail: Python exception")[0]  # the reason, if a scan has failed
        raise FailedError(_SCAN.sub("", told)) from None
    except pa.ArrowNotImplementedError as error:
        raise FailedError(f"{chosen} cannot hold this; cast it: {error}") from None
    except OverflowError:
        raise FailedError("a date or time is outside the years 1 to 9999; cast it to varchar") from None


def _in_package(told: str) -> str:
    """The hint for a function that DuckDB does not know, if a package has a protocol of that name; empty otherwise."""
    function = _NO_FUNCTION.search(told)
    arguments.find_here()
    found = registry.in_packages(function[1]) if function else ()
    return f"unknown protocol {function[1]!r}; did you mean \"{found[0]}\"('…')?" if function and found else ""


def _rows(batch: "pa.RecordBatch") -> list[dict[str, object]]:
    """The rows of a batch. Raises ``FailedError`` for what Python has no value for."""
    try:
        rows: list[dict[str, object]] = batch.to_pylist()
    except ValueError as error:
        raise FailedError(f"JSON cannot hold this; cast it: {error}") from None
    return rows


def _bound(query: str, connection: "duckdb.DuckDBPyConnection") -> str:
    """The query with names of captures in place of calls of protocols; the captures are registered."""
    parts, at = [], 0
    for name, start, opened, stop in _calls(query):
        given = query[opened + 1 : stop - 1]
        if not given.strip():
            raise MisuseError(f"{name}() needs a path: {name}('trace.bin')")
        ((arguments,),) = connection.execute(f"select struct_pack(paths := {given})").fetchall()
        _must_be_lists(arguments)
        shown = f"{query[start:stop]} {start}"
        table = registry.table(protocol_of(name))
        connection.register(shown, table.dataset(**_DEFAULTS | arguments))
        parts += [query[at:start], '"', shown.replace('"', '""'), '"']
        at = stop
    return "".join([*parts, query[at:]])


def _must_be_lists(arguments: Mapping[str, object]) -> None:
    """Raises ``MisuseError`` for arguments that ``scan`` would go through and cannot."""
    paths, columns, filters = arguments["paths"], arguments.get("columns"), arguments.get("filters", [])
    if not isinstance(paths, str) and not _are_texts(paths):
        raise MisuseError(f"path must be text, or paths a list of texts, not {paths!r}")
    if columns is not None and not _are_texts(columns):
        raise MisuseError(f"columns must be a list of names, not {columns!r}")
    if not isinstance(filters, list):
        raise MisuseError(f"filters must be a list of tuples, not {filters!r}")


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _calls(query: str) -> Iterator[tuple[str, int, int, int]]:
    """Each call of a protocol: its name, where it starts, where its parenthesis opens, and where it ends."""
    import duckdb

    try:
        bytes_before = list(accumulate((len(character.encode()) for character in query), initial=0))
    except UnicodeEncodeError:
        raise MisuseError("the query is not UTF-8") from None
    told = [(start, kind) for start, kind in duckdb.tokenize(query) if kind != duckdb.token_type.comment]
    tokens = [(bisect_left(bytes_before, start), kind) for start, kind in told]
    inside = 0
    for (start, kind), (opened, _) in pairwise(tokens):
        name = query[start:opened].strip().strip('"')
        called = kind == duckdb.token_type.identifier and query[opened] == "("
        if not called or start < inside or not (name in registry.names() or "." in name):
            continue
        depth = 0
        for place, each in tokens:
            if place >= opened and each == duckdb.token_type.operator:
                depth += {"(": 1, ")": -1}.get(query[place], 0)
                if depth == 0:
                    inside = place + 1
                    yield name, start, opened, inside
                    break


def _json(value: object) -> object:
    """A value of DuckDB as ``wireloom decode`` has it in JSON: bytes are hex, decimals with a fraction are text."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else json.dumps(value)
        case bytes():
            return value.hex()
        case Decimal():
            return int(value) if value.as_tuple().exponent == 0 else f"{value:f}"
        case datetime() if value.tzinfo is not None:
            return time_text(value)
        case dict():
            return {name: _json(each) for name, each in value.items()}
        case list():
            return [_json(each) for each in value]
        case (0, int(days), int(nanoseconds)):  # an interval without months, as durations are
            return duration_text(timedelta(days, 0, nanoseconds // 1000))
        case (key, each):  # of a map
            return [_json(key), _json(each)]
    return str(value)
