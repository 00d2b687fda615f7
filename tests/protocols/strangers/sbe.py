"""Orders as the package ``sbe`` writes and reads them, with the schema in XML.

The package knows neither framing headers nor variable-length data; these stand around what it writes.
"""

import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from io import StringIO
from random import Random
from string import ascii_letters
from typing import Any

import sbe

from protocols.strangers import Capture

SCHEMA = """\
<sbe:messageSchema xmlns:sbe="http://fixprotocol.io/2016/sbe" package="orders" id="91" version="0"
    byteOrder="littleEndian">
  <types>
    <type name="idString" primitiveType="char" length="8"/>
    <type name="code" primitiveType="uint8"/>
    <type name="qty" primitiveType="int32"/>
    <type name="price" primitiveType="int64"/>
    <type name="time" primitiveType="uint64"/>
    <type name="date" primitiveType="uint16"/>
    <composite name="messageHeader">
      <type name="blockLength" primitiveType="uint16"/>
      <type name="templateId" primitiveType="uint16"/>
      <type name="schemaId" primitiveType="uint16"/>
      <type name="version" primitiveType="uint16"/>
    </composite>
    <composite name="groupSizeEncoding">
      <type name="blockLength" primitiveType="uint16"/>
      <type name="numInGroup" primitiveType="uint16"/>
    </composite>
    <composite name="monthYear">
      <type name="year" primitiveType="uint16"/>
      <type name="month" primitiveType="uint8"/>
      <type name="day" primitiveType="uint8"/>
      <type name="week" primitiveType="uint8"/>
    </composite>
  </types>
  <sbe:message name="business_message_reject" id="97" blockLength="9">
    <field name="business_reject_ref_id" id="379" type="idString"/>
    <field name="business_reject_reason" id="380" type="code"/>
  </sbe:message>
  <sbe:message name="execution_report" id="98" blockLength="41">
    <field name="order_id" id="37" type="idString"/>
    <field name="exec_id" id="17" type="idString"/>
    <field name="ord_status" id="39" type="code"/>
    <field name="symbol" id="55" type="idString"/>
    <field name="maturity_month_year" id="200" type="monthYear"/>
    <field name="side" id="54" type="code"/>
    <field name="leaves_qty" id="151" type="qty"/>
    <field name="cum_qty" id="14" type="qty"/>
    <field name="trade_date" id="75" type="date"/>
    <group name="fills" id="2112" dimensionType="groupSizeEncoding" blockLength="12">
      <field name="fill_px" id="1364" type="price"/>
      <field name="fill_qty" id="1365" type="qty"/>
    </group>
  </sbe:message>
  <sbe:message name="new_order_single" id="99" blockLength="54">
    <field name="cl_ord_id" id="11" type="idString"/>
    <field name="account" id="1" type="idString"/>
    <field name="symbol" id="55" type="idString"/>
    <field name="side" id="54" type="code"/>
    <field name="transact_time" id="60" type="time"/>
    <field name="order_qty" id="38" type="qty"/>
    <field name="ord_type" id="40" type="code"/>
    <field name="price" id="44" type="price"/>
    <field name="stop_px" id="99" type="price"/>
  </sbe:message>
</sbe:messageSchema>
"""
OPEN = struct.Struct(">IH")
"""The Simple Open Framing Header: the length of all, and what is framed."""
HEADER = 8
"""The bytes of the message header."""
LITTLE_ENDIAN = 0xEB50
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def captures() -> Iterator[Capture]:
    """Each message, with groups of no, one and many items."""
    random = Random("sbe")
    made = [
        _message("new_order_single", _order(random)),
        *(_message("business_message_reject", _reject(random), text) for text in ("", "no such symbol", "käse")),
        *(_message("execution_report", _report(random, count)) for count in (0, 1, 2, 20)),
    ]
    yield Capture("orders", b"".join(data for data, _ in made), tuple(row for _, row in made))


@cache
def _schema() -> sbe.Schema:
    return sbe.Schema.parse(StringIO(SCHEMA))


def _message(
    name: str, values: dict[str, Any], text: str | None = None, schema: sbe.Schema | None = None
) -> tuple[bytes, dict[str, Any]]:
    """A message in its framing header, and the row of what the package reads in it."""
    schema = schema or _schema()
    (template,) = (message for message in schema.messages.values() if message.name == name)
    data = schema.encode(template, values)
    read = schema.decode(data)
    data = data.ljust(HEADER + template.blockLength, b"\0")  # the package pads a block only in front of a group
    own = {key: _meant(key, value) for key, value in read.value.items()}
    if "fills" in own:
        fills = [{key: _meant(key, value) for key, value in fill.items()} for fill in own.pop("fills")]
        own["fills_group"] = {"fills": fills}
    if text is not None:
        own["text"] = text
        data += struct.pack("<H", len(text.encode())) + text.encode()
    header = {"template_id": read.header["templateId"], "block_length": read.header["blockLength"]}
    return OPEN.pack(OPEN.size + len(data), LITTLE_ENDIAN) + data, {**header, name: own}


def _meant(name: str, value: Any) -> Any:
    """A value of the package as the kind of value that it stands for."""
    match name:
        case "price" | "stop_px" | "fill_px":
            return Decimal(value).scaleb(-3)
        case "transact_time":
            return EPOCH + timedelta(microseconds=value // 1000)
        case "trade_date":
            return EPOCH + timedelta(days=value)
    return value


def _order(random: Random) -> dict[str, Any]:
    return {
        "cl_ord_id": _id(random),
        "account": _id(random),
        "symbol": _id(random),
        "side": 0x31,
        "transact_time": random.getrandbits(64),
        "order_qty": -5,
        "ord_type": 0x32,
        "price": 123_456,
        "stop_px": -(2**63),
    }


def _reject(random: Random) -> dict[str, Any]:
    return {"business_reject_ref_id": _id(random), "business_reject_reason": random.randrange(9)}


def _report(random: Random, count: int) -> dict[str, Any]:
    return {
        "order_id": _id(random),
        "exec_id": _id(random),
        "ord_status": 0x32,
        "symbol": _id(random),
        "maturity_month_year": {"year": 2031, "month": 12, "day": 24, "week": 255},
        "side": 0x31,
        "leaves_qty": 0,
        "cum_qty": 100,
        "trade_date": random.getrandbits(16),
        "fills": [{"fill_px": random.getrandbits(40), "fill_qty": number} for number in range(count)],
    }


def _id(random: Random) -> str:
    return "".join(random.choices(ascii_letters, k=random.randint(1, 8)))


SIZES = {"idString": 8, "code": 1, "qty": 4, "price": 8, "time": 8, "date": 2, "monthYear": 5}
"""How many bytes each type of the schema has."""


def varied(random: Random) -> Iterator[Capture]:
    """Messages of earlier and later versions of the schema, whose blocks end after any of its fields or go on."""
    while True:
        text = None
        match random.randrange(3):
            case 0:
                name, values = "new_order_single", _order(random)
            case 1:
                name, values, text = "business_message_reject", _reject(random), random.choice(("", "käse"))
            case _:
                name, values = "execution_report", _report(random, random.randrange(3))
        kept = random.randrange(10)
        data, row = _message(name, values, text, _version(name, kept, 5 if kept == 9 else 0))
        yield Capture(name, data, (row,))


@cache
def _version(name: str, kept: int, more: int) -> sbe.Schema:
    """The schema with so many fields of a message, and so many bytes more in its block."""
    before, begin, rest = SCHEMA.partition(f'<sbe:message name="{name}"')
    own, end, after = rest.partition("</sbe:message>")
    fields, group, groups = own.partition("    <group")
    found = [line for line in fields.splitlines() if "<field" in line][:kept]
    size = sum(SIZES[line.split('type="')[1].split('"')[0]] for line in found) + more
    head = re.sub(r'blockLength="\d+"', f'blockLength="{size}"', fields.splitlines()[0])
    text = "\n".join((before + begin + head, *found, group + groups + end + after))
    return sbe.Schema.parse(StringIO(text))
