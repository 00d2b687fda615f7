"""One Spark data source for each protocol: ``spark.read.format("<protocol>").load(path)``.

Everything that travels to executors is plain: names, paths, options. Generated modules are imported where they are
needed, since parsers cannot be pickled.
"""

import json
import warnings
from collections.abc import Container, Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import ClassVar, TypeVar

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, DataSourceWriter
from pyspark.sql.types import StructField, StructType

from wireloom import registry
from wireloom.codec.protocol import POSITIONS, PROVENANCE
from wireloom.options import OptionError, ReadOptions
from wireloom.spark import cleaning, sql_functions, tables
from wireloom.spark.formats import remember, resolve_protocol
from wireloom.spark.listing import chosen_yet
from wireloom.spark.metadata import METADATA, part
from wireloom.spark.names import ANY_CASE, Resolver
from wireloom.spark.options import SourceOptions, settings, split_paths
from wireloom.spark.reading import CaptureReader
from wireloom.spark.requested_columns import Added, offered
from wireloom.spark.schemas import decoded, named_columns, spark_schema
from wireloom.spark.versions import FUNCTIONS, REPLACING, STREAMS, lacking, needs, since
from wireloom.spark.workers import brief, provide
from wireloom.spark.writing import CaptureWriter
from wireloom.spark.writing_options import WriteOptions, written_alone
from wireloom.views import FILE, beside

R = TypeVar("R", bound=CaptureReader)

TAKEN = (
    "avro", "binaryFile", "console", "csv", "hive", "image", "jdbc", "json", "kafka", "libsvm", "memory", "noop", "orc",
    "parquet", "rate", "rate-micro-batch", "socket", "state-metadata", "statestore", "text", "xml",
)  # fmt: skip
"""The formats of Spark and of its modules, which Spark finds before registered ones."""


def register(spark: SparkSession, *protocols: str, name: str | None = None) -> None:
    """Register protocols as data sources of a session, with their SQL functions.

    Afterwards ``spark.read.format("<protocol>")``, ``spark.readStream`` and ``df.write`` read and write captures, and
    SQL has ``from_<protocol>`` and ``to_<protocol>``.

    Parameters
    ----------
    spark : :class:`~pyspark.sql.SparkSession`
        The session.
    *protocols : str
        The names of installed protocols, or generated modules such as ``my_protocols.ubx``, whose format is ``ubx``.
        Default: all installed ones; those that cannot be registered are skipped with a warning.
    name : str, optional
        The name of the format, if it is not to be that of its protocol. Requires exactly one protocol.

    Raises
    ------
    OptionError
        If a protocol is neither installed nor can be imported, or Spark has a format of its name.

    Examples
    --------
    >>> from wireloom.spark import register
    >>> register(spark, "couchbase_dcp")
    >>> frames = spark.read.format("couchbase_dcp").load("examples/captures/couchbase_dcp/session.bin")
    >>> frames.where("message = 'mutation'").select("vbucket", "mutation.by_seqno").count()
    24
    """
    if name is not None and len(protocols) != 1:
        raise OptionError("name requires exactly one protocol; name it")
    provide(spark)
    for given in protocols or registry.names():
        try:
            protocol = given if registry.installed(given) else resolve_protocol(given, spark)
            source = source_of(protocol, name)
        except OptionError as error:
            if protocols:
                raise
            warnings.warn(f"{given} is not registered: {error}", stacklevel=2)
        else:
            _register(spark, source)
            remember(spark, source.name(), protocol)
            _install_functions(spark, protocol, source.name())


def _install_functions(spark: SparkSession, protocol: str, name: str) -> None:
    reason = lacking(f"from_{name} in SQL", FUNCTIONS)
    if name in sql_functions.SPARKS:
        reason = f"{name} has no SQL functions: Spark has its own from_{name} or to_{name}"
    if reason is not None:
        warnings.warn(reason, stacklevel=3)
    else:
        sql_functions.install(spark, protocol, name)


def dataset(spark: SparkSession, name: str, *, format: str, path: str | Iterable[str], **options: object) -> None:
    """Register captures at a path as a format of its own, which keeps the path and its options.

    A SQL table can be created from it: ``CREATE TABLE t USING name``.

    Parameters
    ----------
    spark : :class:`~pyspark.sql.SparkSession`
        The session.
    name : str
        The name of the new format.
    format : str
        The protocol, or the name under which it was registered.
    path : str or iterable of str
        Files, directories and patterns.
    **options
        Options of ``spark.read.format(format)``. Readers of the dataset may override them.

    Raises
    ------
    OptionError
        If the protocol or an option is unknown, an option has a wrong value, or Spark has a format of that name.

    Examples
    --------
    >>> from wireloom.spark import dataset
    >>> path = "examples/captures/couchbase_dcp/session.bin"
    >>> dataset(spark, "recorded_markers", format="couchbase_dcp", path=path, message="snapshot_marker")
    >>> spark.read.format("recorded_markers").load().where("_corrupt_reason IS NULL").count()
    8
    """
    provide(spark)
    bound = {"path": path} if isinstance(path, str) else {"paths": json.dumps(list(path))}
    bound |= {option: str(value) for option, value in options.items()}
    source = source_of(resolve_protocol(format, spark), name, bound)
    source({})  # a wrong option is an error here, not in the first query
    _register(spark, source)


def _register(spark: SparkSession, source: "type[CaptureSource]") -> None:
    source.settings = settings(spark)
    source.resolver = Resolver.of(spark)
    try:
        spark.dataSource.register(source)
    except AnalysisException as error:
        if not _found_by_package(source) or error.getCondition() != "DATA_SOURCE_ALREADY_EXISTS":
            raise


def _found_by_package(source: "type[CaptureSource]") -> bool:
    """Whether Spark may have found the same by its package, and kept that, as Spark 4.0 does."""
    return not since(REPLACING) and not source.bound and source.name() == registry.protocol(source.protocol).name


def source_of(protocol: str, name: str | None = None, bound: Mapping[str, str] | None = None) -> "type[CaptureSource]":
    """The data source of a protocol, under its own name or another one, or with the ``bound`` options of a dataset.

    Raises ``OptionError`` if Spark has a format of that name.
    """
    name = registry.protocol(protocol).name if name is None else name
    if name.lower() in map(str.lower, TAKEN):
        hint = (
            f'register it under another name: register(spark, "{protocol}", name="…")'
            if bound is None
            else "choose another"
        )
        raise OptionError(f"{name!r} is already a format of Spark; {hint}")
    fixed = {"protocol": protocol, "format": name, "bound": dict(bound or {})}
    return type(f"{name}_source", (CaptureSource,), fixed)


class CaptureSource(DataSource):
    """Captures of one protocol, which subclasses determine."""

    protocol: ClassVar[str]
    format: ClassVar[str]
    bound: ClassVar[Mapping[str, str]] = {}
    """A dataset's path and options."""
    settings: ClassVar[Mapping[str, str]] = {}
    """Options that the session gave when it was registered with, as a source does not see the session."""
    resolver: ClassVar[Resolver] = ANY_CASE
    """That of the session."""

    @brief()
    def __init__(self, options: Mapping[str, str]) -> None:
        paths, self.beside = split_paths(tables.given(options, self.format, bound=bool(self.bound)))
        if "checkpointlocation" in map(str.lower, self.beside):
            raise OptionError("streams cannot be written to captures; write each batch in foreachBatch")
        if paths and self.bound:
            raise OptionError(f"the dataset {self.format!r} already has a path; leave out this one")
        own, kept = split_paths(self.bound)
        self.paths = paths or own
        overridden = set(map(str.lower, self.beside))
        self.given = {**{name: value for name, value in kept.items() if name.lower() not in overridden}, **self.beside}
        found = registry.protocol(self.protocol)
        self.source_options = SourceOptions.of({**self.settings, **self.given})
        others = (*SourceOptions.names(), *WriteOptions.names())
        read = {name: value for name, value in self.given.items() if not written_alone(name, value)}
        self.read_options = ReadOptions.of(read, found.parameters, found.messages, others=others)
        cleaning.must_be_apart(self.source_options, self.paths)

    @classmethod
    def name(cls) -> str:
        return cls.format

    @brief()
    def schema(self) -> StructType:
        paths = self.paths if self.source_options.recursive_file_lookup is not True else ()
        added = offered(chosen_yet(paths, self.source_options), self.source_options, self._own(None).names)
        columns = self._columns(added.values())
        if columns is None:
            return StructType([*self._own(None), *added.values()])
        self._must_name_what_is_added({path.partition(".")[0] for path in columns})
        own = tuple(path for path in columns if _name(path, added) not in added)
        fields = {field.name: field for field in (self._own(own) if own else ())} | added
        if METADATA.name in added:
            fields[METADATA.name] = part(path for path in columns if _name(path, added) == METADATA.name)
        return StructType([fields[name] for name in dict.fromkeys(_name(path, added) for path in columns)])

    def _columns(self, added: Iterable[StructField] = ()) -> tuple[str, ...] | None:
        return named_columns(self.protocol, self.read_options, self.resolver, added)

    def _must_name_what_is_added(self, columns: AbstractSet[str]) -> None:
        """Raises ``OptionError`` if ``columns`` leave out all that an option adds."""
        positions = [column.name for column in (FILE, *POSITIONS)]
        if self.read_options.positions and columns.isdisjoint(positions):
            raise OptionError(f"positions adds {', '.join(positions)}; add at least one of them to columns")
        provenance = [column.name for column in PROVENANCE]
        if self.read_options.connections and columns.isdisjoint(provenance):
            raise OptionError(f"connections adds {', '.join(provenance)}; add at least one of them to columns")
        if self.source_options.metadata and METADATA.name not in columns:
            raise OptionError(f"metadata adds {METADATA.name}; add it to columns")
        if METADATA.name in columns and not self.source_options.metadata:
            raise OptionError(beside(METADATA.name, "metadata"))

    def _own(self, columns: tuple[str, ...] | None) -> StructType:
        """The protocol's columns: all, or those that are named."""
        return spark_schema(self.protocol, self.read_options._replace(columns=columns))

    @brief()
    def reader(self, schema: StructType) -> DataSourceReader:
        return self._made(CaptureReader, schema)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:  # noqa: N802 - Spark's name
        needs("readStream", STREAMS)  # not brief: an older Spark fails on this error, and reports only both
        from wireloom.spark.batch_reading import TakenReader
        from wireloom.spark.streaming import CaptureStreamReader, RefusedStreamReader

        try:
            return CaptureStreamReader(self._made(TakenReader, schema), self.format)
        except OptionError as error:
            return RefusedStreamReader(error)

    def _made(self, kind: type[R], schema: StructType) -> R:
        """A reader for a schema. Columns that are not the protocol's come from the names of directories."""
        names = self._own(None).names
        named = self._columns()
        columns = None if named is None else tuple(path for path in named if path.partition(".")[0] in names)
        every = self._own(columns or None)
        of_protocol = {name for name in schema.names if self.resolver.name(name, names) in names}
        own = [field for field in schema if field.name in of_protocol]
        taken = decoded(every, self.resolver.schema(StructType(own), every))
        added = tuple(field for field in schema if field.name not in of_protocol)
        options = self.read_options._replace(columns=None)
        taken = taken if own else StructType(every.fields[:1])  # rows are counted by a column
        added_columns = Added(schema, added, tuple(every.names), self.source_options, self.resolver)
        return kind(self.protocol, self._given_paths(), options, self.source_options, taken, added_columns)

    @brief()
    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        if not self.paths:
            raise OptionError(tables.pathless(self.format))
        if len(self.paths) != 1:
            raise OptionError(f'exactly one path can be written; df.write.format("{self.format}").save(path)')
        found = registry.protocol(self.protocol)
        known = WriteOptions.known(found.parameters)
        given = {name: value for name, value in self.given.items() if name in self.beside or name.lower() in known}
        options = WriteOptions.of(given, found.parameters, found.messages)
        return CaptureWriter(self.protocol, self.paths[0], options, schema, overwrite=overwrite, resolver=self.resolver)

    def _given_paths(self) -> tuple[str, ...]:
        """The paths to read; options for writing are an error, unless they are a dataset's."""
        for name in self.beside:
            if written_alone(name, self.beside[name]):
                why = "; files are decompressed according to their names" if name.lower() == "compression" else ""
                raise OptionError(f"{name} is an option of writing{why}")
        if not self.paths:
            raise OptionError(tables.pathless(self.format))
        return self.paths


def _name(path: str, added: Container[str]) -> str:
    """The column that a path of the option ``columns`` begins with."""
    return path if path in added else path.partition(".")[0]
