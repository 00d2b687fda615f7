"""Nothing that a spec means can change unseen: every attribute of the model is altered, one at a time."""

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Any

import pytest
from support.compiled import FEATURES, folders
from support.paths import ROOT

from wireloom_generator import expressions, model
from wireloom_generator.compat.compare import Version, compare
from wireloom_generator.reading.spec import Spec, load
from wireloom_generator.reading.written import Written
from wireloom_generator.resolve import protocol_of, resolve
from wireloom_generator.types import Ascii, Deeper, Integer, meanings

SPECS = ROOT / "specs"
FEATURES_TRIED = (
    "align_from_a_section", "pad_of_a_size", "byte_order_by_value", "bits_in_other_orders", "bits_choice",
    "bits", "bits_signed", "pad", "align", "repeat_until", "repeat_count", "choice", "parameters", "forms", "text",
    "text_encodings", "forms_written",
    "floats", "zigzag", "leb128", "bytes_prefixed", "bytes_terminated", "valid", "constants", "default", "compute",
    "elsewhere", "elsewhere_shared",
    "checksum_crc32", "checksum_over_ranges",
    "table_type", "types_sized", "flatbuffers_prefixed", "proof_resync", "sections_trailing",
    "bcd", "deprecated", "given", "labels", "meanings", "length_rest_proven", "paths", "raw_bytes", "bits_named",
    "ascii", "ends_inside_a_size", "ends_of_terminated", "length_headed_resync", "length_fields", "match",
    "sized_integers", "byte_order_of_words", "items", "items_before", "items_elsewhere", "through_compressions",
    "capture_header", "answers", "found", "enum_groups", "ports", "ibm_floats", "zoned", "bcd_in_other_orders",
    "times_of_fields", "times_of_ntp_and_gps",
    "recursion_without_ends",
    "packed_characters", "bitmap", "prefix_in_digits", "counted_characters", "header_derived", "several_terminators",
    "unterminated_record",
)  # fmt: skip
"""Small specs with what those of this repository do not have."""

UNCOMPARED = {
    (model.Column, "doc"): "what is said of its field is compared",
    (model.Column, "label"): "the column after the one whose name it has",
    (model.Column, "longest"): "follows from the names of its enum, which are compared",
    (model.Enum, "groups"): "what messages and alternatives match is compared, however it is written",
    (model.Condition, "text"): "the expression is compared, however it is written",
    (model.Condition, "raw"): "the expression is compared, however it is written",
    (model.Condition, "at"): "where it is written",
    (model.Otherwise, "at"): "where it is written",
    (model.Checksum, "algorithm"): "what is computed is compared, whatever its name",
    (model.Checksum, "faults"): "no spec without mistakes has one",
    (model.Checksum, "title"): "what is computed is compared, whatever its name",
    (model.Variant, "shared"): "where it is declared",
    (model.Struct, "late"): "follows from what its fields use, which is compared",
    (model.Doc, "accepted"): "what is accepted of a spec is nobody's interface",
    (model.Example, "doc"): "what is said of an example is nobody's interface",
    (model.Field, "hex"): "how the spec writes numbers",
    (model.Field, "told"): "what messages derive is compared",
    (model.BitField, "told"): "what messages derive is compared",
    (model.Computed, "hex"): "how the spec writes numbers",
    (model.Computed, "instant"): "the expression of the time is compared",
    (model.BitField, "hex"): "how the spec writes numbers",
    (model.Probe, "hex"): "how the spec writes numbers",
    (model.BitField, "when"): "that of its integer is compared",
    (model.Record, "stray"): "no spec without mistakes has one",
    (model.Bits, "stray"): "no spec without mistakes has one",
    (model.Bits, "others"): "the shifts of bit fields are compared",
    (model.Bits, "faults"): "no spec without mistakes has one",
    (model.Bits, "bitmap"): "the columns of the message are compared",
    (model.Bits, "over"): "the shifts of bit fields, and the choice that they stand in, are compared",
    (Ascii, "room"): "follows from its extent",
    (Ascii, "width"): "follows from its extent",
    (Deeper, "depth"): "the columns of the message are compared",
    (Deeper, "like"): "the columns of the message are compared",
    (model.Field, "space"): "follows from its type and extent",
    (model.Field, "item_space"): "follows from its type and extent",
    (model.Field, "watched"): "follows from what is asked of its items",
    (model.Struct, "given"): "what fields of the type give it is compared",
    (model.Struct, "level_of"): "its columns and fields are compared",
    (model.Struct, "exhausts"): "follows from its fields",
    (model.Repeat, "rest"): "follows from count and until",
    (model.Through, "raw"): "the columns of the message are compared",
    (model.Through, "given"): "no spec without mistakes has several",
    (model.Through, "at"): "where it is written",
    (model.Section, "bare"): "no spec without mistakes has one",
    (model.Field, "reserved"): "the default is compared",
    (model.BitField, "reserved"): "the default is compared",
    (model.Message, "filled"): "what stands in the sections is compared",
    (model.Variant, "filled"): "what stands in the sections is compared",
    (model.Computed, "type"): "the columns of the message are compared",
    (model.Field, "columns"): "the columns of the message are compared",
    (model.Computed, "columns"): "the columns of the message are compared",
    (model.BitField, "columns"): "the columns of the message are compared",
    (model.Form, "style"): "there is one",
    (model.Form, "doc"): "what is said of a form is nobody's interface",
    (model.FormEntry, "doc"): "what is said of a form is nobody's interface",
    (model.Lengths, "checksum"): "follows from the proof and the field that it names; see below",
    (model.Lengths, "probes"): "follow from what is asked of the header",
    (model.Lengths, "beginning"): "follows from what is asked of it",
    (model.Message, "trailing"): "the columns of the message are compared",
    (model.Parameter, "type"): "its choices tell",
    (model.Parameter, "column"): "the columns of the row are compared",
    (model.Message, "decisive"): "follows from what the variants fill",
    (model.Message, "names"): "follow from its fields",
    (model.Message, "end"): "what is told of the length is compared below",
    (model.Message, "proof"): "what is told of the length is compared below",
    (model.Record, "names"): "follow from its fields",
    (model.Record, "end"): "what is told of the length is compared below",
    (model.Record, "proof"): "what is told of the length is compared below",
    (model.Message, "path"): "where it is written",
    (model.Message, "forms"): "a form that is new breaks nobody",
    (model.Protocol, "path"): "where it is written",
    (model.Protocol, "sources"): "where it is written",
    (model.Protocol, "folders"): "where it is written",
    (model.Protocol, "match"): "follows from the matches of the messages",
    (model.Protocol, "libraries"): "what is said of a library is nobody's interface",
    (model.Protocol, "included"): "what is said of a shared struct whose fields are spliced in is nobody's interface",
    (model.Protocol, "header"): "the columns of the row are compared",
    (model.Protocol, "structs"): "a struct is compared where both have it, and fields have other types if not",
    (model.Protocol, "tables"): "a table is compared where both have it, and fields have other types if not",
    (model.Protocol, "lengths"): "what is told of the length is compared below",
    (model.Table, "name"): "the type of the fields that have it is compared",
    (model.Protocol, "byte_order"): "the byte order of each number is compared",
    (model.Struct, "columns"): "the columns of the message are compared",
    **{
        (scaled, name): "an end of its type, which is compared"
        for scaled in (meanings.DecimalNumber, meanings.DoubleNumber)
        for name in ("least", "most")
    },
    (expressions.Name, "column"): "where it is written",
    (expressions.Name, "nullable"): "follows from what the name is",
}
"""Attributes that can change without a finding, and why."""

OTHERWISE = {
    "==": "!=", "!=": "==", "<": ">", "<=": ">=", ">": "<", ">=": "<=", "and": "or", "or": "and",
    "+": "-", "-": "+", "*": "+", "//": "*", "%": "*", "&": "|", "|": "&", "not": "-", "size": "count",
    "count": "size", "offset": "size", "present": "size", "min": "max", "max": "min",
}  # fmt: skip
"""Other words where not every word will do."""

Path_ = tuple[str | int, ...]


@cache
def spec(name: str) -> Spec:
    """A spec of this repository."""
    return load([SPECS / name])[0][0]


@pytest.fixture(scope="module")
def features(tmp_path_factory: pytest.TempPathFactory) -> list[Spec]:
    """Those small specs."""
    root = tmp_path_factory.mktemp("features")
    found = [folders(FEATURES[name].read_text(encoding="utf-8"), root / name) for name in FEATURES_TRIED]
    return [load([folder])[0][0] for folder in found]


@pytest.mark.sweep
def test_every_attribute_of_the_model_is_compared(features: list[Spec]) -> None:
    """Of each attribute of each class the first one is altered, in a few of the small specs that have one."""
    assert len(_altered(features, 1, specs=3)) > 70


@pytest.mark.long
def test_every_attribute_of_every_small_spec_is_compared(features: list[Spec]) -> None:
    """Of each attribute of each class the first one of every small spec is altered."""
    assert len(_altered(features, 1)) > 70


@pytest.mark.long
def test_every_attribute_of_our_specs_is_compared() -> None:
    """Of each attribute of each class the first one is altered."""
    assert len(_altered([spec("couchbase_dcp"), spec("databus")], 1)) > 60


def _altered(among: Iterable[Spec], most: int, specs: float = math.inf) -> set[tuple[type, str]]:
    """The attributes that were altered, ``most`` times in each of so many specs; each is found."""
    having: Counter[tuple[type, str]] = Counter()
    seen: set[tuple[type, str]] = set()
    unseen = []
    for spec in among:
        resolved = resolve(spec)
        protocol = protocol_of(resolved)
        tried: dict[tuple[type, str], int] = {}
        for owner, around, name, path, value in _attributes(protocol, (), None):
            kind = type(owner)
            if having[kind, name] >= specs or tried.get((kind, name), 0) >= most or _is_idle(owner, around, name):
                continue
            for other in _others(kind, name, value):
                tried[kind, name] = tried.get((kind, name), 0) + 1
                seen.add((kind, name))
                if not _found(resolved, protocol, _replaced(protocol, path, other)):
                    unseen.append(f"{protocol.name}: {kind.__name__}.{name} at {path}: {value!r} to {other!r}")
        having.update(tried.keys())
    assert unseen == []
    return seen


def test_the_checksum_that_proves_a_length_is_compared() -> None:
    databus = resolve(spec("databus"))
    protocol = protocol_of(databus)
    lengths = tuple(dataclasses.replace(one, checksum=None) for one in protocol.lengths)
    assert _found(databus, protocol, dataclasses.replace(protocol, lengths=lengths))


def _is_idle(owner: Any, around: Any, name: str) -> bool:
    """Whether the attribute is compared otherwise, or says nothing of what it is in."""
    if (type(owner), name) in UNCOMPARED:
        return True
    match owner:
        case Integer() if name == "signed":
            return isinstance(around, model.Bits | model.Prefix | model.Probe)
        case model.BitField(reserved=True) if name == "boolean":
            return True
        case model.Field(long=True) if name == "decimal":
            return True
        case model.Field(enum=None, flags=None) | model.Computed(enum=None) | model.BitField(enum=None):
            return name == "labels"
        case _:
            return False


def _found(resolved: model.Resolved, old: model.Protocol, new: model.Protocol) -> bool:
    """Whether the one protocol is told from the other, one that goes by another name too."""
    before, after = Version({old.name: old}, {old.name: resolved}), Version({new.name: new}, {new.name: resolved})
    return bool(compare(before, after))


def _attributes(node: Any, path: Path_, around: Any) -> Iterator[tuple[Any, Any, str, Path_, Any]]:
    """Every attribute of every node below a node: whose, what that is in, name, path to it, value."""
    annotations = _annotations(type(node))
    if annotations:
        for name in annotations:
            if isinstance(node, model.Sourced | Written) and name in ("written", "via", "at", "places"):
                continue  # where it is written
            value = getattr(node, name)
            if name == "default" and isinstance(value, model.Condition) and not value.is_written:
                continue  # what alternatives match, which is compared
            yield node, around, name, (*path, name), value
            if (type(node), name) not in UNCOMPARED or name in ("structs", "tables"):
                yield from _attributes(value, (*path, name), around if isinstance(node, model.Wire) else node)
    elif isinstance(node, Mapping):
        for key, value in node.items():
            yield from _attributes(value, (*path, key), around)
    elif isinstance(node, tuple):
        for index, value in enumerate(node):
            yield from _attributes(value, (*path, index), around)


def _others(kind: type, name: str, value: Any) -> Iterator[Any]:
    """Another value that the attribute could have."""
    match value:
        case bool():
            yield not value
        case Enum():
            yield next(member for member in type(value) if member is not value)
        case int() | float():
            yield value + 1
        case str():
            yield OTHERWISE.get(value, value + "x")
        case bytes():
            yield value + b"x"
        case tuple() if value and not _annotations(type(value)):
            yield value[:-1]
        case Mapping() if value:
            yield dict(list(value.items())[:-1])
        case _ if _annotations(type(value)) and "None" in str(_annotations(kind)[name]):
            yield None


def _annotations(kind: type) -> dict[str, object]:
    """The attributes of a dataclass or a named tuple with their types; none of anything else."""
    if dataclasses.is_dataclass(kind):
        return {field.name: field.type for field in dataclasses.fields(kind)}
    return {name: kind.__annotations__[name] for name in getattr(kind, "_fields", ())}


def _replaced(node: Any, path: Path_, value: Any) -> Any:
    """The node with another value at the path."""
    if not path:
        return value
    head, rest = path[0], path[1:]
    if isinstance(node, Mapping):
        return {**node, head: _replaced(node[head], rest, value)}
    if isinstance(node, tuple) and isinstance(head, int):
        return (*node[:head], _replaced(node[head], rest, value), *node[head + 1 :])
    changed = {str(head): _replaced(getattr(node, str(head)), rest, value)}
    return node._replace(**changed) if isinstance(node, tuple) else dataclasses.replace(node, **changed)
