"""The names of a record's items, and which item says how many there are of another."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from wireloom_generator import naming
from wireloom_generator.importers.copybook.data_items import DataItem
from wireloom_generator.importers.copybook.layout import Node, UnsayableError
from wireloom_generator.importers.copybook.pictures import Kind


@dataclass(slots=True, eq=False)
class Struct:
    """A list of fields: that of the record, or of a group with a type of its own."""

    node: Node
    type_name: str
    chain: "tuple[Struct, ...]"
    """It and those around it, from the record on."""
    names: set[str] = field(default_factory=set)
    given: dict[str, str] = field(default_factory=dict)
    """What its type is given, and what its field passes."""
    reasons: list[str] = field(default_factory=list)


class Placement:
    """The items of a ``record``, whose type is called like it, or like its ``message``. Raises ``UnsayableError``."""

    def __init__(self, record: Node, message: str) -> None:
        self.record = record
        self.taken: set[str] = set()
        self.field_names: dict[Node, str] = {}
        self.structs: dict[Node, Struct] = {}
        """The structs that the items are in."""
        self.own: dict[Node, Struct] = {}
        """The structs that groups are."""
        self.counts: dict[Node, str] = {}
        """What the items that say how many there are say by their values."""
        self.at_most: dict[Node, int] = {}
        self.number: dict[Node, str] = {}
        """How many items there are, as an expression where they are."""
        self.counters: dict[Node, Node] = {}
        self.top = Struct(record, self.type_name(record.item.name or message), ())
        self.top.chain = (self.top,)
        self._place(record.nodes or [record], self.top)
        for node in list(self.structs):
            if node.item.occurs and node.item.occurs.depending:
                self._count(node)

    def type_name(self, name: str) -> str:
        words = "".join(part.capitalize() for part in re.sub(r"[^A-Za-z0-9]+", " ", name).split())
        name = words if words[:1].isalpha() else f"Item{words}"
        return unique(name, self.taken, "")

    def _place(self, nodes: Sequence[Node], struct: Struct) -> None:
        """Give items their names, in the order of the copybook."""
        for first in nodes:
            for node in (first, *first.views):
                self.structs[node] = struct
                if is_inlined(first, node):
                    self._place(node.nodes, struct)
                    continue
                self.field_names[node] = unique(_field_name(node.item), struct.names)
                if node.nodes:
                    own = Struct(node, self.type_name(node.item.name or self.field_names[node]), ())
                    own.chain = (*struct.chain, own)
                    self.own[node] = own
                    self._place(node.nodes, own)

    def _count(self, node: Node) -> None:
        """Find the item that says how many of these there are, and pass it to where they are."""
        occurs = node.item.occurs
        assert occurs is not None
        name = " OF ".join(occurs.depending)
        counter = self._counter(node, occurs.depending)
        if counter is None:
            raise UnsayableError(
                node.item.at, f"{node.item.shown} depends on {name}, which is not in the record before it"
            )
        if counter.item.picture is None or counter.item.picture.kind is not Kind.NUMBER:
            raise UnsayableError(node.item.at, f"{node.item.shown} depends on {name}, whose picture is not a number")
        its, chain = self.structs[counter].chain, self.structs[node].chain
        shared = sum(one is other for one, other in zip(its, chain, strict=False))
        if any(is_list(struct.node) for struct in its[shared:]) or counter.item.occurs:
            raise UnsayableError(node.item.at, f"{node.item.shown} depends on {name}, of which there are several")
        path = self._path(its[shared:], counter)
        given = path.rpartition(".")[2]
        while any(given in struct.names for struct in chain[shared:]):
            given += "_given"
        for struct in chain[shared:]:
            struct.given[given] = path
            path = given
        self.number[node] = path
        self.counters[node] = counter
        self.at_most[counter] = min(occurs.most, self.at_most.get(counter, occurs.most))
        if its[shared:] == () and not any(is_list(struct.node) for struct in chain[shared:]):
            self.counts.setdefault(counter, f"count({self._path(chain[shared:], node)})")

    def _path(self, structs: Sequence[Struct], node: Node) -> str:
        """The name of an item inside of structs, in an expression."""
        return ".".join(naming.free(self.field_names[each]) for each in (*(one.node for one in structs), node))

    def length(self) -> str | None:
        """The size of the record, if it is a sum that its counts give."""
        fixed, counted = 0, []
        left = [*self.record.nodes]
        while left:
            node = left.pop(0)
            fixed += node.slack
            if node.area is not None:
                fixed += node.area
            elif node in self.counters:
                counter = self.counters[node]
                path = self._path(self.structs[counter].chain[1:], counter)
                if node.size is None:
                    return None
                counted.append(f"{path} * {node.size}" if node.size > 1 else path)
            elif is_list(node):
                return None
            else:
                left[:0] = node.nodes
        return " + ".join([str(fixed), *counted])

    def _counter(self, node: Node, names: Sequence[str]) -> Node | None:
        found = None
        for each in self.structs:
            if each is node:
                break
            if each.item.name == names[0] and not each.nodes:
                groups = [struct.node.item.name for struct in self.structs[each].chain]
                found = each if set(names[1:]) <= set(groups) else found
        return found


def is_list(node: Node) -> bool:
    return node.item.occurs is not None


def is_inlined(first: Node, node: Node) -> bool:
    """Whether the items of a group are written as those of the group around it: it has no name to refer to."""
    return bool(node.nodes) and not node.item.name and not node.item.occurs and not first.views


def _field_name(item: DataItem) -> str:
    name = naming.snake_case(item.name.lower()) if item.name else "filler"
    name = name if name[:1].isalpha() else f"item_{name}".strip("_")
    is_taken = naming.asked_fault(name) or name in naming.ROW or name == "variant"
    return f"{name}_value" if is_taken else name


def unique(name: str, taken: set[str], between: str = "_") -> str:
    """The name, with a number if it is taken; FILLER has one always."""
    if name in ("filler", "slack"):
        taken.add(name)
        name = first if (first := f"{name}{between}1") not in taken else name
    return naming.unused(name, taken, between)
