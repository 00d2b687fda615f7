"""A message's textual form as a block of its page."""

from wireloom_generator import ir
from wireloom_generator.pages import errata as places
from wireloom_generator.pages.errata import Errata, links
from wireloom_generator.pages.markdown import cell, code, prose, sentences
from wireloom_generator.pages.names import Names, fields, message_nodes
from wireloom_generator.pages.shared import Block, Titled, paragraphs, table

_NOTATIONS = {
    "value": "the number, true or false, or the text",
    "base64_57": "Base64 of the bytes, with a line feed after every complete 57 of them",
    "text": "the bytes decoded as UTF-8, with U+FFFD for what is none",
}
_OMITTED = {"never": "never", "absent": "if null", "false": "if null or false"}


def form_block(names: Names, errata: Errata, message: ir.Message, form: ir.Form) -> Block:
    """The keys of a form in the order written."""
    place = places.member_place(places.message_place(message), "form", form.name)
    enums = {field.name: field.enum for field in fields(message_nodes(message))}
    rows = []
    for entry in form.entries:
        found = errata.at(places.member_place(place, "key", entry.key), entry.doc)
        holds = f"always {code(entry.const)}" if entry.const is not None else _held(entry, enums)
        meaning = sentences([prose(entry.doc.text), links(found)])
        rows.append((code(entry.key), cell(holds), _OMITTED[entry.omit], cell(meaning)))
    told = table(("Key", "Holds", "Left out", "Remark"), rows)
    intro = f"Form {code(form.name)}: one JSON object a line, its keys in this order."
    texts = paragraphs(form.doc, intro)
    return Block(f"Form {form.name}", f"form-{form.name}", texts, errata.within(place), (Titled("", told),))


def _held(entry: ir.FormEntry, enums: dict[str, str | None]) -> str:
    if entry.notation == "label":
        named = enums.get(entry.field or "")
        how = f"the name in {named}" if named else "the number's name"
    else:
        how = _NOTATIONS[entry.notation]
    return f"{code(entry.field)}: {how}"
