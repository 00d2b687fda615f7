"""Schemas of Simple Binary Encoding, imported."""

from pathlib import Path

from importers.imports import Result, imported

HEAD = """\
    <composite name="messageHeader">
      <type name="blockLength" primitiveType="uint16"/>
      <type name="templateId" primitiveType="uint16"/>
      <type name="schemaId" primitiveType="uint16"/>
      <type name="version" primitiveType="uint16"/>
    </composite>
    <composite name="groupSizeEncoding">
      <type name="blockLength" primitiveType="uint16"/>
      <type name="numInGroup" primitiveType="uint8"/>
    </composite>
"""


def schema_imported(text: str, folder: Path) -> Result:
    path = folder / "schema.xml"
    path.write_text(text, encoding="utf-8")
    return imported("sbe", [path], folder / "out")


RICH = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<messageSchema xmlns:xi="http://www.w3.org/2001/XInclude" package="Market.Data" id="5" version="2"
    semanticVersion="5.2" byteOrder="ORDER" description="Books">
  <types>
{HEAD}
    <composite name="varText" description="Text">
      <type name="length" primitiveType="uint16"/>
      <type name="varData" primitiveType="uint8" length="0" characterEncoding="UTF-8"/>
    </composite>
    <composite name="varBytes">
      <type name="length" primitiveType="uint8"/>
      <type name="varData" primitiveType="uint8" length="0"/>
    </composite>
    <composite name="stamp" semanticType="UTCTimestamp">
      <type name="time" primitiveType="uint64"/>
      <type name="unit" primitiveType="uint8" presence="constant" valueRef="TimeUnit.nanosecond"/>
    </composite>
    <composite name="level">
      <ref name="side" type="Side"/>
      <enum name="Kind" encodingType="uint8"><validValue name="Bid">1</validValue></enum>
    </composite>
    <enum name="TimeUnit" encodingType="uint8"><validValue name="nanosecond">9</validValue></enum>
    <enum name="Side" encodingType="char">
      <validValue name="Buy">1</validValue>
      <validValue name="Sell" sinceVersion="1">2</validValue>
    </enum>
    <set name="marks" encodingType="uint16">
      <choice name="low">0</choice>
      <choice name="high" description="The last bit">15</choice>
    </set>
    <type name="code" primitiveType="char" length="3" presence="constant">ABC</type>
    <type name="salt" primitiveType="uint8" length="4"/>
    <type name="pair" primitiveType="int16" length="2"/>
  </types>
  <message name="Book" id="7" blockLength="48" description="A book">
    <field name="at" id="1" type="stamp"/>
    <field name="marks" id="2" type="marks" offset="10"/>
    <field name="level" id="3" type="level"/>
    <field name="code" id="4" type="code"/>
    <field name="fixed" id="5" type="Side" presence="constant" valueRef="Side.Sell"/>
    <field name="salt" id="6" type="salt"/>
    <field name="pair" id="7" type="pair"/>
    <field name="name" id="8" type="char"/>
    <field name="newer" id="9" type="uint32" presence="optional" sinceVersion="1" minValue="1" deprecated="2"/>
    <group name="levels" id="10">
      <field name="size" id="11" type="int8"/>
      <group name="owners" id="12" dimensionType="groupSizeEncoding" blockLength="3">
        <field name="owner" id="13" type="uint16" presence="optional"/>
      </group>
      <data name="note" id="14" type="varText"/>
    </group>
    <group name="more" id="15" sinceVersion="2"><field name="a" id="16" type="uint8"/></group>
    <data name="text" id="17" type="varText" description="Why"/>
    <data name="blob" id="18" type="varBytes" sinceVersion="2"/>
  </message>
  <message name="Ping" id="1"/>
</messageSchema>
"""
