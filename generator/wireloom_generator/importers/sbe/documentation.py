"""What a schema says for people: descriptions, limits, versions, and where it says so."""

from wireloom_generator.importers.sbe.schema import SchemaMember, whole_number
from wireloom_generator.spec_text import YamlValue
from wireloom_generator.xml_tree import Element

Yaml = dict[str, YamlValue]


def described(element: Element, member: SchemaMember | None = None) -> Yaml:
    """The key ``doc`` of an element, or nothing; of a ``member``, also which numbers it may have."""
    said = [element.get("description")]
    if member is not None and member.encoding.declared is not None:
        said[0] = said[0] or member.encoding.declared.get("description")
    if member is not None and not member.is_constant:
        said += [_limits(member), _null(member)]
    said[0] = said[0] if not said[0] or said[0].endswith((".", "!", "?")) or not any(said[1:]) else f"{said[0]}."
    doc = " ".join(" ".join(filter(None, said)).split())
    return {"doc": doc} if doc else {}


def dated(element: Element) -> Yaml:
    """Since which version an element is deprecated, if it is."""
    version = whole_number(element, "deprecated", 0)
    return {"deprecated": {"since": str(version)}} if version else {}


def source_of(element: Element) -> Yaml:
    """The key ``source``: file and line of an element."""
    return {"source": {"document": element.at.path.name, "section": f"line {element.at.line}"}}


def _limits(member: SchemaMember) -> str:
    low, high = member.said("minValue"), member.said("maxValue")
    return f"From {low} to {high}." if low and high else f"From {low}." if low else f"Up to {high}." if high else ""


def _null(member: SchemaMember) -> str:
    """A sentence about the number that stands for no value."""
    primitive = member.encoding.primitive
    if not member.is_optional or not primitive or (primitive == "char" and member.encoding.kind == "type"):
        return ""
    null = member.said("nullValue")
    if not null:
        bits = int(member.encoding.wire[1:])
        whole = (1 << bits) - 1 if primitive.startswith("u") else -1 << bits - 1
        null = "NaN" if primitive in ("float", "double") else "0" if primitive == "char" else str(whole)
    return f"{null} is none."
