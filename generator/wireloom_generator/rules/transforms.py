"""Rules about transforms of bytes: compression, masks, rotations and escapes; and about flags around records."""

from collections.abc import Iterator, Set
from typing import assert_never

from wireloom_generator import model
from wireloom_generator.analysis.scopes import nodes
from wireloom_generator.analysis.sites import sites
from wireloom_generator.expressions import Name, Value, orders
from wireloom_generator.expressions.kinds import Kind, kind
from wireloom_generator.model import Resolved
from wireloom_generator.problems import Location, Violation, closest
from wireloom_generator.reading.vocabulary import ESCAPES, FORMATS, PLAIN
from wireloom_generator.types import Struct

_OTHER_NAMES = {
    "aes": "decryption is not supported; keep the bytes, as type: bytes",
    "brotli": "brotli is not supported; keep the bytes, as type: bytes", "bz2": "write bzip2", "lzma": "write xz",
    "gz": "write gzip", "deflated": "write deflate", "zip": "write deflate", "lz4_frame": "write lz4",
    **{name: f"write through: {{unescape: {name}}}" for name in ESCAPES},
    "escape": "write through: {unescape: slip}, for instance",
    "zstandard": "write zstd", "xerial": "write snappy_xerial", "identity": "write none", "null": "write none",
}  # fmt: skip


def through(spec: Resolved) -> Iterator[Violation]:
    """Reports transforms that are unknown, or do not fit their field."""
    for node in nodes(spec):
        match node:
            case model.Field(through=model.Through() as through):
                yield from _way(through)
                yield from _packed_value(node, through)
                if isinstance(node.type, Struct) and node.type.name in spec.structs:
                    yield from _inside(spec, (spec.structs[node.type.name],), through.at)
            case model.Section(through=model.Through() as through):
                yield from _way(through)
                yield from _inside(spec, (node,), through.at)
            case model.Field() | model.Section() | model.Slot():
                yield from _not_packed(node)
            case (
                model.Computed() | model.Bits() | model.BitField() | model.Padding() | model.Choice() | model.Ordered()
            ):
                pass
            case _:
                assert_never(node)
    yield from _xor_keys(spec)


def _not_packed(node: model.Field | model.Section | model.Slot) -> Iterator[Violation]:
    """Sections that cannot be packed, and keys that apply only to packed data."""
    if isinstance(node, model.Slot) and node.gives("through"):
        what = f"section {node.name!r} is filled by messages, so it cannot be packed"
        hint = "put a section with size: rest and through: into it, in each message"
        yield Violation(node.where("through"), what, hint)
    for key in ("limit", "raw") if isinstance(node, model.Region) else ("limit",):
        if node.gives(key) and not node.gives("through"):
            yield Violation(node.where(key), f"{key} needs through", "add through:, or delete it")


def _way(through: model.Through) -> Iterator[Violation]:
    if through.way:
        if len(through.given) != 1:
            hint = "write, for instance, through: {xor: 0x5a}"
            yield Violation(through.at, "through has one of xor, rol, zeros and unescape", hint)
        elif through.table is not None:
            yield from _escapes(through.table)
        elif through.way == "unescape":
            yield from _named_escapes(through.asked)
    else:
        yield from _named(through)
    has_limit, packs = through.limit is not None, not through.way
    if has_limit and not packs:
        does = "never adds bytes" if through.way == "unescape" else "does not change the size"
        yield Violation(through.at, f"{through.way} {does}, so it has no limit", "delete limit")
    if has_limit and (through.limit or 0) < 1:
        yield Violation(through.at, "a limit is at least one byte", "")
    if through.raw is not None and not through.resizes:
        what = f"{through.way} loses nothing, so raw would always be null"
        hint = "delete it; a field that needs raw itself can be in a section with this through"
        yield Violation(through.at, what, hint)


def _named(through: model.Through) -> Iterator[Violation]:
    tree, packed, unknown, known = through.asked.tree, False, False, (*FORMATS, PLAIN)
    for outcome in orders.outcomes(tree) if tree is not None else ():
        if not isinstance(outcome, Name):
            what, hint = "through must give the name of a compression", "as in gzip if codec == 1 else none"
            yield Violation(through.at, what, hint)
            return
        packed = packed or outcome.name != PLAIN
        if outcome.name not in known:
            unknown = True
            hint = _OTHER_NAMES.get(outcome.name) or closest(outcome.name, known) or f"known: {', '.join(known)}"
            at = through.asked.where(outcome.column)
            yield Violation(at, f"unknown compression {outcome.name!r}", hint)
    if unknown:
        return
    if not packed:
        yield Violation(through.at, "nothing is packed", "delete through")
    elif through.raw is None:
        what = "compressors differ, so the bytes would not be written as they were read"
        yield Violation(through.at, what, "add raw:, the name of a column that keeps the packed bytes")


_OTHER_ESCAPES = {
    "ppp": "write hdlc", "ahdlc": "write hdlc", "gdl90": "write hdlc", "byte_stuffing": "write hdlc, or a table",
    "dle_doubling": "write dle", "id3": "write unsynchronisation", "id3v2": "write unsynchronisation",
    "unsynchronization": "write unsynchronisation", "unsync": "write unsynchronisation",
    "jpeg": 'write {escape: "ff", codes: {"00": "ff"}}',
}  # fmt: skip


def _named_escapes(asked: model.Condition) -> Iterator[Violation]:
    tree, known, some = asked.tree, (*ESCAPES, PLAIN), False
    for outcome in orders.outcomes(tree) if tree is not None else ():
        if not isinstance(outcome, Name):
            what, hint = "unescape must give the name of escapes", "as in slip if version == 1 else none"
            yield Violation(asked.at, what, hint)
            return
        some = some or outcome.name != PLAIN
        if outcome.name not in known:
            yield _unknown_escapes(outcome.name, asked.where(outcome.column))
    if tree is not None and not some:
        yield Violation(asked.at, "nothing is escaped", "delete it")


def _unknown_escapes(name: str, at: Location) -> Violation:
    hint = _OTHER_ESCAPES.get(name) or closest(name, tuple(ESCAPES)) or f"known: {', '.join(ESCAPES)}"
    return Violation(at, f"unknown escapes {name!r}", hint)


def _escapes(table: model.Escapes) -> Iterator[Violation]:
    """Escapes that cannot be written, or cannot be told apart from others."""
    if len(table.escape) != 1:
        yield Violation(table.where("escape"), "an escape begins with one byte", 'as in escape: "db"')
        return
    for code, byte in table.codes:
        at = table.where(f"codes.{code}")
        if len(model.hexadecimal(code) or b"") != 1:
            yield Violation(at, f"{code!r} is no code", 'a code is one byte, as in codes: {dc: "c0"}')
        elif len(byte) != 1:
            yield Violation(at, "a code stands for one byte", 'as in codes: {dc: "c0"}')
    if table.escape not in {byte for _, byte in table.codes}:
        what = f"no code stands for {table.escape.hex()} itself, so it could not be written"
        yield Violation(table.where("codes"), what, f'as in codes: {{dd: "{table.escape.hex()}"}}')


def between(spec: Resolved) -> Iterator[Violation]:
    """Reports flags that are no byte, or that can occur between flags."""
    end = spec.record.end
    if not isinstance(end, model.BetweenFlags):
        return
    if len(end.flag) != 1:
        yield Violation(end.where("flag"), "a flag is one byte", 'as in flag: "7e"')
        return
    flag, at, hint = end.flag.hex(), end.where("unescape"), "choose escapes in which the flag is escaped"
    match end.escaping:
        case str() as name if name not in ESCAPES:
            yield _unknown_escapes(name, at)
        case str() as name if ESCAPES[name] != flag:
            yield Violation(at, f"{name} does not escape {flag}, so the flag could be in a record", hint)
        case model.Escapes() as table:
            yield from _escapes(table)
            pairs = table.pairs
            if table.escape == end.flag or end.flag[0] in pairs:
                yield Violation(at, f"an escape would contain {flag}, which is the flag", "choose another code for it")
            elif end.flag[0] not in pairs.values():
                yield Violation(at, f"no code stands for {flag}, so the flag could be in a record", hint)


_UNPACKED = ("const", "repeat", "as")
"""Keys that a packed value cannot have."""


def _packed_value(field: model.Field, through: model.Through) -> Iterator[Violation]:
    if field.wire.extent is None and isinstance(field.type, Struct):
        yield Violation(through.at, f"{field.name!r} has no end", "write size: rest for what is left")
    for key in _UNPACKED:
        if field.gives(key):
            what, hint = f"{field.name!r} is packed, so it cannot have {key}", "put it into a section that is packed"
            yield Violation(field.where(key), what, hint)


def _inside(
    spec: Resolved, around: tuple[model.Struct | model.Section, ...], at: Location, seen: Set[str] = frozenset()
) -> Iterator[Violation]:
    """Fields with ``at`` in unpacked data."""
    for node in model.walk(around[0].nodes):
        if not isinstance(node, model.Field):
            continue
        if node.place is not None:
            what = f"{node.name!r} has an offset in the record, and unpacked data has none"
            yield Violation(at, what, "move it outside of the packed data")
            return
        struct = spec.structs.get(node.type.name) if isinstance(node.type, Struct) else None
        if struct is not None and struct.name not in seen and struct.name not in spec.recursive:
            yield from _inside(spec, (struct,), at, {*seen, struct.name})


def _xor_keys(spec: Resolved) -> Iterator[Violation]:
    """Keys that are neither a byte nor bytes."""
    for site in sites(spec):
        if site.key != "xor" or site.tree is None:
            continue
        found = kind(site.tree, site.kind)
        if found is not None and found not in (Kind.NUMBER, Kind.BYTES):
            what = f"a key is a number or bytes, not {found}"
            yield Violation(site.at, what, "write 0x5a or hex('5aa5'), for instance")
        match site.tree:
            case Value(value=int() as value) if not 0 <= value <= 0xFF:
                hint = "write a longer key as bytes, as in hex('5aa5')"
                yield Violation(site.at, f"a key of one byte is 0 to 255, not {value}", hint)
