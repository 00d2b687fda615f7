"""SQL tables: what Spark hands a source at CREATE TABLE, and what it forgets.

At CREATE TABLE a source is given the table's owner, provider, comment and properties beside its options. At SELECT and
INSERT it is given nothing: Spark 4.3 keeps neither a path nor options for a source in Python. A table that could not be
read is refused when it is created.
"""

from collections.abc import Mapping

from wireloom.options import OptionError

_MARKS = frozenset({"owner", "provider"})
"""The properties that Spark adds at CREATE TABLE."""
_OPTION = "option."
"""The prefix of a table's options; Spark also passes each without it, and the table's properties."""
_PATHS = ("path", "location")


def given(options: Mapping[str, str], format: str, *, bound: bool) -> dict[str, str]:
    """The options to go by: those given, or none at CREATE TABLE; ``bound`` says whether the source is a dataset.

    Raises ``OptionError`` for a path or an option of CREATE TABLE.
    """
    names = {name.lower(): value for name, value in options.items()}
    if not names.keys() >= _MARKS:
        return dict(options)
    written = {name.removeprefix(_OPTION): value for name, value in names.items() if name.startswith(_OPTION)}
    path = next((names[name] for name in _PATHS if name in names), None)
    if path is not None:
        written = {"path": path} | written
    if written:
        raise OptionError(_forgotten(written, format, bound=bound))
    return {}


def _forgotten(written: Mapping[str, str], format: str, *, bound: bool) -> str:
    what = " and ".join(filter(None, (", ".join(list(written)[:-1]), list(written)[-1])))
    if bound:
        return (
            f"Spark forgets {what} of a table; the dataset {format!r} has its own: CREATE TABLE … USING {format}\n"
            f"For others, bind another dataset: wireloom.spark.dataset(spark, NAME, format=…, path=…)"
        )
    options = ", ".join(f"{name} '{value}'" for name, value in written.items())
    return (
        f"Spark forgets {what} of a table, which could not be read then. What works: "
        f"CREATE TEMPORARY VIEW … USING {format} OPTIONS ({options})\n"
        f'For a table, bind a name: wireloom.spark.dataset(spark, "NAME", format="{format}", path=…), '
        f"then CREATE TABLE … USING NAME"
    )


def pathless(format: str) -> str:
    """The message for a source that is read or written without a path."""
    return (
        f'no path given; spark.read.format("{format}").load(path), or in SQL '
        f"CREATE TEMPORARY VIEW … USING {format} OPTIONS (path '…')\n"
        f"A table keeps no path: SELECT … FROM t WITH (path='…') gives one, and so does "
        f'wireloom.spark.dataset(spark, "NAME", format="{format}", path=…) with CREATE TABLE t USING NAME'
    )
