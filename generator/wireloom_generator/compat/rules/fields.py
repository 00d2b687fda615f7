"""Changes of how the bytes of a field are read."""

from collections.abc import Iterator, Mapping

from wireloom_generator import model
from wireloom_generator.compat import walks, words
from wireloom_generator.compat.alignment import LayoutPair
from wireloom_generator.compat.carving import Carving
from wireloom_generator.compat.changes import BACKWARD, BOTH, FORWARD, NEITHER, Change
from wireloom_generator.compat.comparison import Comparison
from wireloom_generator.compat.surface import BitLeaf, Carrier, Leaf
from wireloom_generator.problems import counted
from wireloom_generator.types import CharacterSet, Deeper, Float, Integer, Struct, Text, Varint, WireType


def field_renamed(comparison: Comparison) -> Iterator[Change]:
    for _, kept in walks.kept(comparison):
        if kept.renamed:
            yield Change(kept.new.path, f"was {kept.old.name}", BOTH)
        match kept.old.carrier, kept.new.carrier:
            case (
                (model.Section(trailing=old) | model.Slot(trailing=old)),
                (model.Section(trailing=new) | model.Slot(trailing=new)),
            ):
                if old and new and old != new:
                    yield Change(kept.new.path, f"trailing was {old}, is {new}", BOTH)
            case model.Field(raw=str() as old), model.Field(raw=str() as new) if old != new:
                yield Change(kept.new.path, f"raw was {old}, is {new}", BOTH)


def field_resized(comparison: Comparison) -> Iterator[Change]:
    for pair in comparison.layouts:
        carving = Carving(pair)
        for kept in pair.kept:
            if carving.shrunk(kept.old, kept.new):
                continue
            match kept.old.carrier, kept.new.carrier:
                case model.Field() as old, model.Field() as new:
                    yield from _resized(pair, kept.new.path, old, new)
                case BitLeaf() as old, BitLeaf() as new:
                    yield from _resized_bits(kept.new.path, old, new)


def _resized(pair: LayoutPair, path: str, old: model.Field, new: model.Field) -> Iterator[Change]:
    one, other = old.type, new.type
    match one, other:
        case Varint(bits=before), Varint(bits=after):
            if before != after and one.kin == other.kin:
                what, whom = ("now malformed", BACKWARD) if after < before else ("new", FORWARD)
                yield Change(path, f"{walks.was(one, other)}: larger numbers are {what}", whom)
        case (Integer(bits=before), Integer(bits=after)) | (Float(bits=before), Float(bits=after)):
            if before != after:
                yield Change(path, walks.was(one, other), BOTH)
    if type(one) is type(other) and not pair.same_extent(old.wire.extent, new.wire.extent):
        yield Change(path, walks.was(words.extent(old.wire.extent), words.extent(new.wire.extent)), BOTH)


def _resized_bits(path: str, old: BitLeaf, new: BitLeaf) -> Iterator[Change]:
    if old.integer.type != new.integer.type:
        yield Change(path, f"was in a {old.integer.type}, is in a {new.integer.type}", BOTH)
    elif old.field.width != new.field.width:
        yield Change(path, walks.was(counted(old.field.width, "bit"), counted(new.field.width, "bit")), BOTH)


def field_retyped(comparison: Comparison) -> Iterator[Change]:
    renamed = _renamed_types(comparison)
    for pair in comparison.layouts:
        carving = Carving(pair)
        for kept in pair.kept:
            if not carving.shrunk(kept.old, kept.new) and _retyped(kept.old.carrier, kept.new.carrier, renamed):
                yield Change(kept.new.path, walks.was(_type(kept.old.carrier), _type(kept.new.carrier)), BOTH)


def _retyped(old: Carrier, new: Carrier, renamed: Mapping[str, str]) -> bool:
    match old, new:
        case model.Field() as before, model.Field() as after:
            return _types_differ(before.wire.type, after.wire.type, renamed)
        case BitLeaf(field=one), BitLeaf(field=other):
            return one.boolean != other.boolean or (one.text is None) != (other.text is None)
        case (model.Field(wire=wire), BitLeaf(whole=True, integer=integer)) | (
            BitLeaf(whole=True, integer=integer),
            model.Field(wire=wire),
        ):
            return wire.type != integer.type
        case (model.Padding(), _) | (_, model.Padding()):
            return False
    return type(old) is not type(new)


def _types_differ(old: WireType, new: WireType, renamed: Mapping[str, str]) -> bool:
    if isinstance(old, Struct) and isinstance(new, Struct):
        return renamed.get(old.name, old.name) != new.name
    return old.kin != new.kin


def _renamed_types(comparison: Comparison) -> Mapping[str, str]:
    """Old names of shared structs that are the same under a new one."""
    return {
        old.name: new.name
        for old in comparison.old.structs
        for new in comparison.new.structs
        if old.nodes == new.nodes and old.name not in {struct.name for struct in comparison.new.structs}
    }


def _type(carrier: Carrier) -> str:
    match carrier:
        case model.Field(wire=kind):
            return str(kind.type)
        case BitLeaf(field=field):
            if field.text is not None:
                return field.text.word
            return "bool" if field.boolean else counted(field.width, "bit")
        case model.Computed():
            return "computed"
        case model.Padding():
            return "padding"
        case model.Section() | model.Slot():
            return "a section"


def signedness_changed(comparison: Comparison) -> Iterator[Change]:
    for _, kept, old, new in walks.fields(comparison):
        one, other = old.wire.type, new.wire.type
        if isinstance(one, Integer) and isinstance(other, Integer) and one.signed is not other.signed:
            sign = "signed" if other.signed else "unsigned"
            yield Change(kept.new.path, f"{walks.was(str(one), str(other))}: now {sign}", BOTH)
    for _, kept, before, after in walks.values(comparison):
        if isinstance(before, model.BitField) and isinstance(after, model.BitField) and before.sign != after.sign:
            yield Change(kept.new.path, walks.was(words.sign(before.sign), words.sign(after.sign)), BOTH)


def encoding_changed(comparison: Comparison) -> Iterator[Change]:
    for _, kept, old, new in walks.values(comparison):
        match old.type, new.type:
            case Text(encoding=CharacterSet() as one), Text(encoding=CharacterSet() as other) if one != other:
                is_order = one.lsb != other.lsb
                what = "packed in the other order" if is_order else walks.was(_set(one), _set(other))
                yield Change(kept.new.path, what, BOTH)
            case Text(encoding=one), Text(encoding=other) if one != other:
                yield Change(kept.new.path, walks.was(_encoding(one), _encoding(other)), BOTH)
        if isinstance(old, model.BitField) and isinstance(new, model.BitField) and old.pad != new.pad:
            yield Change(kept.new.path, f"padding {walks.was(_pad(old), _pad(new))}", BOTH)


def _encoding(encoding: str | CharacterSet) -> str:
    return encoding if isinstance(encoding, str) else _set(encoding)


def _set(known: CharacterSet) -> str:
    side = ", justified to the right" if known.right else ""
    return f"{known.width}-bit characters {known.characters!r}{side}"


def _pad(field: model.BitField) -> str:
    return "none" if field.pad is None else field.pad.hex()


def limit_changed(comparison: Comparison) -> Iterator[Change]:
    for _, kept, old, new in walks.fields(comparison):
        match old.wire.type, new.wire.type:
            case Deeper(deepest=one), Deeper(deepest=other) if one != other:
                yield Change(kept.new.path, walks.was(str(one), str(other)), BACKWARD if other < one else FORWARD)


def repetition_changed(comparison: Comparison) -> Iterator[Change]:
    for pair, kept, old, new in walks.fields(comparison):
        if not _same_repeat(pair, old.repeat, new.repeat):
            yield Change(kept.new.path, walks.was(words.repeat(old.repeat), words.repeat(new.repeat)), BOTH)

    for _, kept, before, after in walks.values(comparison):
        if isinstance(before, model.BitField) and isinstance(after, model.BitField) and before.count != after.count:
            yield Change(kept.new.path, walks.was(words.items(before.count), words.items(after.count)), BOTH)


def _same_repeat(pair: LayoutPair, old: model.Repeat | None, new: model.Repeat | None) -> bool:
    if old is None or new is None:
        return old is new
    return pair.same(old.count, new.count) and pair.same(old.until, new.until)


def inputs_changed(comparison: Comparison) -> Iterator[Change]:
    for pair, kept, old, new in walks.fields(comparison):
        names = dict.fromkeys((*old.inputs, *new.inputs))
        if not all(pair.same(old.inputs.get(name), new.inputs.get(name)) for name in names):
            yield Change(kept.new.path, walks.was(_given(old.inputs), _given(new.inputs)), BOTH)


def _given(inputs: Mapping[str, model.Condition]) -> str:
    return f"given {', '.join(f'{name}: {value.text}' for name, value in inputs.items()) or 'nothing'}"


def through_changed(comparison: Comparison) -> Iterator[Change]:
    for pair, kept in walks.kept(comparison):
        old, new = _through(kept.old), _through(kept.new)
        if old is None or new is None:
            if old is not new:
                yield Change(kept.new.path, f"through {walks.was(_text(old), _text(new))}", BOTH)
            continue
        if (old.way, old.table) != (new.way, new.table) or not pair.same(old.asked, new.asked):
            yield Change(kept.new.path, f"through {walks.was(old.text, new.text)}", BOTH)
        if old.limit != new.limit:
            sides = BACKWARD if _limit(new) < _limit(old) else FORWARD
            yield Change(kept.new.path, f"limit {walks.was(old.limit, new.limit)}", sides)
        if isinstance(kept.new.carrier, model.Section):
            yield from _raw(kept.new.path, old.raw, new.raw)


def _through(leaf: Leaf) -> model.Through | None:
    return leaf.carrier.through if isinstance(leaf.carrier, model.Field | model.Section) else None


def _text(through: model.Through | None) -> str | None:
    return None if through is None else through.text


def _limit(through: model.Through) -> float:
    return float("inf") if through.limit is None else through.limit


def raw_changed(comparison: Comparison) -> Iterator[Change]:
    for _, kept, old, new in walks.fields(comparison):
        if old.type.kin == new.type.kin:
            yield from _raw(kept.new.path, old.raw, new.raw)


def _raw(path: str, old: str | None, new: str | None) -> Iterator[Change]:
    """A column of raw bytes in only one version; another name of it is field-renamed."""
    if (old is None) is not (new is None):
        yield Change(path, f"raw {walks.was(old, new)}", BACKWARD if new is None else FORWARD)


def flatbuffer_changed(comparison: Comparison) -> Iterator[Change]:
    for old, new in comparison.tables.kept:
        after = {field.name: field for field in new.fields}
        for field in old.fields:
            path = f"{comparison.new.name}.{new.name}.{field.name}"
            if field.name in after:
                yield from _table_field(path, field, after[field.name])
            elif not any(field.id == other.id for other in new.fields):
                yield Change(path, "removed", BACKWARD)
        yield from _added_to_table(comparison.new.name, old, new)


def _table_field(path: str, old: model.TableField, new: model.TableField) -> Iterator[Change]:
    for what, before, after in (
        ("id", old.id, new.id),
        ("type", old.type, new.type),
        ("default", old.default, new.default),
    ):
        if before != after:
            yield Change(path, f"{what} {walks.was(before, after)}", BOTH)


def _added_to_table(protocol: str, old: model.Table, new: model.Table) -> Iterator[Change]:
    names, ids = {field.name for field in old.fields}, {field.id: field.name for field in old.fields}
    for field in new.fields:
        if field.name not in names:
            path = f"{protocol}.{new.name}.{field.name}"
            taken = ids.get(field.id)
            yield Change(path, f"has the id of {taken}, {field.id}" if taken else "added", BOTH if taken else NEITHER)
