"""The nodes of a spec as fields, instances and types of their own."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from wireloom_generator import expressions, model, types
from wireloom_generator.expressions import Compare, Conditional, Expr, Name, Origin, Unary, Value
from wireloom_generator.kaitai.fields import FieldWriter
from wireloom_generator.kaitai.names import KsyKeys, KsyType, KsyValue, NoKsyError, documented, enclosed
from wireloom_generator.kaitai.printing import both, either
from wireloom_generator.kaitai.values import BitValue, attributes_of, in_order, instances_of
from wireloom_generator.spec_text import Noted


def _sort(given_as: str) -> str:
    """Numbers of all sizes as one sort of parameters."""
    return "number" if given_as in ("s8", "u8") else given_as


@dataclass(slots=True)
class NodeWriter(FieldWriter):
    """Writes nodes into a type."""

    def count_names(self, nodes: Sequence[model.Node]) -> None:
        """Count how often each name is declared."""
        named = (each for each in model.walk(nodes) if not isinstance(each, model.Bits | model.Padding | model.Choice))
        self.often.update(each.name for each in named if not isinstance(each, model.Ordered))

    def add(self, nodes: Sequence[model.Node]) -> None:
        """Write the nodes. Raises ``NoKsyError`` if the end of one is not known."""
        for node in model.grouped(nodes):
            self._node(node)

    def _node(self, node: model.Node | model.When | model.Tail | model.Elsewhere) -> None:
        match node:
            case model.Field():
                self._field(node)
            case model.Computed():
                self._computed(node)
            case model.Bits():
                self._bits(node)
            case model.Padding():
                self._padding(node)
            case model.Section():
                self._section(node)
            case model.Slot():
                raise AssertionError("messages fill slots")
            case model.Elsewhere(field=placed):
                self._field(placed)
            case model.When(when=when, nodes=nodes):
                self._alternative(when, both(self.there, when.expression), nodes)
            case model.Tail(nodes=nodes):
                first, *others = nodes
                assert isinstance(first, model.Field)
                self._inside(self.there, is_unsure=True)._field(replace(first, optional=True))
                self.add(others)
            case model.Choice(alternatives=alternatives):
                self.choice(alternatives)
            case model.Ordered(little=model.Condition(expression=Value(bool() as little)), nodes=nodes):
                inner = self._inside(self.there)
                inner.order = model.Order.LITTLE if little else model.Order.BIG
                inner.add(nodes)
            case model.Ordered(little=little, nodes=nodes):
                self._in_order(little, nodes)
            case _:
                assert_never(node)

    def _in_order(self, little: model.Condition, nodes: Sequence[model.Node]) -> None:
        """Nodes in a byte order that a value decides are a type with all that it has in it."""
        id = self._id("in_order")
        inner = KsyType(self.file.inner("in_order", self.here), self.here, id)
        text = self.printer_in(inner).text(little.expression)
        inner.meta = {"endian": {"switch-on": text, "cases": {"true": "le", "false": "be"}}}
        with self.file.at_home(inner):
            replace(self, here=inner, order=model.Order.PARAMETER, number_read="").add(nodes)
        self.here.fields.append({"id": id, "type": inner.name, **self._if(self.there)})
        self.file.declare(inner)

    def _inside(self, there: Expr | None, *, is_unsure: bool | None = None) -> "NodeWriter":
        """Writes what is there under a condition."""
        unsure = self.is_unsure if is_unsure is None else is_unsure
        return replace(self, there=there, is_unsure=unsure)

    def _alternative(self, when: model.Condition, there: Expr | None, nodes: Sequence[model.Node]) -> None:
        if when.asks_left and len(nodes) > 1:
            raise NoKsyError("several fields that depend on how many bytes are left")
        self._inside(there, is_unsure=True if when.asks_left else None).add(nodes)

    def choice(self, alternatives: Sequence[model.Alternative]) -> None:
        """Write alternatives, and one instance for names that several of them have."""
        found: dict[str, list[tuple[Expr | None, KsyValue]]] = {}
        conditions = self._conditions(alternatives)
        for each, own in zip(alternatives, conditions, strict=True):
            names = [node.name for node in model.walk(each.nodes) if isinstance(node, model.Named | model.Region)]
            for name in names:
                self.scope.names.pop(name, None)
            self._inside(both(self.there, own)).add(each.nodes)
            for name in names:
                if name in self.scope.names and self.often[name] > 1:
                    found.setdefault(name, []).append((own, self.scope.names[name]))
        covered = bool(alternatives) and alternatives[-1].when is None
        for name, several in found.items():
            self._merge(name, several, always=covered and len(several) == len(alternatives))

    def _conditions(self, alternatives: Sequence[model.Alternative]) -> list[Expr | None]:
        """Under which condition each alternative is there. Several are told apart by an instance with their number."""
        if any(each.when is not None and each.when.asks_left for each in alternatives):
            raise NoKsyError("a choice by how many bytes are left")
        tests = [each.when.expression for each in alternatives if each.when is not None]
        if len(tests) == 1 and not any(name.nullable for name in expressions.names(tests[0])):
            return [tests[0], *(Unary("not", tests[0]) for _ in alternatives[1:])]
        if not tests:
            return [None for _ in alternatives]
        text = "".join(f"{self.printer.text(test)} ? {number} : " for number, test in enumerate(tests, 1))
        id = self._id("alternative")
        self._instance(id, {"value": f"{text}0", **self._if(self.there)})
        self.scope.names[f"#{id}"] = KsyValue(self.here, id, "s4")
        name = Name(f"#{id}", origin=Origin.THIS)
        return [
            Compare("==", name, Value(number if each.when is not None else 0))
            for number, each in enumerate(alternatives, 1)
        ]

    def _merge(self, name: str, several: Sequence[tuple[Expr | None, KsyValue]], *, always: bool) -> None:
        """One value for a name that several alternatives have."""
        first = several[0][1]
        self.scope.names.pop(name, None)
        if len({known.enum for _, known in several}) > 1:
            self.file.around.enums.plain.add(name)
        if len({_sort(known.given_as) for _, known in several}) > 1 or len(several) != self.often[name]:
            return
        if any(known.struct is not None or known.unsure or known.given_as.endswith("]") for _, known in several):
            return
        printer = self.printer
        texts = []
        for when, known in several:
            self.scope.names[name] = replace(known, there=None)
            text, _ = printer.known(Name(name, origin=Origin.THIS))
            texts.append((when, text))
        *others, (_, last) = texts
        value = "".join(f"{printer.text(when)} ? {text} : " for when, text in others if when is not None) + last
        there = None if always else either([when for when, _ in several])
        self._instance(name, {"value": value, **self._if(there)})
        self.scope.names[name] = replace(first, type=self.here, text=name, there=both(self.there, there))

    # Values

    def _computed(self, node: model.Computed) -> None:
        try:
            tree: Expr = node.compute.expression
            when = None if node.when is None else node.when.expression
            if node.instant is not None:
                raise NoKsyError("a time of several fields")
            if isinstance(tree, Conditional) and tree.other == Value(None):
                when = both(when, tree.test)
                tree = tree.then
            there = both(self.there, when)
            printer = self.printer
            guards = list(dict.fromkeys(printer.guards(tree)))
            conditions = [*map(enclosed, map(str, self._if(there).values())), *guards]
            keys: KsyKeys = {"value": printer.text(tree)}
            keys |= {"if": " and ".join(conditions)} if conditions else {}
            meant = f"The value is {node.meaning.notation}" if node.meaning is not None else ""
            id = self._id(node.name)
            is_named = node.enum is not None and node.name not in self.file.around.enums.plain
            named: KsyKeys = {"enum": self.file.around.enums.names[node.enum]} if is_named and node.enum else {}
            self._instance(id, keys | named | documented(node.doc, meant))
            given_as = {"bool": "bool", "text": "str", "bytes": "bytes"}.get(node.type.word, "s8")
            self._learn(node.name, id, given_as, enum=node.enum if is_named else None, unsure=bool(guards), there=there)
        except NoKsyError as error:
            self.lost.append(f"{node.name}: {error}")

    def _bits(self, node: model.Bits) -> None:
        """Bits are fields where Kaitai Struct can read them so, and else instances of an integer."""
        order = self.order if node.wire.order is model.Order.PARAMETER else node.wire.order or model.Order.BIG
        if node.over is not None:
            for each in instances_of(node, self.number_read):
                self._bit(each)
        elif node.whole is None and in_order(node, order) and not self.is_unsure:
            for each in list(attributes_of(node)):
                self._bit(each)
        else:
            bits = 8 * (node.wire.fixed or 0)
            if bits > 64 or self.is_unsure:
                raise NoKsyError("bit fields of more than 64 bits in another order, or that may be missing")
            kind = self.file.values.number(bits, signed=False, order=order)
            name = node.whole.name if node.whole is not None else f"bits_of_{node.fields[0].name}"
            self.number_read = self._id(name)
            keys: KsyKeys = {"id": self.number_read, "type": kind, **self._if(self.there)}
            if node.whole is not None:
                is_named = node.whole.enum is not None and name not in self.file.around.enums.plain
                keys |= {"enum": self.file.around.enums.names[node.whole.enum]} if is_named and node.whole.enum else {}
                keys |= documented(node.whole.doc)
                enum = node.whole.enum if is_named else None
                self._learn(name, self.number_read, "u8", enum=enum)
                self._labels(node.whole, self.number_read, enum)
                self.number_read += ".to_i" if is_named else ""
            self.here.fields.append(keys)
            for each in instances_of(node, self.number_read):
                self._bit(each)

    def _bit(self, bit: BitValue) -> None:
        node, there = bit.field, self._if(self.there)
        if node is None:
            self.here.fields.append({**bit.keys, **there})
            return
        if bit.is_code:
            self.lost.append(f"{node.name}: characters that are no bytes")
            codes: KsyKeys = {"id": self._id(f"{node.name}_codes"), **bit.keys, **there, **documented(node.doc)}
            self.here.fields.append(Noted(codes, "Characters that are no bytes; here their codes."))
            return
        enum = node.enum if node.name not in self.file.around.enums.plain else None
        more: KsyKeys = {} if enum is None else {"enum": self.file.around.enums.names[enum]}
        meant = f"The value is {node.meaning.notation}" if node.meaning is not None else ""
        about = documented(node.doc, meant)
        id = self._id(node.name)
        if bit.value:
            if bit.keys:
                self.here.fields.append({"id": f"{node.name}_bits", **bit.keys, **there})
            self._instance(id, {"value": bit.value, **there, **more, **about})
        else:
            valid: KsyKeys = {}
            if isinstance(node.const, int) and node.count is None and enum is None:
                valid = {"valid": node.const if not isinstance(node.const, bool) else str(node.const).lower()}
            self.here.fields.append({"id": id, **bit.keys, **more, **there, **valid, **about})
        given_as = ("bool" if node.boolean else "u8") + ("[]" if node.count is not None else "")
        self._learn(node.name, id, given_as, enum=enum)
        if node.count is None:
            self._labels(node, id, enum)

    def _padding(self, node: model.Padding) -> None:
        size = node.fixed if node.align == 1 else None
        text = self.printer.text(node.size.expression)
        if node.align > 1:
            if self.here is not self.file.around.header.top or node.start is not None or node.size.constant != 0:
                raise NoKsyError("padding up to a multiple from the start of the record")
            text = f"-_io.pos % {node.align}"
        self.here.fields.append({"size": text if size is None else size, **self._if(self.there)})

    def _section(self, node: model.Section) -> None:
        """A section is a type of its own."""
        id = self._id(node.name)
        keys: KsyKeys = {"id": id, **self.size(node.extent), **self._if(self.there)}
        self.measure(node.name, node.extent)
        inner = KsyType(self.file.inner(node.name, self.here), self.here, id)
        known = dict(self.scope.names)
        why = ""
        try:
            keys |= {} if node.through is None else self._process(node.through)
            replace(self, here=inner, number_read="").fill(node.nodes, node.trailing)
            keys["type"] = inner.name
            self.file.declare(inner)
        except NoKsyError as error:
            self.scope.names.clear()
            self.scope.names.update(known)
            self.lost.append(f"{node.name}: {error}")
            keys.pop("process", None)
            why = f"{error}; here its bytes"
        keys |= documented(node.doc)
        self.here.fields.append(Noted(keys, why) if why else keys)

    def fill(self, nodes: Sequence[model.Node], trailing: str | None) -> None:
        """Write nodes, and a field for what is left behind them.

        If Kaitai Struct cannot say one of them, all that is left is bytes.
        """
        self.is_scattered = self.is_scattered or self.owns_elsewhere(nodes)
        for node in model.grouped(nodes):
            number, instances, used, names = (
                len(self.here.fields), dict(self.here.instances), set(self.here.used), dict(self.scope.names),
            )  # fmt: skip
            try:
                self._node(node)
            except NoKsyError as error:
                del self.here.fields[number:]
                self.here.instances, self.here.used = instances, used
                self.scope.names.clear()
                self.scope.names.update(names)
                self.lost.append(str(error))
                keys: KsyKeys = {"id": self._id("unread"), "size-eos": True}
                self.here.fields.append(Noted(keys, f"{error}; here the bytes of all that is left"))
                return
        if trailing is not None and self.is_scattered:
            self.lost.append(f"{trailing}: what is left in several places")
        elif trailing is not None:
            id = self._id(trailing)
            self.here.fields.append({"id": id, "size-eos": True, "doc": "What is left."})
            self._learn(trailing, id, "bytes")

    def owns_elsewhere(self, nodes: Sequence[model.Node], seen: frozenset[str] = frozenset()) -> bool:
        """Whether fields, or those in their types, have bytes that do not follow those in front of them."""
        fields = [each for each in model.walk(nodes) if isinstance(each, model.Field)]
        if any(each.place is not None and not each.shared for each in fields):
            return True
        inner = {each.type.name for each in fields if isinstance(each.type, types.Struct)} - seen
        return any(self.owns_elsewhere(self.file.fields_of(name), seen | inner) for name in inner)
