"""The options of the writer of captures, beside those that readers also have."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from wireloom.codec import Protocol
from wireloom.codec.preamble import CAPTURE
from wireloom.json_rows import row_reader
from wireloom.options import (
    READING,
    OptionError,
    Options,
    Parameter,
    ParameterValue,
    ReadOptions,
    TextOption,
    read_by,
    text,
    unknown,
)
from wireloom.views import Row


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """How captures are written. ``message`` is that of rows without one; ``compression`` is as in file names.

    ``capture`` is the header of files whose first row is not one, as JSON.
    """

    message: str | None = None
    corrupt_column: str = "_corrupt_record"
    compression: str | None = None
    capture: str | None = None
    parameters: Mapping[str, ParameterValue] = field(default_factory=dict)

    @staticmethod
    def names() -> tuple[str, ...]:
        """The names that users write, and that readers do not know."""
        return tuple(WRITING)

    @classmethod
    def known(cls, parameters: Iterable[Parameter]) -> dict[str, str]:
        """The names of all options of writing, parameters among them, by their lower case."""
        names = (*cls.names(), "message", "columnNameOfCorruptRecord", *(parameter.name for parameter in parameters))
        return {name.lower(): name for name in names}

    @classmethod
    def of(cls, given: Mapping[str, str], parameters: Iterable[Parameter], messages: Iterable[str]) -> "WriteOptions":
        """The options ``given``, parameters included, names in any case. Raises ``OptionError``."""
        known = tuple(parameters)
        names = cls.known(known)
        for name in given:
            if name.lower() == "mode":
                raise OptionError(
                    "mode is an option of reading; in writing, a row that cannot be encoded always fails the job"
                )
            if name.lower() not in names:
                raise OptionError(unknown("option", name, names.values()))
        shared = {name: value for name, value in given.items() if name.lower() not in WRITING}
        read = ReadOptions.of(shared, known, messages)
        return cls(read.message, read.corrupt_column, parameters=read.parameters, **read_by(WRITING, given))  # type: ignore[arg-type]

    def capture_row(self, protocol: Protocol) -> Row | None:
        """The row of the header ``capture``, if it is given. Raises ``OptionError`` if it is none."""
        if self.capture is None:
            return None
        if protocol.preamble is None:
            raise OptionError(f"capture is not an option here: captures of {protocol.name} have no header")
        try:
            return row_reader(protocol)({"message": CAPTURE, CAPTURE: json.loads(self.capture)})
        except ValueError as error:
            raise OptionError(f"capture must be a JSON object with the fields of the header: {error}") from None


def written_alone(name: str, value: str) -> bool:
    """Whether an option is only one of writing. Both have a ``capture``; that of reading is a word."""
    return name.lower() in WRITING and not (name.lower() in READING and value.isalnum())


def _compression(name: str, value: str) -> str | None:
    if value.lower() not in ("none", "gzip", "zstd"):
        raise OptionError(f"{name} must be none, gzip or zstd, not {value!r}")
    return None if value.lower() == "none" else value.lower()


WRITING: Options = {
    "compression": TextOption(
        "compression",
        _compression,
        "name",
        "zstd",
        "How files are compressed: `gzip`, `zstd` or `none`. It is also in their names.",
    ),
    "capture": TextOption(
        "capture",
        text,
        "JSON",
        """'{"magic": 1}'""",
        "If captures have a header: that of files whose first row is not one, with its fields as in rows.",
    ),
}
"""The options of writers that readers do not have."""
