"""Single values in YAML, with quotes where they are needed."""

import re

import yaml

from wireloom_generator.spec_text.values import Hex, Verbatim, YamlValue

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WORD = re.compile(r"[a-z][a-z_]*[a-z]")
_NOT_TEXT = frozenset({"false", "no", "null", "off", "on", "true", "yes"})
_LIKE_NUMBER = re.compile(r"[0-9][0-9A-Fa-f:]*|[-+]?[0-9.]+[eE][-+]?[0-9]+|0o[0-7]+")
"""Also bytes in hex and addresses, of which ``1e10`` and ``10:20`` are numbers to some readers of YAML."""
_SHORT = {"\t": "\\t", "\n": "\\n", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def is_foldable(text: str) -> bool:
    """Whether a text stays as it is if line breaks stand for blanks."""
    return text.isprintable() and re.fullmatch(r"\S+( \S+)*", text) is not None


def scalar(value: YamlValue, *, is_block: bool = False) -> str:
    """A single value in YAML. It may be inside brackets, unless it ``is_block``."""
    match value:
        case bool():
            return "true" if value else "false"
        case Hex():
            return f"{'-' if value < 0 else ''}{abs(value):#x}"
        case int() | float():
            return str(value)
        case Verbatim():
            return str(value)
        case str():
            return value if _is_plain(value, is_block=is_block) else quoted(value)
        case _:
            raise TypeError(f"not a single value: {value!r}")


def is_like_number(text: str) -> bool:
    """Whether some readers of YAML take the text for a number, or others like it."""
    return _LIKE_NUMBER.fullmatch(text) is not None


def quoted(text: str) -> str:
    """A text in double quotes, or in single ones if it needs no escapes then."""
    if ('"' in text or "\\" in text) and "'" not in text and text.isprintable():
        return f"'{text}'"
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(char: str) -> str:
    if char in _SHORT:
        return _SHORT[char]
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _is_plain(text: str, *, is_block: bool) -> bool:
    """Whether the text means itself without quotes, in brackets or at the end of a line."""
    if _WORD.fullmatch(text):
        return text not in _NOT_TEXT
    if is_like_number(text):
        return False
    if not text.isprintable() or len(text) > 1000 or "?" in text:  # of which readers of YAML think differently
        return False
    found = f"{{a: {text}, b: [{text}]}}" if not is_block else f"a: {text}\nb:\n  - {text}"
    try:
        return bool(yaml.load(found, Loader=_LOADER) == {"a": text, "b": [text]})
    except (yaml.YAMLError, ValueError):
        return False
