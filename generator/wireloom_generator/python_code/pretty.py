"""Python source formatted as formatters do: a call is on one line if it fits, otherwise each argument is on its own
line.

Text from a spec gets into generated code only through ``string``, ``literal`` or ``docstring``.
"""

import math
import re
import textwrap
from collections.abc import Sequence

from wireloom_generator import model
from wireloom_generator.expressions import Hexadecimal
from wireloom_generator.output import WIDTH, Bracketed, Code, Keyed, flat, pieces

_NAMES = re.compile(r'"""(?s:[^\\]|\\.)*?"""|"(?:[^"\\]|\\.)*"|(?<![\w.])([A-Za-z_]\w*+)(?!=[^=])')
"""A string, or a name that is neither an attribute nor that of an argument."""


def string(text: str) -> str:
    """A string literal in double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{_printable(escaped)}"'


def literal(value: int | float | str | bytes | None) -> str:
    """A value in Python; numbers look as in the spec."""
    match value:
        case Hexadecimal():
            return f"{'-' * (value < 0)}0x{abs(value):0{value.digits}x}"
        case str():
            return string(value)
        case bytes():
            return 'b"' + "".join('\\"' if byte == 0x22 else repr(bytes([byte]))[2:-1] for byte in value) + '"'
        case float() if not math.isfinite(value):
            return f'float("{value}")'
    return repr(value)


def _printable(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def names(code: str) -> frozenset[str]:
    """The names that Python source uses, without those inside strings."""
    return frozenset(filter(None, _NAMES.findall(code)))


def named(name: str, tree: Code) -> Keyed:
    """A construct under a name."""
    return Keyed(f"{string(name)} / ", tree)


def call(head: str, *arguments: Code, **options: Code | bool | None) -> Bracketed:
    """A call. Options that are None or false are left out."""
    given = (Keyed(f"{name}=", "True" if value is True else value) for name, value in options.items() if value)
    return Bracketed(head, (*arguments, *given))


def entry(key: str, tree: Code) -> Keyed:
    """An entry of a mapping."""
    return Keyed(f"{string(key)}: ", tree)


def group(*items: Code) -> Bracketed:
    """A tuple."""
    return Bracketed("", items)


def mapping(*entries: Keyed) -> Bracketed:
    """A dict."""
    return Bracketed("", entries, "{}")


def render(tree: Code, *, indent: int = 0, before: str = "", after: str = "") -> str:
    """The tree with text ``before`` and ``after`` it; the first line is not indented."""
    if len(flat(tree)) <= WIDTH - indent - len(before) - len(after):
        return before + flat(tree) + after
    match tree:
        case str() if tree.startswith('"'):
            room = WIDTH - indent - len(after) - 2
            lines = [f'"{piece}"' for piece in pieces(tree[1:-1], room - len(before), room)]
            return before + f"\n{' ' * indent}".join(lines) + after
        case str():
            return before + tree + after
        case Keyed(prefix, inner):
            return render(inner, indent=indent, before=before + prefix, after=after)
        case Bracketed(head, items, brackets):
            pad = " " * (indent + 4)
            lines = [pad + render(item, indent=indent + 4, after=",") for item in items]
            return "\n".join([f"{before}{head}{brackets[0]}", *lines, " " * indent + brackets[1] + after])


def docstring(text: str, *, indent: int = 0) -> str:
    """A docstring, wrapped."""
    escaped = text.strip().replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    safe = "\n".join(map(_printable, escaped.split("\n")))
    pad = " " * indent
    if len(safe) + indent + 6 <= WIDTH and "\n" not in safe and not safe.endswith('"'):
        return f'{pad}"""{safe}"""'
    first, *rest = safe.split("\n\n")
    paragraphs = [_filled(first, indent, '"""')]
    paragraphs += [_filled(paragraph, indent) for paragraph in rest]
    body = "\n\n".join(paragraphs) + '\n"""'
    return "\n".join(pad + line if line else "" for line in body.split("\n"))


def _filled(text: str, indent: int, before: str = "") -> str:
    # A long word stays whole: an escape cut in two would be another.
    return textwrap.fill(text, WIDTH - indent, initial_indent=before, break_long_words=False)


def imported(module: str, names: Sequence[str]) -> str:
    """An import of names; if it does not fit one line, each name is on its own line."""
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"from {module} import (", *(f"    {name}," for name in names), ")"])


def match(match: model.Match) -> Code:
    return mapping(*(entry(name, group(*map(_selector, found))) for name, found in match.items()))


def _selector(selector: model.Selector) -> Code:
    if isinstance(selector, model.Between):
        return call("Between", literal(selector.least), literal(selector.most))
    return literal(selector)
