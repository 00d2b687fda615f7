"""The text of a function that is being written, and the objects that it uses."""

import builtins
import keyword
import linecache
import re
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from wireloom.coercion import LITERALS
from wireloom.expressions.scalar import USED

StraightLine = Callable[..., Any]
"""A function that is written here. It returns None for what is in doubt, or raises an error of values."""
_INDENT = "    "


class Script:
    """Lines of Python with names for values and objects. No text of a spec gets into them but as part of a name, with
    letters, digits and underscores alone, or quoted.
    """

    def __init__(self, taken: tuple[str, ...] = ()) -> None:
        self.lines: list[str] = []
        self.bound: dict[str, Any] = dict(USED)
        self._lasting: set[str] = set()
        self._names: dict[int, str] = {}
        self._codes: dict[tuple[str, str], str] = {}
        self._taken = {*taken, *USED, *dir(builtins)}
        self._numbers: dict[str, int] = {}
        """The last number behind each name."""

    def add(self, line: str) -> None:
        """One more line."""
        self.lines.append(line)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """What is added meanwhile stands indented behind ``head``."""
        with self.aside() as lines:
            yield
        self.insert(head, lines)

    @contextmanager
    def aside(self) -> Iterator[list[str]]:
        """What is added meanwhile is kept in a list of its own."""
        outer, self.lines = self.lines, []
        try:
            yield self.lines
        finally:
            self.lines = outer

    def insert(self, head: str, lines: list[str]) -> None:
        """Add lines that were kept, indented behind ``head``."""
        self.add(head)
        self.lines.extend(_INDENT + line for line in lines or ["pass"])

    def fresh(self, hint: str) -> str:
        """A new name for a value."""
        stem = re.sub(r"[^0-9a-zA-Z_]", "_", hint).strip("_") or "value"
        stem = f"_{stem}" if stem[0].isdigit() or keyword.iskeyword(stem) else stem
        number = self._numbers.get(stem, 1)
        name = stem if number == 1 else f"{stem}_{number}"
        while name in self._taken:
            number += 1
            name = f"{stem}_{number}"
        self._taken.add(name)
        self._numbers[stem] = number
        return name

    def lasting(self, hint: str) -> str:
        """A new name that is never used again, in no branch."""
        name = self.fresh(hint)
        self._lasting.add(name)
        return name

    @contextmanager
    def branch(self) -> Iterator[set[str]]:
        """The names that become new meanwhile, which another branch may use again."""
        before, numbers = set(self._taken), dict(self._numbers)
        new: set[str] = set()
        try:
            yield new
        finally:
            new |= self._taken - before
            self._taken, self._numbers = before | self._lasting, numbers

    def take(self, names: set[str]) -> None:
        """Let nobody use these names any more."""
        self._taken |= names

    def bind(self, hint: str, value: Any) -> str:
        """The name of an object in all branches, in capital letters but for classes."""
        name = self._names.get(id(value))
        if name is None:
            name = self._names[id(value)] = self.lasting(hint if isinstance(value, type) else hint.upper())
            self.bound[name] = value
        return name

    def constant(self, hint: str, value: Any) -> str:
        """The source of a constant: what it is if it can be written down, else the name of the object."""
        return repr(value) if type(value) in LITERALS else self.bind(hint, value)

    def unpacking(self, code: str) -> str:
        """The name of the function that unpacks numbers of that ``struct`` code from a place in bytes."""
        return self._coded("UNPACK", code, struct.Struct(code).unpack_from)

    def packing_into(self, code: str) -> str:
        """The name of the function that packs numbers of that ``struct`` code to a place in bytes."""
        return self._coded("PUT", code, struct.Struct(code).pack_into)

    def _coded(self, what: str, code: str, function: Callable[..., Any]) -> str:
        name = self._codes.get((what, code))
        if name is None:
            order = "little" if code[0] == "<" else "big"
            name = self._codes[what, code] = self.lasting(f"{what}_{order}_{code[1:]}")
            self.bound[name] = function
        return name

    def function(self, name: str, parameters: str, title: str) -> StraightLine:
        """The lines as a function. Debuggers and tracebacks show them under the ``title``."""
        body = "".join(f"{_INDENT}{line}\n" for line in self.lines)
        text = f"def {name}({parameters}):\n{body}"
        file = f"<wireloom {title}>"
        made = dict(self.bound)
        exec(compile(text, file, "exec"), made)
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        found: StraightLine = made[name]
        return found
