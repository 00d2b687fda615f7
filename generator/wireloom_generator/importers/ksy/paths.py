"""Paths of expressions: ``_parent.header.size``, as the type around says it, and what it may be called."""

import re
from collections.abc import Iterator

from wireloom_generator.importers.ksy import expressions as ks
from wireloom_generator.importers.ksy.attributes import is_sized, split_type, type_texts
from wireloom_generator.importers.ksy.phrases import CannotSayError
from wireloom_generator.importers.ksy.structs import Struct
from wireloom_generator.importers.ksy.structure import Attribute


def is_left(node: ks.Node) -> bool:
    """Whether it is ``_io.size - _io.pos``, the bytes left."""
    io = ks.Name("_io")
    return node == ks.Binary("-", ks.FieldOf(io, "size"), ks.FieldOf(io, "pos"))


def base(node: ks.Node) -> ks.Name | None:
    """The name that a path begins with."""
    while isinstance(node, ks.FieldOf | ks.Cast | ks.Offset):
        node = node.of
    return node if isinstance(node, ks.Name) else None


def stripped(node: ks.Node) -> ks.Node:
    """A path without its first name, as it is said there."""
    match node:
        case ks.FieldOf(ks.Name() | ks.Cast(ks.Name()), name):
            return ks.Name(name)
        case ks.FieldOf(of, name):
            return ks.FieldOf(stripped(of), name)
        case ks.Cast(ks.Name(name), _):
            raise CannotSayError(f"{name} by itself has no counterpart")
        case ks.Cast(of, type):
            return ks.Cast(stripped(of), type)
        case ks.Offset(ks.Name() | ks.Cast(ks.Name())):
            return ks.StreamStart()
        case ks.Offset(of):
            return ks.Offset(stripped(of))
        case _:
            raise CannotSayError(f"{slug(node)} by itself has no counterpart")


def outwards(node: ks.Node, parent: Struct) -> ks.Node:
    """What a type sees outside, as its parent says it."""
    first = base(node)
    if first is None or (first.name == "_root" and parent.type.outer is not None):
        return node
    return stripped(node)


def slug(node: ks.Node) -> str:
    """A name for what a path leads to."""
    match node:
        case ks.Name(name):
            return "" if name in ("_parent", "_root") else name
        case ks.FieldOf(of, name):
            return "_".join(filter(None, (slug(of), name.lstrip("_"))))
        case ks.Cast(of, _):
            return slug(of)
        case ks.Offset(of):
            return "_".join(filter(None, (slug(of), "offset")))
        case ks.StreamStart():
            return "start"
        case ks.StreamSize():
            return "stream_size"
        case _:
            return "outer"


def from_inside(node: ks.Node, struct: Struct, main: Struct, *, is_place: bool = False) -> ks.Node | None:
    """A path from the record to a field of what the struct is in, as the struct says it: ``_root.header.size`` inside
    the header, which is not read yet as a whole. None if the path leads elsewhere; the path itself if the struct is
    inside in several ways. A place may be that of a later field.
    """
    match node:
        case ks.FieldOf(ks.FieldOf(ks.Name("_root"), first), name):
            places = list(_places(struct, main, first, ()))
            if any(place is None or not (is_place or _is_before(name, place[1])) for place in places):
                return None
            depths = {place[0] for place in places if place is not None}
            return node if len(depths) != 1 or -1 in depths else _outside(name, depths.pop())
        case ks.FieldOf(of, name):
            inner = from_inside(of, struct, main)
            return inner and (node if inner is of else ks.FieldOf(inner, name))
        case ks.Cast(of, type):
            inner = from_inside(of, struct, main)
            return inner and (node if inner is of else ks.Cast(inner, type))
        case ks.Offset(of):
            inner = from_inside(of, struct, main, is_place=True)
            return inner and (node if inner is of else ks.Offset(inner))
    return None


def _outside(name: str, depth: int) -> ks.Node:
    """The path to a field of a type that is so far outside."""
    if depth == 0:
        return ks.Name(name)
    around: ks.Node = ks.Name("_parent")
    for _ in range(depth - 1):
        around = ks.FieldOf(around, "_parent")
    return ks.FieldOf(around, name)


def under_parent(node: ks.Node) -> ks.Node:
    """A path from ``_parent``, as a type inside the one that says it says it."""
    match node:
        case ks.FieldOf(ks.Name("_parent"), name):
            return ks.FieldOf(ks.FieldOf(ks.Name("_parent"), "_parent"), name)
        case ks.FieldOf(of, name):
            return ks.FieldOf(under_parent(of), name)
        case ks.Cast(of, type):
            return ks.Cast(under_parent(of), type)
        case ks.Offset(of):
            return ks.Offset(under_parent(of))
    return node


_Way = tuple[Struct, Attribute]


def _places(
    struct: Struct, main: Struct, first: str, inside: tuple[Struct, ...]
) -> Iterator[tuple[int, _Way | None] | None]:
    """How far outside the field of the record is that a struct is in, and the field of its type by which one comes to
    the struct, for each use; -1 if the struct is in itself, and None if it is in another field of the record.
    """
    if struct in inside:
        yield -1, None
        return
    if struct is main:
        yield None
        return
    for user, attribute in struct.users:
        if user is main:
            is_field = attribute.id == first and "repeat" not in attribute.keys and not struct.type.is_item
            yield (0, None) if is_field else None
            continue
        for place in _places(user, main, first, (*inside, struct)):
            if place is None or place[0] < 0:
                yield place
            else:
                yield place[0] + (not struct.type.is_item), place[1] or (user, attribute)


def is_later(node: ks.Node, attribute: Attribute, user: Struct) -> bool:
    """Whether a path from ``_parent`` leads to something that is not read yet when an attribute of the parent is. Where
    it will be may be known.
    """
    if isinstance(node, ks.Offset) and isinstance(node.of, ks.FieldOf) and isinstance(node.of.of, ks.Name):
        return False
    while not (isinstance(node, ks.FieldOf) and isinstance(node.of, ks.Name)):
        if not isinstance(node, ks.FieldOf | ks.Cast | ks.Offset):
            return False
        node = node.of
    order = [each.id for each in user.type.seq]
    is_known = node.of.name == "_parent" and {node.name, attribute.id} <= {*order}
    return is_known and order.index(node.name) >= order.index(attribute.id)


def is_place_later(node: ks.Node, attribute: Attribute, user: Struct) -> bool:
    """Whether it is the place of an instance of the parent that depends on the attribute itself."""
    match node:
        case ks.Offset(ks.FieldOf(ks.Name("_parent"), name)):
            instance = user.type.own(name)
            pos = instance.text("pos") if instance is not None else None
            return attribute.id in re.findall(r"(?<![.\w])[a-z]\w*", pos or "")
    return False


def _is_before(name: str, entry: _Way | None) -> bool:
    """Whether a field is read before the one by which one comes inside."""
    if entry is None:
        return True
    type, attribute = entry[0].type, entry[1]
    order = [each.id for each in type.seq]
    return name in order and (attribute.id not in order or order.index(name) < order.index(attribute.id))


def is_next(node: ks.ItemOf, struct: Struct) -> bool:
    """Whether it is the item after the one that the struct is, in the list of all of them."""
    match node:
        case ks.ItemOf(ks.FieldOf(_, name), ks.Binary("+", ks.Name(index), ks.Number("1"))):
            listed = all(used.id == name and "repeat" in used.keys and not is_sized(used) for _, used in struct.users)
            return listed and (index == "_index" or all(index in _indices(used, struct) for _, used in struct.users))
    return False


def _indices(attribute: Attribute, struct: Struct) -> Iterator[str]:
    """The parameters that get the number of the item."""
    for text in type_texts(attribute):
        for param, argument in zip(struct.type.params, split_type(text)[1], strict=False):
            if argument == ks.Name("_index"):
                yield param.id
