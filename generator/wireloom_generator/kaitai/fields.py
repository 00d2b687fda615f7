"""Fields of a spec as attributes of a type, or as instances if they are at an offset."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Protocol

from wireloom_generator import expressions, model, types
from wireloom_generator.expressions import Expr, Value
from wireloom_generator.kaitai.names import (
    KsyContext,
    KsyKeys,
    KsyScope,
    KsyType,
    KsyValue,
    NoKsyError,
    documented,
    enclosed,
    usable,
)
from wireloom_generator.kaitai.printing import KsyPrinter
from wireloom_generator.kaitai.values import ValueTypes
from wireloom_generator.naming import snake_case
from wireloom_generator.spec_text import Noted


class KsyTypes(Protocol):
    """What is written for a whole protocol."""

    around: KsyContext
    values: ValueTypes
    flags: Mapping[str, model.Flags]

    def fields_of(self, name: str) -> tuple[model.Node, ...]:
        """The nodes of a type of the spec."""

    def inner(self, name: str, above: KsyType) -> str:
        """A name for a type of a section."""

    def declare(self, made: KsyType) -> None:
        """Write a type into the file, or into the type that types are written into."""

    def at_home(self, home: KsyType) -> AbstractContextManager[None]:
        """Write types into a type for a while."""

    def struct(self, name: str, order: model.Order, given: Mapping[str, KsyValue]) -> tuple[KsyScope, tuple[str, ...]]:
        """What a type of the spec is in the file, and which inputs it needs."""


def _is_lone(node: model.Field) -> bool:
    """Whether what is in front of its value can be a field in front of it."""
    return node.repeat is None and node.place is None


def _has_bytes(kind: types.WireType) -> bool:
    """Whether each character is a byte."""
    return not isinstance(kind, types.Text) or kind.characters is not None


@dataclass(slots=True)
class FieldWriter:
    """Writes fields into the type ``here`` of a scope, in a byte order; ``lost`` tells what is bytes instead.

    Names that occur ``often`` are those of several alternatives.
    """

    file: KsyTypes
    scope: KsyScope
    here: KsyType
    order: model.Order
    lost: list[str]
    often: Counter[str] = field(default_factory=Counter)
    there: Expr | None = None
    is_unsure: bool = False
    is_scattered: bool = False
    """Whether bytes of what is here are elsewhere, so that those that are left are in several places."""
    number_read: str = ""
    """The integer of which a choice has bits."""

    @property
    def printer(self) -> KsyPrinter:
        return self.printer_in(self.here)

    def printer_in(self, here: KsyType) -> KsyPrinter:
        return KsyPrinter(self.file.around, self.scope, here)

    def _id(self, name: str) -> str:
        """The id of a field: its name, with a number if alternatives share it."""
        number = 1
        found = f"{name}_{number}" if self.often[name] > 1 else usable(name)
        while found in self.here.used:
            number += 1
            found = f"{name}_{number}"
        self.here.used.add(found)
        return found

    def _if(self, there: Expr | None) -> KsyKeys:
        return {} if there is None else {"if": self.printer.text(there)}

    def _instance(self, name: str, keys: KsyKeys) -> None:
        self.here.used.add(name)
        self.here.instances[name] = keys

    def _learn(self, name: str, id: str, given_as: str, **more: object) -> None:
        known = KsyValue(self.here, id, given_as, there=self.there, unsure=self.is_unsure)
        self.scope.names[name] = replace(known, **more)  # type: ignore[arg-type]

    def _field(self, node: model.Field) -> None:
        if node.place is not None and model.numbered(node, "at"):
            raise NoKsyError("items that are each at a place of their own")
        try:
            self._whole_field(node)
        except NoKsyError as error:
            self.scope.names.pop(node.name, None)
            bare = replace(
                node, wire=replace(node.wire, type=types.Bytes(), order=None), enum=None, flags=None, valid=None,
                meaning=None, const=None, inputs={}, through=None,
            )  # fmt: skip
            fixed = model.walking.taken(node.wire, None, None)
            if isinstance(node.wire.extent, model.Prefix) and node.wire.extent.in_characters:
                raise
            if node.wire.extent is None:
                if isinstance(node.type, types.Struct | types.Deeper) or fixed.least != fixed.most:
                    raise
                size = model.Size(model.Condition(Value(fixed.least), str(fixed.least)))
                bare = replace(bare, wire=replace(bare.wire, extent=size))
            self._whole_field(bare, str(error), suffix="_octets")
            self.scope.names.pop(node.name, None)
            self.lost.append(f"{node.name}: {error}")

    def _whole_field(self, node: model.Field, why: str = "", suffix: str = "") -> None:
        """Write a field. If ``why`` says what it cannot be, it is bytes."""
        printer = self.printer
        processed: KsyKeys = {}
        if node.through is not None:
            processed = self._process(node.through)
            if not isinstance(node.type, types.Bytes | types.Struct):
                raise NoKsyError(f"packed bytes that are no bytes or fields ({node.through.text})")
        id = self._id(f"{node.name}{suffix}")
        keys: KsyKeys = {"id": id}
        struct: KsyScope | None = None
        if isinstance(node.type, types.Struct | types.Deeper):
            name = node.type.name if isinstance(node.type, types.Struct) else node.type.like
            kind, struct, given_as = self._struct(name, node.inputs)
            keys["type"] = kind
            inner = ""
        else:
            order = self.order if node.wire.order is model.Order.PARAMETER else node.wire.order
            more, inner, given_as = self.file.values.of(node.wire, order, self.order)
            keys |= more
        if isinstance(node.wire.extent, model.Prefix) and not _is_lone(node):
            inner = f".value{inner}"
        keys |= self._extent(node, keys) | processed
        enum = node.enum if not inner and node.name not in self.file.around.enums.plain else None
        notes: list[str] = [f"{why}; here its bytes"] if why else []
        if enum is not None:
            keys["enum"] = self.file.around.enums.names[enum]
        if node.repeat is not None:
            keys |= self._repeat(node, node.repeat, struct)
        there = self._if(self.there)
        if node.optional and node.place is None:
            keys["if"] = " and ".join([*map(enclosed, map(str, there.values())), "not _io.eof"])
        else:
            keys |= there
        unsure = self.is_unsure or node.optional
        listed = node.repeat is not None
        self._learn(
            node.name, id + ("" if listed else inner), given_as + ("[]" if listed else ""),
            item=inner if listed else "", enum=enum, struct=struct, unsure=unsure, lenient=node.raw is not None,
        )  # fmt: skip
        self.measure(node.name, node.wire.extent if not listed else None)
        keys |= self._checked(node, id, inner)
        notes += self._unchecked(node)
        meant = f"The value is {node.meaning.notation}" if node.meaning is not None else ""
        point = getattr(node.type, "scale", 0)
        keys |= documented(node.doc, meant, f"Its last {point} digits are behind the point" if point else "")
        if node.place is not None:
            del keys["id"]
            place = printer.text(node.place.expression)
            if keys.get("repeat") == "expr" and node.place.constant is None:  # a list of nothing may be anywhere
                place = f"{keys['repeat-expr']} == 0 ? 0 : {place}"
            keys = {"io": "_root._io", "pos": place, **keys}
            self._instance(id, keys)
        else:
            self.here.fields.append(Noted(keys, "\n".join(notes)) if notes else keys)
        if not listed and not suffix:
            self._labels(node, id + inner, enum)

    def _labels(self, node: model.Field | model.BitField, text: str, enum: str | None) -> None:
        """The names of a number that has no enum itself, and the flags of one."""
        there = self._if(self.there) if not self.is_unsure else None
        if there is None:
            return
        if node.enum is not None and enum is None:
            named = self.file.around.enums.names[node.enum]
            self._instance(f"{node.name}_name", {"value": text, "enum": named, **there})
        flags = self.file.flags.get(node.flags or "") if isinstance(node, model.Field) else None
        for each in flags.values if flags is not None else ():
            name = snake_case(f"{node.name}_{each.name}")
            if name not in self.here.used:
                value: KsyKeys = {"value": f"{text} & {each.value:#x} != 0", **there, **documented(each.doc)}
                self._instance(name, value)

    def _struct(self, of: str, inputs: Mapping[str, model.Condition]) -> tuple[str, KsyScope, str]:
        """The type of a field with fields."""
        printer = self.printer
        given: dict[str, KsyValue] = {}
        texts: dict[str, str] = {}
        for name, value in inputs.items():
            try:
                texts[name] = printer.text(value.expression)
            except NoKsyError:
                continue
            given[name] = printer.kind(value.expression)
        scope, needed = self.file.struct(of, self.order, given)
        for name in needed:
            if name not in texts:
                raise NoKsyError(f"the input {name}")
        arguments = f"({', '.join(texts[name] for name in needed)})" if needed else ""
        return f"{scope.top.name}{arguments}", scope, scope.top.name

    def _extent(self, node: model.Field, kind: KsyKeys) -> KsyKeys:
        """The keys that say where a value ends; a length prefix is written before it."""
        match node.wire.extent:
            case None:
                return {}
            case model.Rest():
                return {"size-eos": True}
            case model.Size(condition=condition, pad=pad, until=until):
                size = condition.constant
                keys: KsyKeys = {"size": self.printer.text(condition.expression) if size is None else size}
                if pad is not None and len(pad) > 1:
                    raise NoKsyError("padding of several bytes")
                keys |= self._terminator(until) if until is not None else {}
                return keys | ({"pad-right": pad[0]} if pad is not None else {})
            case model.Prefix(in_characters=True) if not _has_bytes(node.type):
                raise NoKsyError("a length in characters")
            case model.Prefix(length=length) if _is_lone(node):
                more, inner = self._length(length)
                id = self._id(f"len_{node.name}")
                self.here.fields.append({"id": id, **more, **self._if(self.there)})
                return {"size": f"{id}{inner}"}
            case model.Prefix(length=length):
                item = KsyType(self.file.inner(f"{node.name}_item", self.here))
                more, inner = self._length(length)
                value: KsyKeys = {key: kind.pop(key) for key in ("type", "encoding") if key in kind}
                item.fields = [{"id": "len", **more}, {"id": "value", "size": f"len{inner}", **value}]
                self.file.declare(item)
                kind["type"] = item.name
                return {}
            case model.Terminator() as until:
                return self._terminator(until)

    def _length(self, length: model.Wire) -> tuple[KsyKeys, str]:
        """The keys for a length in front of a value, and what leads to the number."""
        order = self.order if length.order is model.Order.PARAMETER else length.order
        keys, inner, _ = self.file.values.of(length, order, self.order)
        if isinstance(length.extent, model.Size) and length.extent.fixed is not None and length.extent.pad is None:
            return {**keys, "size": length.extent.fixed}, inner
        if length.extent is not None:
            raise NoKsyError("a length of several bytes with an end of its own")
        return keys, inner

    def _terminator(self, until: model.Terminator) -> KsyKeys:
        if len(until.ends) > 1 or len(until.value) > 1 or until.unit > 1:
            raise NoKsyError("terminators of several bytes")
        keys: KsyKeys = {"terminator": until.value[0]}
        keys |= {"include": True} if until.terminator == "keep" else {}
        keys |= {"consume": False} if until.terminator == "leave" else {}
        return keys | ({"eos-error": False} if until.unterminated else {})

    def _repeat(self, node: model.Field, repeat: model.Repeat, struct: KsyScope | None) -> KsyKeys:
        if repeat.count is not None:
            count = repeat.count.constant
            text = self.printer.text(repeat.count.expression) if count is None else count
            return {"repeat": "expr", "repeat-expr": text}
        if repeat.until is None:
            return {"repeat": "eos"}
        ends = expressions.before_items(repeat.until.expression)
        if ends is not None and self.there is not None:
            raise NoKsyError("a list that may end before its first item")
        if struct is None:
            raise NoKsyError("a list of values that ends with one of them")
        within = ".value" if isinstance(node.wire.extent, model.Prefix) else ""
        printer = KsyPrinter(self.file.around, struct, struct.top, prefix=f"_{within}.")
        keys: KsyKeys = {"repeat": "until", "repeat-until": printer.text(repeat.until.expression)}
        return keys | ({} if ends is None else {"if": f"not ({printer.text(ends)})"})

    def _checked(self, node: model.Field, id: str, inner: str) -> KsyKeys:
        """The constant, or the condition on a value, if that can be checked."""
        if node.repeat is not None:
            return {}
        match node.const:
            case bytes() as octets:
                return {"valid": f"[{', '.join(map(hex, octets))}]"}
            case str():
                return (
                    {"valid": f'"{node.const}"'}
                    if node.const.isprintable() and not set('"\\') & set(node.const)
                    else {}
                )
            case None:
                pass
            case bool():
                return {"valid": {"expr": f"_{inner} == {str(node.const).lower()}"}}
            case int() as number if abs(number) >> 53:  # as numbers, JavaScript rounds them
                return {"valid": hex(number)}
            case int() | float() as number:
                return {"valid": {"expr": f"_{inner} == {number}"}} if inner else {"valid": number}
        if node.valid is None:
            return {}
        try:
            text = replace(self.printer, own=node.name).text(node.valid.expression)
        except NoKsyError:
            return {}
        return {"valid": {"expr": text}}

    def _unchecked(self, node: model.Field) -> Iterator[str]:
        """What is known of a value and not checked."""
        if node.checksum is not None:
            yield f"Not checked: it is a checksum, {node.checksum.title}."
        if node.derive is not None:
            yield f"Not checked: it is {node.derive.text}."
        if node.valid is not None and node.repeat is not None:
            yield f"Not checked: {node.valid.text}."

    def _process(self, through: model.Through) -> KsyKeys:
        """How packed bytes are unpacked."""
        asked = through.asked.expression
        match through.way:
            case "" if asked == Value("zlib"):
                return {"process": "zlib"}
            case "xor":
                return {"process": f"xor({self.printer.text(asked)})"}
            case "rol":
                return {"process": f"ror({self.printer.text(asked)})"}
            case _:
                raise NoKsyError(f"bytes that are packed ({through.text})")

    def measure(self, name: str, extent: model.Extent | None) -> None:
        """Remember how many bytes something has."""
        self.scope.sizes.pop(name, None)
        if isinstance(extent, model.Size) and not extent.condition.asks_left and self.there is None:
            self.scope.sizes[name] = extent.condition.expression

    def size(self, extent: model.Size | model.Rest) -> KsyKeys:
        """The size of a region."""
        if isinstance(extent, model.Rest):
            return {"size-eos": True}
        size = extent.condition.constant
        return {"size": self.printer.text(extent.condition.expression) if size is None else size}
