"""Small texts of the spec: numbers, constants, encodings, values of cases."""

import re
from collections.abc import Mapping, Sequence

from wireloom_generator.importers.ksy.phrases import CannotSayError, Phrase
from wireloom_generator.importers.ksy.structs import Here, Struct
from wireloom_generator.importers.ksy.translation import Translator
from wireloom_generator.reading.source import YamlNode, YamlScalar
from wireloom_generator.spec_text import Hex, Noted, YamlValue

Entry = dict[str, YamlValue]
COMPUTED = {"int": "i64", "float": "f64", "bool": "bool", "str": "text", "bytes": "bytes"}
"""The types of computed values, by what they are."""


def number_or_text(text: str) -> int | str:
    """The number that an expression is, or the expression."""
    if text.isdigit():
        return int(text)
    if re.fullmatch(r"0x[0-9a-f]+", text):
        return Hex(int(text, 0))
    return text


def number_type(found: "re.Match[str]") -> str:
    """The type of the language for a number, as ``NUMBER`` has found it."""
    return f"{found[1]}{8 * int(found[2])}".replace("s", "i")


def constant(said: Phrase, type: str) -> YamlValue | None:
    """The constant that an expression is, as ``const`` has it."""
    number = number_or_text(said.text)
    if isinstance(number, int):
        return number
    if re.fullmatch(r"-\d+", said.text):
        return int(said.text)
    if said.text in ("true", "false"):
        return said.text == "true"
    if type == "bytes" and said.text.startswith("hex('"):
        return said.text[5:-2]
    return None


def matched(value: str, subject: Phrase) -> YamlValue | None:
    """A value under ``match``, if it can be one."""
    number = number_or_text(value)
    if isinstance(number, int):
        return number
    if re.fullmatch(r"-\d+", value):
        return int(value)
    if value in ("true", "false"):
        return value == "true"
    if subject.kind.base == "bytes" and value.startswith("hex('"):
        return value[5:-2]
    if subject.kind.base == "str" and value[:1] in "'\"" and "\\" not in value:
        return value[1:-1]
    if subject.kind.enum is not None and re.fullmatch(r"\w+\.\w+", value):
        return value.partition(".")[2]
    return None


def case_value(says: Translator, text: str, subject: Phrase, struct: Struct) -> str:
    """The value of a case, as an expression."""
    said = says.text(text, Here(struct, "switch-on"))
    if subject.kind.base == "bytes" and said.kind.base == "str":
        return f"hex('{text.strip(chr(39) + chr(34)).encode().hex()}')"
    if subject.kind.base == "str" and said.kind.base == "bytes":
        data = bytes.fromhex(said.text[5:-2])
        return repr(data.decode("latin-1"))
    return said.text


def scalar(node: YamlNode) -> str:
    if not isinstance(node, YamlScalar):
        raise CannotSayError("a single value expected")
    return node.text


def text_of(node: YamlNode) -> str:
    return node.text if isinstance(node, YamlScalar) else ""


def words(value: YamlValue) -> set[str]:
    """The words of all texts in a value."""
    match value:
        case str():
            return set(re.findall(r"\w+", value))
        case Noted(inner):
            return words(inner)
        case Mapping():
            return {word for key, each in value.items() if key != "doc" for word in words(each)}
        case Sequence():
            return {word for each in value for word in words(each)}
        case _:
            return set()
