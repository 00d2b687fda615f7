"""schema.json: the shape of spec files as a JSON Schema, for editors to complete and check; the same for all specs.

It has the declarations of ``syntax``, and the allowed words of some keys. Names are left to the rules.
"""

import dataclasses
import json
import types
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import PurePosixPath
from typing import Any, Union, get_args, get_origin

from wireloom_generator.emitters import Destination, Emitter
from wireloom_generator.output import MARK, OutputFile
from wireloom_generator.reading import shape, syntax, vocabulary
from wireloom_generator.reading.catalogue import ALGORITHMS
from wireloom_generator.reading.written import KeyDoc, Prose
from wireloom_generator.types import ALL, BIT_WIDTHS, FORMS, NAMES, WIDTHS, Zoned, meanings, signs

Schema = dict[str, Any]

_UNSIGNED = [f"u{bits}" for bits in WIDTHS]
_SNAKE: Schema = {"type": "string", "pattern": "^[a-z][a-z0-9]*(_[a-z0-9]+)*$"}
_CAMEL: Schema = {"type": "string", "pattern": "^[A-Z][A-Za-z0-9]*$"}
_SOURCE: Schema = {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_]*$"}
_VERSION: Schema = {"type": ["string", "number"]}
_BETWEEN = r"(\s|#[^\n]*(\n|$))*"
_HEX: Schema = {
    "type": ["string", "integer"],
    "pattern": f"^({_BETWEEN}[0-9A-Fa-f]{_BETWEEN}[0-9A-Fa-f])*{_BETWEEN}$",
}
_NUMBER: Schema = {"type": ["string", "number"]}
_PORT: Schema = {"type": "integer", "minimum": 1, "maximum": 65535}
_SIZE: Schema = {"anyOf": [{"const": "rest"}, {"$ref": "#/$defs/Expression"}]}


def _words(*words: str | bool) -> Schema:
    return {"enum": list(words)}


def _varints(*stems: str) -> Schema:
    """Varints of any width."""
    return {"type": "string", "pattern": f"^({'|'.join(stems)})[1-9][0-9]?$"}


def _words_of_types() -> Iterator[tuple[str, tuple[str, ...]]]:
    """The words that a key of fields can have, whatever the type."""
    for key in dict.fromkeys(key for each in ALL for key, words in each.keys.items() if words):
        yield key, tuple(dict.fromkeys(word for each in ALL for word in each.keys.get(key, ())))


_LENGTHS = [f"{form.stem}{bits}" for form in FORMS if not form.signed for bits in form.usual]
_DIGITS = [each.spelling for each in ALL if "digits" in each.keys]
_ORDERS = _words(*vocabulary.ORDERS)
_WORDS: dict[tuple[type, str], Schema] = {
    (syntax.Source, "revision"): _VERSION,
    (syntax.Field, "type"): {
        "anyOf": [_words(*NAMES, meanings.Timestamp.word), _varints(*(form.stem for form in FORMS)), _CAMEL]
    },
    (syntax.Field, "size"): _SIZE,
    (syntax.Field, "prefix"): {
        "anyOf": [_words(*_UNSIGNED, *_LENGTHS), _varints("leb128_u", "vlq_u"), {"$ref": "#/$defs/LengthPrefix"}]
    },
    (syntax.LengthPrefix, "type"): {"anyOf": [_words(*_UNSIGNED, *_LENGTHS, *_DIGITS), _varints("leb128_u", "vlq_u")]},
    (syntax.LengthPrefix, "encoding"): _words(*Zoned.keys["encoding"]),
    (syntax.LengthPrefix, "counts"): _words(*vocabulary.COUNTED),
    (syntax.PackedCharacters, "justify"): _words(*vocabulary.JUSTIFIED),
    **{(syntax.Field, key): _words(*words) for key, words in _words_of_types()},
    (syntax.Field, "encoding"): {
        "anyOf": [_words(*dict(_words_of_types())["encoding"]), {"$ref": "#/$defs/PackedCharacters"}]
    },
    (syntax.Field, "repeat"): {"anyOf": [{"const": "rest"}, {"$ref": "#/$defs/Repeat"}]},
    (syntax.Field, "as"): {"anyOf": [_words(*meanings.WORDS), {"$ref": "#/$defs/Meaning"}]},
    (syntax.Field, "table_type"): _words(*vocabulary.U64_TYPES),
    (syntax.Scaled, "scale"): _NUMBER,
    (syntax.Scaled, "offset"): _NUMBER,
    (syntax.BitField, "type"): _words("bool", "text"),
    (syntax.BitField, "sign"): {"anyOf": [_words(*signs.WORDS), {"$ref": "#/$defs/OffsetBinary"}]},
    (syntax.PackedCharacters, "bit_order"): _words(*vocabulary.BIT_ORDERS),
    (syntax.BitField, "count"): {"type": "integer", "minimum": 1},
    (syntax.Bits, "bits"): _words(*(f"u{bits}" for bits in BIT_WIDTHS)),
    (syntax.Bitmap, "bitmap"): _words(*(f"u{bits}" for bits in BIT_WIDTHS)),
    (syntax.Bits, "bit_order"): _words(*vocabulary.BIT_ORDERS),
    (syntax.Section, "section"): _SNAKE,
    (syntax.Section, "size"): _SIZE,
    (syntax.Include, "include"): _CAMEL,
    (syntax.Checksum, "algorithm"): {"anyOf": [_words(*ALGORITHMS), {"$ref": "#/$defs/Crc"}]},
    (syntax.TableField, "type"): _words(*vocabulary.TABLE_TYPES),
    (syntax.Parameter, "type"): _words("bool", "text", *_UNSIGNED, *(f"i{bits}" for bits in WIDTHS)),
    (syntax.Protocol, "protocol"): _SNAKE,
    (syntax.Protocol, "byte_order"): {"anyOf": [_ORDERS, _SNAKE, {"type": "string", "pattern": " if .* else "}]},
    (syntax.Protocol, "ports"): {"anyOf": [_PORT, {"type": "array", "items": _PORT, "uniqueItems": True}]},
    (syntax.Library, "library"): _SNAKE,
    (syntax.Message, "message"): _SNAKE,
    (syntax.FormEntry, "as"): _words(*vocabulary.NOTATIONS),
    (syntax.FormEntry, "omit"): _words(*(word != "false" and word for word in vocabulary.OMITTED)),
    (syntax.Form, "style"): _words(*vocabulary.STYLES),
}
"""The allowed words of keys, beyond their annotations."""
_NAMES: dict[type, Schema] = {
    **dict.fromkeys((syntax.Enum, syntax.Flags, syntax.Struct), _CAMEL),
    **dict.fromkeys((syntax.EnumValue, syntax.Flag, syntax.Table, syntax.TableField), _SOURCE),
    **dict.fromkeys((syntax.Field, syntax.BitField, syntax.Bitmap), _SNAKE),
    **dict.fromkeys((syntax.Parameter, syntax.Variant, syntax.Form), _SNAKE),
}
"""The spelling of the ``name`` of each kind of element."""
_FILES = (syntax.Protocol, syntax.Message, syntax.Library)


@cache
def schema() -> str:
    """The text of ``specs/schema.json``, draft 2020-12."""
    kinds: dict[str, Schema] = {
        "Expression": {
            "description": "An expression, such as `4 * words - 20`.",
            "type": ["string", "integer", "boolean"],
        }
    }
    for kind in _FILES:
        _define(kind, kinds)
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": f"{MARK}its own syntax. Do not edit; run `wireloom generate`.",
        "title": "A wireloom spec file",
        "description": "One file of a protocol's folder: the protocol, one of its messages, or a library.",
        "anyOf": [_reference(kind) for kind in _FILES],
        "$defs": dict(sorted(kinds.items())),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _reference(kind: type) -> Schema:
    return {"$ref": f"#/$defs/{kind.__name__}"}


def _define(kind: type, kinds: dict[str, Schema]) -> None:
    """Add the mapping ``kind``, and all mappings in it, to ``kinds``."""
    if kind.__name__ in kinds:
        return
    properties: dict[str, Schema] = {}
    needed: list[str] = []
    kinds[kind.__name__] = {
        "description": (kind.__doc__ or "").strip(),
        "type": "object",
        "additionalProperties": False,
        "required": needed,
        "properties": properties,
    }
    for key, (field, hint) in shape.keys(kind).items():
        written: KeyDoc = field.metadata["key"]
        about = f"{written.about}. Example: `{key}: {written.example}`"
        properties[key] = {"description": about, **_value(kind, key, hint, kinds)}
        if field.default is dataclasses.MISSING:
            needed.append(key)
        elif isinstance(field.default, bool | str) and field.default != "":
            properties[key]["default"] = field.default


def _value(kind: type, key: str, hint: Any, kinds: dict[str, Schema]) -> Schema:
    """The schema of a key's value; mappings in it are added to ``kinds``."""
    general = _annotated(hint, kinds)
    if key == "since":
        return _VERSION
    if key == "name" and kind in _NAMES:
        return _NAMES[kind]
    return _WORDS.get((kind, key), general)


def _annotated(hint: Any, kinds: dict[str, Schema]) -> Schema:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _union(tuple(argument for argument in arguments if argument is not type(None)), kinds)
    if origin is tuple:
        item = _annotated(arguments[0], kinds)
        listed: Schema = {"type": "array", "items": item}
        return {"anyOf": [item, listed]} if arguments[0] in (str, int, bytes, Prose, syntax.Matched) else listed
    if origin is Mapping:
        return {"type": "object", "additionalProperties": _annotated(arguments[1], kinds)}
    if dataclasses.is_dataclass(hint):
        assert isinstance(hint, type)
        _define(hint, kinds)
        return _reference(hint)
    if hint is syntax.Expression:
        return {"$ref": "#/$defs/Expression"}
    if hint is bytes:
        return _HEX
    return {int: {"type": "integer"}, bool: {"type": "boolean"}, object: {}}.get(hint, {"type": "string"})


def _union(choices: tuple[Any, ...], kinds: dict[str, Schema]) -> Schema:
    if len(choices) == 1:
        return _annotated(choices[0], kinds)
    if set(choices) == set(get_args(syntax.Literal)):
        return {"type": ["integer", "number", "boolean", "string"]}
    if set(choices) == set(get_args(syntax.Entry)):
        if "Entry" not in kinds:  # each kind requires the key that only it has, so that no two match at once
            kinds["Entry"] = {"description": "An entry of a list of fields."}
            kinds["Entry"]["anyOf"] = [_annotated(choice, kinds) for choice in (*choices, syntax.Bitmap)]
        return {"$ref": "#/$defs/Entry"}
    if set(get_args(syntax.Literal)) < set(choices):
        others = (choice for choice in choices if choice not in get_args(syntax.Literal))
        return {"anyOf": [_annotated(syntax.Literal, kinds), *(_annotated(choice, kinds) for choice in others)]}
    return {"anyOf": [_annotated(choice, kinds) for choice in choices]}


EMITTER = Emitter(lambda _: (OutputFile(PurePosixPath("schema.json"), schema()),), Destination.SPECS)
