"""Paths of expressions: ``_parent.header.size``, as the type around says it, and what it may be called."""

from wireloom_generator.importers.ksy import expressions as ks
from wireloom_generator.importers.ksy.phrases import CannotSayError
from wireloom_generator.importers.ksy.structs import Struct


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
