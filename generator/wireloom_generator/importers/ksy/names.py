"""Which types and enums there are, what they are called, and who uses them."""

import re
from collections.abc import Iterator, Mapping

from wireloom_generator import naming
from wireloom_generator.importers.ksy.attributes import is_sized, used_types
from wireloom_generator.importers.ksy.phrases import CannotSayError
from wireloom_generator.importers.ksy.structs import WORDS, Struct
from wireloom_generator.importers.ksy.structure import Enum, Type


class Names:
    """Which types and enums there are, what they are called, and who uses them."""

    def __init__(self, main: Type) -> None:
        self.main = main
        self.structs: dict[Type, Struct] = {}
        self.enums: dict[Enum, str] = {}
        self.taken: set[str] = set()
        self._reach(main)
        for struct in self.structs.values():
            sized = [is_sized(attribute) for _, attribute in struct.users]
            struct.is_stream = struct.type is not main and bool(sized) and all(sized)
        self._find_record()

    def _find_record(self) -> None:
        """Find the types whose stream is always that of the record."""
        found = {self.main}
        while True:
            more = {
                type
                for type, struct in self.structs.items()
                if type not in found
                and all(
                    user.type in found and not is_sized(used) and "io" not in used.keys for user, used in struct.users
                )
            }
            if not more:
                break
            found |= more
        for type in found:
            self.structs[type].is_in_record = True

    def struct(self, type: Type) -> Struct:
        if type not in self.structs:
            raise CannotSayError(f"nothing has the type {type.name}")
        return self.structs[type]

    def enum(self, enum: Enum) -> str:
        """The name of an enum in the spec."""
        if enum not in self.enums:
            self.enums[enum] = self._free(enum.name, "code")
        return self.enums[enum]

    def _free(self, name: str, more: str, outer: Type | None = None) -> str:
        found = camel(name)
        while found in self.taken and outer is not None and outer.outer is not None:
            found, outer = camel(outer.name) + found, outer.outer
        if found in self.taken:
            found += camel(more)
        return naming.unused(found, self.taken)

    def _reach(self, main: Type) -> None:
        waiting = [main]
        while waiting:
            type = waiting.pop(0)
            if type in self.structs:
                continue
            struct = self.structs[type] = Struct(type, self._free(type.name, "type", type.outer))
            struct.fields = dict(_fields(struct, is_main=type is main))
            waiting += [used for _, used in used_types(type)]
        for struct in self.structs.values():
            for attribute, used in used_types(struct.type):
                self.structs[used].users.append((struct, attribute))

    def find_cycles(self, inside: Mapping[Type, list[Type]]) -> None:
        """Give a depth to types that contain themselves: the fewest that a walk from the main type comes back to."""
        done: set[Type] = set()
        open: set[Type] = set()
        stack: list[tuple[Type, Iterator[Type]]] = []
        for struct in self.structs.values():
            struct.depth = 0

        def enter(type: Type) -> None:
            open.add(type)
            stack.append((type, iter(inside[type])))

        enter(self.main)
        while stack:
            type, inner = stack[-1]
            used = next(inner, None)
            if used is None:
                stack.pop()
                open.discard(type)
                done.add(type)
            elif used in open:
                self.structs[used].depth = 3
            elif used not in done:
                enter(used)


def _fields(struct: Struct, *, is_main: bool) -> Iterator[tuple[str, str]]:
    taken = set(WORDS) | ({"message", "variant"} if is_main else set())
    type = struct.type
    for attribute in (*type.params, *type.seq, *type.instances):
        name = naming.snake_case(attribute.id) or "field"
        name = name if name[0].isalpha() else f"field_{name}"
        name = f"{name}_value" if name in WORDS or (is_main and name in ("message", "variant")) else name
        yield attribute.id, naming.unused(name, taken, "_")


def camel(name: str) -> str:
    """A name in CamelCase."""
    found = "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", name) if part)
    return found if found[:1].isalpha() else f"T{found}"
