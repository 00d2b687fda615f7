"""Calls the functions of a shared library that is compiled with sanitizers, in a process of its own.

It reads what to call from its standard input, and writes what that gives to its standard output, both pickled. Nothing
of Wireloom is imported, so that all that the sanitizers see is the library and Python.
"""

import ctypes
import pickle
import sys
from typing import Any, NamedTuple

NUMBERS = {
    "bool": ctypes.c_bool, "float": ctypes.c_float, "double": ctypes.c_double, "enum": ctypes.c_int,
    **{f"{sign}int{bits}_t": getattr(ctypes, f"c_{sign}int{bits}") for sign in ("u", "") for bits in (8, 16, 32, 64)},
}  # fmt: skip


class Described(NamedTuple):
    """A value in C: ``what`` it is, and the members of a struct, or what a list has."""

    what: str
    members: tuple[tuple[str, str, "Described"], ...] = ()
    name: str = ""
    given: int = 0
    more: tuple[tuple[str, str], ...] = ()


class Answer(NamedTuple):
    """What became of a record: the message that it is said to be of, its length, the field and the text of the error,
    or the values, and the bytes that are written for them.
    """

    message: str
    length: int
    field: str
    text: str
    at: int
    values: Any
    written: bytes | tuple[str, str] | None


class _Bytes(ctypes.Structure):
    _fields_ = (("data", ctypes.POINTER(ctypes.c_uint8)), ("size", ctypes.c_size_t))


class _Error(ctypes.Structure):
    _fields_ = (("check", ctypes.c_int), ("at", ctypes.c_size_t), ("needed", ctypes.c_size_t))


class Library:
    """A protocol's library."""

    def __init__(self, path: str, prefix: str, two: bool) -> None:
        self.library = ctypes.CDLL(path)
        self.prefix = prefix
        self.two = two
        self.types: dict[int, Any] = {}
        for name in ("check_field", "check_text", "message_name"):
            getattr(self.library, f"{prefix}_{name}").restype = ctypes.c_char_p
        self.message = getattr(self.library, f"{prefix}_message")
        self.length = getattr(self.library, f"{prefix}_length", None)
        if self.length is not None:
            self.length.restype = ctypes.c_size_t

    def type_of(self, said: Described) -> Any:
        found = self.types.get(id(said))
        if found is None:
            found = self.types[id(said)] = self._type(said)
        return found

    def _type(self, said: Described) -> Any:
        if said.what in NUMBERS:
            return NUMBERS[said.what]
        if said.what == "bytes":
            return _Bytes
        fields: list[tuple[str, Any]] = []
        if said.what == "list":
            fields = [*_Bytes._fields_, ("count", ctypes.c_size_t)]
            if said.given:
                fields.append(("given", ctypes.c_int64 * said.given))
            fields += [(name, NUMBERS[kind]) for name, kind in said.more]
        else:
            for name, there, inner in said.members:
                if there:
                    fields.append((there, ctypes.c_bool))
                fields.append((name, self.type_of(inner)))
        return type("Struct", (ctypes.Structure,), {"_fields_": fields})

    def value(self, said: Described, found: Any) -> Any:
        """A value as Python has it."""
        match said.what:
            case "bytes":
                return ctypes.string_at(found.data, found.size) if found.size else b""
            case "struct":
                return {
                    name: self.value(inner, getattr(found, name)) if not there or getattr(found, there) else None
                    for name, there, inner in said.members
                }
            case "list":
                rest, raw = type(found).from_buffer_copy(found), []
                item_said = said.members[0][2]
                item = self.type_of(item_said)
                following = getattr(self.library, f"{said.name}_next")
                following.restype = ctypes.c_bool
                while following(ctypes.byref(rest), ctypes.byref(one := item())):
                    raw.append(one)
                assert len(raw) == found.count, (said.name, len(raw), found.count)
                self.append(said.name, found, raw)
                return [self.value(item_said, one if isinstance(one, ctypes.Structure) else one.value) for one in raw]
        return found

    def append(self, name: str, found: Any, items: list[Any]) -> None:
        """Make a list of the same items, if there is a function for that, and compare their bytes."""
        function = getattr(self.library, f"{name}_append", None)
        if function is None:
            return
        function.restype = _Error
        made = type(found).from_buffer_copy(found)
        made.data, made.size, made.count = None, 0, 0
        room = (ctypes.c_uint8 * found.size)()
        for one in items:
            error = function(ctypes.byref(made), room, ctypes.c_size_t(len(room)), ctypes.byref(one))
            assert not error.check, (name, *self.words(error))
        assert made.count == found.count, name
        assert bytes(room) == (ctypes.string_at(found.data, found.size) if found.size else b""), name

    def answer(self, record: bytes, messages: dict[str, tuple[str, Described]], little: bool) -> Answer:
        order = (ctypes.c_bool(little),) if self.two else ()
        data = (ctypes.c_uint8 * len(record)).from_buffer_copy(record)
        given = data, ctypes.c_size_t(len(record))
        number = self.message(*given, *order)
        name = getattr(self.library, f"{self.prefix}_message_name")(number).decode()
        length = self.length(*given, *order) if self.length is not None else -1
        if name not in messages:
            return Answer(name, length, "", "", 0, None, None)
        function, said = messages[name]
        out = self.type_of(said)()
        read = getattr(self.library, f"{function}_read")
        read.restype = _Error
        error = read(*given, ctypes.byref(out), *order)
        if error.check:
            return Answer(name, length, *self.words(error), error.at, None, None)
        return Answer(name, length, "", "", 0, self.value(said, out), self.written(function, out, order))

    def words(self, error: _Error) -> tuple[str, str]:
        names = ("check_field", "check_text")
        field, text = (getattr(self.library, f"{self.prefix}_{name}")(error.check).decode() for name in names)
        return field, text

    def written(self, function: str, out: Any, order: tuple[Any, ...]) -> bytes | tuple[str, str] | None:
        """The bytes that are written for a struct, for which there is first too little room."""
        write = getattr(self.library, f"{function}_write", None)
        if write is None:
            return None
        write.restype = _Error
        size = ctypes.c_size_t(0)
        error = write(ctypes.byref(out), None, ctypes.c_size_t(0), ctypes.byref(size), *order)
        if error.check != 1:
            return self.words(error)
        assert error.needed == size.value
        room = (ctypes.c_uint8 * error.needed)()
        error = write(ctypes.byref(out), room, ctypes.c_size_t(len(room)), ctypes.byref(size), *order)
        return self.words(error) if error.check else bytes(room)


def main() -> None:
    path, prefix, two, messages, records = pickle.load(sys.stdin.buffer)
    library = Library(path, prefix, two)
    answers = [tuple(library.answer(record, messages, little)) for record, little in records]
    pickle.dump(answers, sys.stdout.buffer)


if __name__ == "__main__":
    main()
