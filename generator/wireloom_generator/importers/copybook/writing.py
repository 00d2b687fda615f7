"""A record of a copybook → a protocol: its record, and a message with types and enums."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wireloom_generator import naming
from wireloom_generator.importers import Coverage, Outcome
from wireloom_generator.importers.copybook.data_items import Condition, DataItem
from wireloom_generator.importers.copybook.item_types import (
    Entries,
    default,
    filler,
    is_scaled_apart,
    is_total,
    is_unused,
    is_zoned,
    type_of,
    whole,
)
from wireloom_generator.importers.copybook.layout import Node, UnsayableError
from wireloom_generator.importers.copybook.pictures import Kind
from wireloom_generator.importers.copybook.placement import Placement, Struct, is_inlined, is_list, unique
from wireloom_generator.problems import Location
from wireloom_generator.spec_text import Noted, YamlValue, todo

_MOST_STRUCTS = 31
"""The most structs inside each other; one more is included by the message."""

Fields = list[YamlValue]


@dataclass(frozen=True, slots=True)
class Written:
    """The entries of the two files of a protocol, and what became of the record and its groups."""

    protocol: Mapping[str, YamlValue]
    message: Mapping[str, YamlValue]
    outcomes: tuple[Outcome, ...]


def record_of(node: Node, message: str, document: str, refused: Mapping[Location, str]) -> Written:
    """How a record is written, with bytes for what is refused. Raises ``UnsayableError``."""
    return _Record(node, message, document, refused).written()


class _Record:
    def __init__(self, node: Node, message: str, document: str, refused: Mapping[Location, str]) -> None:
        self.document, self.refused, self.message = document, refused, message
        self.placed = Placement(node, message)
        self.top = self.placed.top
        self.enums: Fields = []
        self.types: Fields = []
        self.outcomes: list[Outcome] = []
        self.root = node
        self.section = "body"

    def written(self) -> Written:
        nodes = self.root.nodes or [self.root]
        if "body" in self.placed.field_names.values():
            self.section = "record_body"
        size = self.root.size
        reason = self.refused.get(self.root.item.at)
        if reason is not None and size is None:
            raise UnsayableError(self.root.item.at, reason)
        if reason is not None:
            self.top.reasons.append(reason)
            record: Fields = [Noted({"name": "data", "type": "bytes", "size": size or 0}, todo(reason))]
        else:
            record = list(self._fields(nodes, self.top))
        own = self._type(self.top, record)
        self.types.insert(0, own)
        self._outcome(self.top)
        message: Entries = {"message": self.message}
        message |= {"doc": self.root.item.doc} if self.root.item.doc else {}
        message |= {"source": self._source(self.root.item), "match": {}}
        at = self.root.item.at
        at = replace(
            at, column=at.column + 1
        )  # of the length, which may be refused while the rest of the record is not
        length = self.placed.length() if size is None and at not in self.refused else None
        message |= {"length": Noted(length, "Not with an RDW.", at)} if length else {}
        message |= {"enums": self.enums} if self.enums else {}
        message |= {"types": self.types, "sections": self._sections()}
        return Written(self._protocol("fields" if size is None else size, length), message, tuple(self.outcomes[::-1]))

    def _protocol(self, length: YamlValue, of_message: str | None) -> Mapping[str, YamlValue]:
        """The record around the fields, with those of other record formats as comments."""
        body: YamlValue = {"section": self.section, "size": "rest"}
        described: YamlValue = {
            "name": "DescribedRecord",
            "fields": [
                {"name": "rdw_length", "type": "u16", "derive": "size(data) + 4"},
                {"name": "rdw_segment", "type": "u16", "const": 0},
                {"section": "data", "size": "rdw_length - 4", "fields": [{"include": self.top.type_name}]},
            ],
        }
        record: Entries = {} if of_message else {"length": length}
        record |= {"fields": [body]}
        variable: YamlValue = {"length": "rdw_length", "fields": _descriptor("rdw_length", "rdw_segment", body)}
        blocked: YamlValue = {"length": "bdw_length", "fields": _descriptor("bdw_length", "bdw_reserved", body)}
        ends = "Records that end with their last item." if length == "fields" else "Records of a fixed size (RECFM=F)."
        first = f"{ends} For records that each begin with an RDW (RECFM=V), write instead:"
        if of_message:
            first = (
                "The message has the length. If records begin with an RDW (RECFM=V), write this, and no length there:"
            )
        noted = Noted(
            Noted(
                record,
                "For blocks of them (RECFM=VB), write this, and the other sections of the message:",
                instead={"types": [described], "record": blocked},
            ),
            first,
            instead={"record": variable},
        )
        return {
            "protocol": "",
            "source": {"document": self.document},
            "byte_order": "big",
            "record": noted,
        }

    def _sections(self) -> YamlValue:
        blocks: YamlValue = {self.section: [{"name": "records", "type": "DescribedRecord", "repeat": "rest"}]}
        return Noted(
            {self.section: [{"include": self.top.type_name}]}, "For blocks (RECFM=VB):", instead={"sections": blocks}
        )

    def _source(self, item: DataItem) -> YamlValue:
        return {"document": self.document, "section": f"line {item.at.line}"}

    def _type(self, struct: Struct, fields: Fields) -> YamlValue:
        item = struct.node.item
        found: Entries = {"name": struct.type_name}
        found |= {"doc": item.doc} if item.doc and struct is not self.top else {}
        found |= {"source": self._source(item)}
        found |= {"given": list(struct.given)} if struct.given else {}
        return {**found, "fields": fields}

    def _outcome(self, struct: Struct) -> None:
        reasons = tuple(dict.fromkeys(struct.reasons))
        said = Coverage.BYTES if reasons else Coverage.WHOLE
        self.outcomes.append(Outcome(struct.node.item.shown, struct.node.item.at, said, reasons))

    def _fields(self, nodes: Sequence[Node], struct: Struct) -> Iterator[YamlValue]:
        """The fields of a struct. If the size of the record varies, those that read the bytes of others are the last:
        the numbers that give the size must be before everything that looks back.
        """
        late: Fields = []
        for node in nodes:
            if node.slack:
                yield self._unused("slack", node.slack, struct, "Unused bytes before an item with SYNC.")
            if is_inlined(node, node):
                yield from self._fields(node.nodes, struct)
            elif node.views:
                owner, *views = self._views(node, struct)
                yield owner
                if rest := (node.area or 0) - (node.total or 0):
                    doc = f"Bytes of longer items that redefine {node.item.shown}."
                    yield self._unused(f"{self.placed.field_names[node]}_rest", rest, struct, doc)
                if self.root.size is None:
                    late += views
                else:
                    yield from views
            elif is_scaled_apart(node) and node.item.at not in self.refused:
                yield from self._digits_and_value(node, struct)
            else:
                yield self._field(node, struct)
        yield from late
        if struct.node.slack_behind and nodes is struct.node.nodes:
            yield self._unused(
                "slack", struct.node.slack_behind, struct, "Unused bytes, so that the next one is aligned."
            )

    def _unused(self, name: str, size: int, struct: Struct, doc: str) -> YamlValue:
        return {"name": unique(name, struct.names), **filler(size), "doc": doc}

    def _views(self, first: Node, struct: Struct) -> Iterator[YamlValue]:
        """An item, and those that redefine it: the first owns the bytes, unless these may make it malformed, and others
        read them. What does not fit a record is null.
        """
        digits = all(is_zoned(node) and "sign" not in type_of(node) for node in _leaves(first))
        doubts = {
            node: not all(is_total(leaf) or (digits and is_zoned(leaf)) for leaf in _leaves(node))
            for node in (first, *first.views)
        }
        owner = self.placed.field_names[first]
        reads: list[Node] = [*first.views]
        fields: Fields = []
        if doubts[first] and not any(node in self.placed.at_most for node in (first, *first.inside())):
            owner = unique(f"{owner}_bytes", struct.names)
            doc = f"What {', '.join(node.item.shown for node in (first, *first.views))} are read from."
            fields.append({"name": owner, "type": "bytes", "size": first.total or 0, "doc": doc})
            reads.insert(0, first)
        else:
            fields.append(self._field(first, struct))
        refused = []
        for node in reads:
            reason = self.refused.get(node.item.at)
            if reason is not None:
                refused.append(f"{node.item.shown}: {reason}")
                continue
            at: Entries = {"at": f"offset({naming.free(owner)})", "shared": True}
            fields.append(self._field(node, struct, {**at, "optional": True} if doubts[node] else at))
        if refused:
            struct.reasons += refused
            fields[0] = Noted(fields[0], todo(f"{'; '.join(refused)}."))
        if any(doubts.values()):
            said = fields if first not in reads else fields[1:]
            choice: Fields = [{"when": "...", "fields": [_without_place(field)]} for field in said]
            hint = "What does not fit a record is null. If a field says which one a record has, write instead:"
            fields[0] = Noted(fields[0], hint, instead=[{"choice": choice}])
        yield from fields

    def _field(self, node: Node, struct: Struct, at: Mapping[str, YamlValue] | None = None) -> YamlValue:
        item = node.item
        found: Entries = {"name": self.placed.field_names[node]}
        reason = self.refused.get(item.at)
        if node.nodes and len(struct.chain) >= _MOST_STRUCTS:
            reason = f"a group in {_MOST_STRUCTS} others"
        if reason is not None:
            if node.size is None:
                raise UnsayableError(item.at, reason)
            struct.reasons.append(f"{item.shown}: {reason}")
            found |= {"type": "bytes", "size": node.size}
        elif node.nodes:
            own = self.placed.own[node]
            place = len(self.types)
            fields = list(self._fields(node.nodes, own))
            self.types.insert(place, self._type(own, fields))
            self._outcome(own)
            found |= {"type": own.type_name}
            found |= {"with": dict(own.given)} if own.given else {}
        else:
            found |= self._scalar(node, struct, is_view=at is not None)
        found |= at or {}
        if is_list(node) and not (is_unused(node) and not at):
            found["repeat"] = {"count": self.placed.number.get(node) or (item.occurs.most if item.occurs else 1)}
        doc = self._doc(node, found)
        found |= {"doc": doc} if doc else {}
        return Noted(found, todo(reason or ""), item.at)

    def _digits_and_value(self, node: Node, struct: Struct) -> Iterator[YamlValue]:
        """A number whose digits have several signs, and whose point is not among them: the digits, and their value."""
        name, found = self.placed.field_names[node], type_of(node)
        meaning, digits = found.pop("as"), unique(f"{name}_digits", struct.names)
        yield Noted({"name": digits, **found, "doc": f"The digits of {name}."}, at=node.item.at)
        value: Entries = {"name": name, "type": "i64", "compute": naming.free(digits), "as": meaning}
        yield Noted({**value, "doc": self._doc(node, found)}, at=node.item.at)

    def _scalar(self, node: Node, struct: Struct, *, is_view: bool) -> Entries:
        """The type of an elementary item and what belongs to it."""
        item, found = node.item, type_of(node)
        if found.get("type") == "bytes" and item.picture and item.picture.kind is Kind.DOUBLE_BYTES:
            struct.reasons.append(f"{item.shown}: characters of two bytes (DBCS)")
        if is_unused(node) and not is_view:
            return filler(node.total or 0)
        is_integer = str(found["type"])[:1] in "iu" and "as" not in found and str(found["type"])[1:].isdigit()
        if is_integer and item.conditions:
            values = self._enum(item)
            found |= {"enum": values} if values else {}
        name = self.placed.field_names[node]
        if "enum" in found and f"{name}_name" in struct.names:
            found |= {"labels": False}
        if f"{name}_bytes" in struct.names and ("sign" in found or str(found["type"])[:3] == "ibm"):
            found |= {"raw": unique(f"{name}_raw", struct.names)}
        if node in self.placed.counts:
            found |= {"derive" if is_integer else "default": self.placed.counts[node]}
        elif item.value and not item.occurs and not is_view:
            found |= default(item.value, node, found)
        if node in self.placed.at_most:
            found |= {"valid": f"{naming.free(self.placed.field_names[node])} <= {self.placed.at_most[node]}"}
        return found

    def _enum(self, item: DataItem) -> str:
        """The enum of an item's conditions; its name, or nothing if their values are not whole numbers."""
        values: Fields = []
        groups: Entries = {}
        names: set[str] = set()
        named: dict[tuple[int, int], str] = {}
        for condition in item.conditions:
            numbers = [(whole(low), whole(high or low)) for low, high in condition.values]
            word = re.sub(r"[^A-Z0-9]+", "_", condition.name).strip("_")
            word = word if word[:1].isalpha() else f"VALUE_{word}"
            for low, high in numbers:
                if low is None or high is None:
                    return ""
                if (low, high) in named:
                    continue
                name = word if len(numbers) == 1 else f"{word}_{low}".replace("-", "MINUS_")
                named[low, high] = unique(name, names)
                value: Entries = {"name": named[low, high]}
                if len(numbers) == 1 and name != condition.name and named[low, high] == name:
                    value["label"] = condition.name
                values.append({**value, **({"value": low} if low == high else {"from": low, "to": high})})
            its = [named[number] for number in numbers if number in named]
            if its != [word]:
                groups[unique(word, names)] = its
        name = self.placed.type_name(item.name)
        found: Entries = {"name": name, "values": values}
        self.enums.append({**found, **({"groups": groups} if groups else {})})
        return name

    def _doc(self, node: Node, found: Entries) -> str:
        item = node.item
        said = [item.doc] if item.doc and (not node.nodes or "bytes" in found.values()) else []
        said += [item.clauses] if item.clauses and not node.nodes else []
        if item.occurs and item.occurs.depending:
            occurs = item.occurs
            said.append(f"OCCURS {occurs.least} TO {occurs.most} DEPENDING ON {' OF '.join(occurs.depending)}")
        if item.value and "default" not in found:
            said.append(f"VALUE {item.value.words}")
        if "enum" not in found:
            said += map(_condition, item.conditions)
        return " ".join(text if text[-1:] in ".!?" else f"{text}." for text in said)


def _descriptor(length: str, other: str, body: YamlValue) -> YamlValue:
    """The fields of a record with a descriptor word."""
    return [
        {"name": length, "type": "u16", "derive": "size(record)"},
        {"name": other, "type": "u16", "const": 0},
        body,
    ]


def _leaves(node: Node) -> Iterator[Node]:
    """The elementary items of an item."""
    return (each for each in (node, *node.inside()) if not each.nodes)


def _condition(condition: Condition) -> str:
    values = ", ".join(f"{low.words} to {high.words}" if high else low.words for low, high in condition.values)
    return f"{condition.name}: {values}"


def _without_place(field: YamlValue) -> YamlValue:
    """A field where it stands, and not at an offset."""
    if isinstance(field, Noted):
        return _without_place(field.value)
    assert isinstance(field, Mapping)
    return {key: value for key, value in field.items() if key not in ("at", "shared", "optional")}
