"""__init__.py: the protocol's API; Spark and Arrow are imported on first use."""

from collections.abc import Iterator

from wireloom_generator import blocks, model
from wireloom_generator.emitters import ModuleEmitter, module
from wireloom_generator.output import OutputFile
from wireloom_generator.python_code.pretty import imported
from wireloom_generator.templates import filled

LAZY = filled(__package__, "lazy.py")
"""The code that is the same for every protocol."""
GUIDE = """\
``parse`` and ``build`` take single records, ``iter_records`` a capture in memory. With the extra ``arrow``, ``scan``,
``decode_columnar`` and ``decode_by_message`` read captures into Arrow tables, and ``encode_columnar`` writes them.
``messages`` has the names of all messages.
"""
API = ("build", "iter_records", "messages", "parse")
"""The methods of the codec that the module has as functions."""


def emit(protocol: model.Protocol) -> Iterator[OutputFile]:
    """The package's front module."""
    messages = sorted(blocks.message_name(message.name) for message in protocol.messages)
    numbers = [*(enum.name for enum in protocol.enums), *(flags.name for flags in protocol.flags)]
    named = sorted(map(blocks.class_name, numbers))
    yield module(
        protocol,
        "__init__.py",
        f"{protocol.doc.title}: parsers, builders and schemas, one attribute a message.\n\n{GUIDE}",
        enums=imported(".enums", named) if named else "",
        parsers=imported(".parsers", sorted(["PROTOCOL", *messages], key=_import_order)),
        exported=sorted([*named, *messages, "PROTOCOL", *API], key=_all_order),
    )


def _import_order(name: str) -> tuple[bool, str]:
    return not name.isupper(), name


def _all_order(name: str) -> tuple[int, str]:
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


EMITTER = ModuleEmitter(emit)
