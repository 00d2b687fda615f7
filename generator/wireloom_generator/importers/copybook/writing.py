"""A record of a copybook → a protocol: its record, and a message with types and enums."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from wireloom_generator import naming
from wireloom_generator.importers import Coverage, Outcome
from wireloom_generator.importers.copybook.entries import Condition, DataItem, Usage, Value
from wireloom_generator.importers.copybook.layout import Node, UnsayableError
from wireloom_generator.importers.copybook.pictures import Kind
from wireloom_generator.problems import Location
from wireloom_generator.spec_text import Noted, YamlValue, todo

ENCODING = "cp037"
_BLANK = {ENCODING: "40", "utf-16-be": "0020"}
_MOST_RESERVED = 1024
_MOST_STRUCTS = 31
"""The most structs inside each other; one more is included by the message."""
_BITS = {1: 8, 2: 16, 4: 32, 8: 64}
_TEXT = re.compile(r"[ -&(-\[\]-~]*")
"""Characters that stand for themselves between quotes of an expression."""

Fields = list[YamlValue]
Entries = dict[str, YamlValue]


@dataclass(slots=True, eq=False)
class _Struct:
    """A list of fields: that of the record, or of a group with a type of its own."""

    node: Node
    type_name: str
    chain: "tuple[_Struct, ...]"
    """It and those around it, from the record on."""
    names: set[str] = field(default_factory=set)
    given: dict[str, str] = field(default_factory=dict)
    """What its type is given, and what its field passes."""
    reasons: list[str] = field(default_factory=list)


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
        self.taken: set[str] = set()
        self.field_names: dict[Node, str] = {}
        self.structs: dict[Node, _Struct] = {}
        """The structs that the items are in."""
        self.own: dict[Node, _Struct] = {}
        """The structs that groups are."""
        self.counts: dict[Node, str] = {}
        """What the items that say how many there are say by their values."""
        self.at_most: dict[Node, int] = {}
        self.number: dict[Node, str] = {}
        """How many items there are, as an expression where they are."""
        self.counters: dict[Node, Node] = {}
        self.enums: Fields = []
        self.types: Fields = []
        self.outcomes: list[Outcome] = []
        self.root = node
        self.section = "body"
        self.top = _Struct(node, self._type_name(node.item.name or message), ())
        self.top.chain = (self.top,)

    def written(self) -> Written:
        nodes = self.root.nodes or [self.root]
        self._place(nodes, self.top)
        if "body" in self.field_names.values():
            self.section = "record_body"
        for node in list(self.structs):
            if node.item.occurs and node.item.occurs.depending:
                self._count(node)
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
        length = self._length() if size is None and at not in self.refused else None
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

    def _type(self, struct: _Struct, fields: Fields, accept: str = "") -> YamlValue:
        item = struct.node.item
        found: Entries = {"name": struct.type_name}
        found |= {"doc": item.doc} if item.doc and struct is not self.top else {}
        found |= {"source": self._source(item)}
        found |= {"given": list(struct.given)} if struct.given else {}
        found |= {"accept": [{"rule": "unused", "reason": accept}]} if accept else {}
        return {**found, "fields": fields}

    def _outcome(self, struct: _Struct) -> None:
        reasons = tuple(dict.fromkeys(struct.reasons))
        said = Coverage.BYTES if reasons else Coverage.WHOLE
        self.outcomes.append(Outcome(struct.node.item.shown, struct.node.item.at, said, reasons))

    # names, and who says how many there are

    def _type_name(self, name: str) -> str:
        words = "".join(part.capitalize() for part in re.sub(r"[^A-Za-z0-9]+", " ", name).split())
        name = words if words[:1].isalpha() else f"Item{words}"
        return _unique(name, self.taken, "")

    def _place(self, nodes: Sequence[Node], struct: _Struct) -> None:
        """Give items their names, in the order of the copybook."""
        for first in nodes:
            for node in (first, *first.views):
                self.structs[node] = struct
                if _is_inlined(first, node):
                    self._place(node.nodes, struct)
                    continue
                self.field_names[node] = _unique(_field_name(node.item), struct.names)
                if node.nodes:
                    own = _Struct(node, self._type_name(node.item.name or self.field_names[node]), ())
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
        its, chain = self.structs[counter].chain, self.structs[node].chain
        shared = sum(one is other for one, other in zip(its, chain, strict=False))
        if any(_is_list(struct.node) for struct in its[shared:]) or counter.item.occurs:
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
        if its[shared:] == () and not any(_is_list(struct.node) for struct in chain[shared:]):
            self.counts.setdefault(counter, f"count({self._path(chain[shared:], node)})")

    def _path(self, structs: Sequence[_Struct], node: Node) -> str:
        """The name of an item inside of structs, in an expression."""
        return ".".join(naming.free(self.field_names[each]) for each in (*(one.node for one in structs), node))

    def _length(self) -> str | None:
        """The size of the record, if it is a sum that its counts give."""
        fixed, counted = 0, []
        left = [*self.root.nodes]
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
            elif _is_list(node):
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

    # fields

    def _fields(self, nodes: Sequence[Node], struct: _Struct) -> Iterator[YamlValue]:
        """The fields of a struct. If the size of the record varies, those that read the bytes of others are the last:
        the numbers that give the size must be before everything that looks back.
        """
        late: Fields = []
        for node in nodes:
            if node.slack:
                yield self._unused("slack", node.slack, struct, "Unused bytes before an item with SYNC.")
            if _is_inlined(node, node):
                yield from self._fields(node.nodes, struct)
            elif node.views:
                owner, *views = self._views(node, struct)
                yield owner
                if rest := (node.area or 0) - (node.total or 0):
                    doc = f"Bytes of longer items that redefine {node.item.shown}."
                    yield self._unused(f"{self.field_names[node]}_rest", rest, struct, doc)
                if self.root.size is None:
                    late += views
                else:
                    yield from views
            else:
                yield self._field(node, struct)
        yield from late
        if struct.node.slack_behind and nodes is struct.node.nodes:
            yield self._unused(
                "slack", struct.node.slack_behind, struct, "Unused bytes, so that the next one is aligned."
            )

    def _unused(self, name: str, size: int, struct: _Struct, doc: str) -> YamlValue:
        return {"name": _unique(name, struct.names), **_filler(size), "doc": doc}

    def _views(self, first: Node, struct: _Struct) -> Iterator[YamlValue]:
        """An item, and those that redefine it: the first owns the bytes, others read them."""
        name = self.field_names[first]
        fields = [self._field(first, struct)]
        alternatives: Fields = [{"when": "...", "fields": [_bare(fields[0])]}]
        views = []
        digits = all(_is_zoned(node) and "sign" not in _type_of(node) for node in _leaves(first))
        for view in first.views:
            reason = self.refused.get(view.item.at)
            doubt = next(
                (node for node in _leaves(view) if not (_is_total(node) or (digits and _is_zoned(node)))), None
            )
            at: Entries = {"at": f"offset({naming.free(name)})", "shared": True}
            if reason is not None:
                views.append(f"{view.item.shown} redefines {first.item.shown}: {reason}")
            elif doubt is None:
                fields.append(self._field(view, struct, at))
            else:
                views.append(
                    f"{view.item.shown} redefines {first.item.shown}, and {doubt.item.shown} is malformed in records "
                    "that have something else there"
                )
                whole = self._field(view, struct, accept=f"{self.field_names[view]} is bytes, until a choice has it.")
                alternatives.append({"when": "...", "fields": [_bare(whole)]})
                size: Entries = {"name": self.field_names[view], "type": "bytes", "size": view.total or 0}
                doc: Entries = {"doc": f"{view.item.shown}: {view.item.clauses}."} if view.item.clauses else {}
                fields.append(Noted({**size, **at, **doc}, at=view.item.at))
        if views:
            struct.reasons += views
            hint = " If a field says which one a record has, write instead:" if len(alternatives) > 1 else ""
            instead = [{"choice": alternatives}] if len(alternatives) > 1 else None
            fields[0] = Noted(fields[0], todo(f"{'; '.join(views)}.{hint}"), instead=instead)
        yield from fields

    def _field(
        self, node: Node, struct: _Struct, at: Mapping[str, YamlValue] | None = None, accept: str = ""
    ) -> YamlValue:
        item = node.item
        found: Entries = {"name": self.field_names[node]}
        reason = self.refused.get(item.at)
        if node.nodes and len(struct.chain) >= _MOST_STRUCTS:
            reason = f"a group in {_MOST_STRUCTS} others"
        if reason is not None:
            if node.size is None:
                raise UnsayableError(item.at, reason)
            struct.reasons.append(f"{item.shown}: {reason}")
            found |= {"type": "bytes", "size": node.size}
        elif node.nodes:
            own = self.own[node]
            place = len(self.types)
            fields = list(self._fields(node.nodes, own))
            self.types.insert(place, self._type(own, fields, accept))
            self._outcome(own)
            found |= {"type": own.type_name}
            found |= {"with": dict(own.given)} if own.given else {}
        else:
            found |= self._scalar(node, struct, is_view=at is not None or bool(accept))
        found |= at or {}
        if _is_list(node) and not (_is_unused(node) and not at):
            found["repeat"] = {"count": self.number.get(node) or (item.occurs.most if item.occurs else 1)}
        doc = self._doc(node, found)
        found |= {"doc": doc} if doc else {}
        return Noted(found, todo(reason or ""), item.at)

    def _scalar(self, node: Node, struct: _Struct, *, is_view: bool) -> Entries:
        """The type of an elementary item and what belongs to it."""
        item, found = node.item, _type_of(node)
        if found.get("type") == "bytes" and item.picture and item.picture.kind is Kind.DOUBLE_BYTES:
            struct.reasons.append(f"{item.shown}: characters of two bytes (DBCS)")
        if _is_unused(node) and not is_view:
            return _filler(node.total or 0)
        is_integer = str(found["type"])[:1] in "iu" and "as" not in found and str(found["type"])[1:].isdigit()
        if is_integer and item.conditions:
            values = self._enum(item)
            found |= {"enum": values} if values else {}
        name = self.field_names[node]
        if "enum" in found and f"{name}_name" in struct.names:
            found |= {"labels": False}
        if f"{name}_bytes" in struct.names and ("sign" in found or str(found["type"])[:3] == "ibm"):
            found |= {"raw": _unique(f"{name}_raw", struct.names)}
        if node in self.counts:
            found |= {"derive" if is_integer else "default": self.counts[node]}
        elif item.value and not item.occurs and not is_view:
            found |= _default(item.value, node, found)
        if node in self.at_most:
            found |= {"valid": f"{naming.free(self.field_names[node])} <= {self.at_most[node]}"}
        return found

    def _enum(self, item: DataItem) -> str:
        """The enum of an item's conditions; its name, or nothing if their values are not whole numbers."""
        values: Fields = []
        groups: Entries = {}
        names: set[str] = set()
        named: dict[tuple[int, int], str] = {}
        for condition in item.conditions:
            numbers = [(_whole(low), _whole(high or low)) for low, high in condition.values]
            word = re.sub(r"[^A-Z0-9]+", "_", condition.name).strip("_")
            word = word if word[:1].isalpha() else f"VALUE_{word}"
            for low, high in numbers:
                if low is None or high is None:
                    return ""
                if (low, high) in named:
                    continue
                name = word if len(numbers) == 1 else f"{word}_{low}".replace("-", "MINUS_")
                named[low, high] = _unique(name, names)
                value: Entries = {"name": named[low, high]}
                if len(numbers) == 1 and name != condition.name and named[low, high] == name:
                    value["label"] = condition.name
                values.append({**value, **({"value": low} if low == high else {"from": low, "to": high})})
            its = [named[number] for number in numbers if number in named]
            if its != [word]:
                groups[_unique(word, names)] = its
        name = self._type_name(item.name)
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


def _is_unused(node: Node) -> bool:
    """Whether nobody can refer to an elementary item: all its occurrences are bytes without a meaning."""
    return not node.item.name and not node.nodes and node.item.value is None and node.total is not None


def _filler(size: int) -> Entries:
    """Bytes without a meaning. Large ones cannot be reserved."""
    if size <= _MOST_RESERVED:
        return {"type": "bytes", "size": size, "reserved": True}
    return {"type": "text", "size": size, "pad": _BLANK[ENCODING], "encoding": ENCODING, "default": "''"}


def _is_list(node: Node) -> bool:
    return node.item.occurs is not None


def _is_inlined(first: Node, node: Node) -> bool:
    """Whether the items of a group are written as those of the group around it: it has no name to refer to."""
    return bool(node.nodes) and not node.item.name and not node.item.occurs and not first.views


def _leaves(node: Node) -> Iterator[Node]:
    """The elementary items of an item."""
    return (each for each in (node, *node.inside()) if not each.nodes)


def _is_zoned(node: Node) -> bool:
    return _type_of(node)["type"] == "zoned" and not (node.sign and node.sign.is_separate)


def _is_total(node: Node) -> bool:
    """Whether all bytes are values of an elementary item, so that reading it never makes a record malformed."""
    found = _type_of(node)
    kind = str(found["type"])
    return (
        kind == "bytes"
        or (found.get("encoding") == ENCODING and kind == "text")
        or (kind[1:].isdigit() and "table_type" not in found)
    )


def _type_of(node: Node) -> Entries:
    """The type of an elementary item."""
    picture, usage, size = node.item.picture, node.usage, node.size or 0
    if picture is None:
        return (
            {"type": {Usage.SINGLE: "ibm32", Usage.DOUBLE: "ibm64"}[usage]}
            if usage in (Usage.SINGLE, Usage.DOUBLE)
            else {"type": "bytes", "size": size}
        )
    if picture.kind is Kind.DOUBLE_BYTES or (picture.kind is Kind.TEXT and usage is Usage.BINARY):
        return {"type": "bytes", "size": size}
    if picture.kind is not Kind.NUMBER or usage is Usage.NATIONAL:
        is_national = picture.kind is Kind.NATIONAL or usage is Usage.NATIONAL
        encoding = "utf-16-be" if is_national else ENCODING
        padding: Entries = {} if node.item.is_justified else {"pad": _BLANK[encoding]}
        return {"type": "text", "size": size, **padding, "encoding": encoding}
    scaled: Entries = {"as": {"decimal": {"scale": _scale(picture.scale)}}} if picture.scale else {}
    if usage in (Usage.DISPLAY, Usage.PACKED, Usage.UNSIGNED):
        if 0 <= picture.scale <= picture.size:
            scaled = {"scale": picture.scale} if picture.scale else {}
        found: Entries = {"type": "zoned" if usage is Usage.DISPLAY else "bcd", "digits": picture.size, **scaled}
        if usage is Usage.PACKED:
            found["sign"] = "signed" if picture.is_signed else "unsigned"
        elif usage is Usage.DISPLAY and picture.is_signed:
            sign = node.sign
            found["sign"] = ("leading" if sign and sign.is_leading else "trailing") + (
                "_separate" if sign and sign.is_separate else ""
            )
        return found
    found = {"type": f"{'i' if picture.is_signed else 'u'}{_BITS[size]}", **scaled}
    if usage is Usage.LITTLE and size > 1:
        found["byte_order"] = "little"
    if found["type"] == "u64" and not scaled and usage is not Usage.NATIVE:
        found["table_type"] = "long"
    return found


def _scale(scale: int) -> float | int:
    return 10**-scale if scale < 0 else float(f"1e-{scale}")


def _default(value: Value, node: Node, found: Mapping[str, YamlValue]) -> Entries:
    """What an item has if a row does not say it, or nothing if the language has no way to say that."""
    kind, size = found["type"], node.size or 0
    if kind == "text" and "pad" in found:
        text = {"SPACE": "", "": value.text}.get(value.figurative)
        if text is not None and len(text) <= size and _TEXT.fullmatch(text):
            return {"default": f"'{text.rstrip(' ')}'"}
    elif kind not in ("text", "bytes", "ibm32", "ibm64") and "scale" not in found and "as" not in found:
        number, picture = _whole(value), node.item.picture
        fits = number is not None and picture is not None and abs(number) < 10**picture.size
        return {"default": number} if fits and number is not None else {}
    return {}


def _whole(value: Value) -> int | None:
    if value.figurative == "ZERO":
        return 0
    return int(value.number) if value.number is not None and value.number == int(value.number) else None


def _condition(condition: Condition) -> str:
    values = ", ".join(f"{low.words} to {high.words}" if high else low.words for low, high in condition.values)
    return f"{condition.name}: {values}"


def _field_name(item: DataItem) -> str:
    name = naming.snake_case(item.name.lower()) if item.name else "filler"
    name = name if name[:1].isalpha() else f"item_{name}".strip("_")
    is_taken = naming.asked_fault(name) or name in naming.ROW or name == "variant"
    return f"{name}_value" if is_taken else name


def _unique(name: str, taken: set[str], between: str = "_") -> str:
    """The name, with a number if it is taken; FILLER has one always."""
    if name in ("filler", "slack"):
        taken.add(name)
        name = first if (first := f"{name}{between}1") not in taken else name
    return naming.unused(name, taken, between)


def _bare(value: YamlValue) -> YamlValue:
    """The value without its place, which is elsewhere."""
    return _bare(value.value) if isinstance(value, Noted) else value
