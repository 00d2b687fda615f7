"""The type of an elementary item, as its picture and usage say it."""

import re
from collections.abc import Mapping

from wireloom_generator.importers.copybook.data_items import Usage, Value
from wireloom_generator.importers.copybook.layout import Node
from wireloom_generator.importers.copybook.pictures import Kind
from wireloom_generator.spec_text import YamlValue

ENCODING = "cp037"
_BLANK = {ENCODING: "40", "utf-16-be": "0020"}
_MOST_RESERVED = 1024
_MOST_DIGITS = 18
_BITS = {1: 8, 2: 16, 4: 32, 8: 64}
_TEXT = re.compile(r"[ -&(-\[\]-~]*")
"""Characters that stand for themselves between quotes of an expression."""

Entries = dict[str, YamlValue]


def is_scaled_apart(node: Node) -> bool:
    """Whether an elementary item has digits that several signs may be at, and a decimal point outside of them.

    Lists of such, and numbers of more than 18 digits, which no integer holds, are not said so.
    """
    picture = node.item.picture
    if node.nodes or node.item.occurs or picture is None or picture.size > _MOST_DIGITS:
        return False
    return {"as", "sign"} <= type_of(node).keys()


def is_zoned(node: Node) -> bool:
    return type_of(node)["type"] == "zoned" and not (node.sign and node.sign.is_separate)


def is_total(node: Node) -> bool:
    """Whether all bytes are values of an elementary item, so that reading it never makes a record malformed."""
    found = type_of(node)
    kind = str(found["type"])
    return (
        kind == "bytes"
        or (found.get("encoding") == ENCODING and kind == "text")
        or (kind[1:].isdigit() and "table_type" not in found)
    )


def type_of(node: Node) -> Entries:
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


def default(value: Value, node: Node, found: Mapping[str, YamlValue]) -> Entries:
    """What an item has if a row does not say it, or nothing if the language has no way to say that."""
    kind, size = found["type"], node.size or 0
    if kind == "text" and "pad" in found:
        text = {"SPACE": "", "": value.text}.get(value.figurative)
        if text is not None and len(text) <= size and _TEXT.fullmatch(text):
            return {"default": f"'{text.rstrip(' ')}'"}
    elif kind not in ("text", "bytes", "ibm32", "ibm64") and "scale" not in found and "as" not in found:
        number, picture = whole(value), node.item.picture
        fits = number is not None and picture is not None and abs(number) < 10**picture.size
        return {"default": number} if fits and number is not None else {}
    return {}


def whole(value: Value) -> int | None:
    if value.figurative == "ZERO":
        return 0
    return int(value.number) if value.number is not None and value.number == int(value.number) else None


def is_unused(node: Node) -> bool:
    """Whether nobody can refer to an elementary item: all its occurrences are bytes without a meaning."""
    return not node.item.name and not node.nodes and node.item.value is None and node.total is not None


def filler(size: int) -> Entries:
    """Bytes without a meaning. Large ones cannot be reserved."""
    if size <= _MOST_RESERVED:
        return {"type": "bytes", "size": size, "reserved": True}
    return {"type": "text", "size": size, "pad": _BLANK[ENCODING], "encoding": ENCODING, "default": "''"}
