"""A message's textual form as a block of its page."""

from collections.abc import Mapping

from wireloom_generator import model
from wireloom_generator.emitters.docs import errata as places
from wireloom_generator.emitters.docs.errata import Errata, links
from wireloom_generator.emitters.docs.markdown import cell, code, prose, sentences
from wireloom_generator.emitters.docs.names import Meanings
from wireloom_generator.emitters.docs.shared import Passage, Titled, paragraphs, table
from wireloom_generator.reading.vocabulary import NOTATIONS, OMITTED

_PLAIN: Mapping[object, str] = {model.Primitive.BOOLEAN: "true or false", model.Primitive.STRING: "the text"}


def form_block(names: Meanings, errata: Errata, message: model.Message, form: model.Form) -> Passage:
    """The keys of a form in the order written."""
    place = places.member_place(places.message_place(message), "form", form.name)
    walked = model.walk(message.nodes)
    known = {node.name: node for node in walked if isinstance(node, model.Field | model.Computed | model.BitField)}
    rows = []
    for entry in form.entries:
        found = errata.at(places.member_place(place, "key", entry.key), entry.doc)
        holds = f"always {code(entry.const)}" if entry.const is not None else _held(entry, known)
        meaning = sentences([prose(entry.doc.text), links(found)])
        rows.append((cell(code(entry.key)), cell(holds), OMITTED[entry.omit], cell(meaning)))
    grid = table(("Key", "Holds", "Left out", "Remark"), rows)
    intro = f"Form {code(form.name)}: one JSON object a line, its keys in this order."
    if not form.reads:
        intro += " Lines are written, and not read."
    texts = paragraphs(form.doc, intro)
    return Passage(f"Form {form.name}", f"form-{form.name}", texts, errata.within(place), (Titled("", grid),))


def _held(entry: model.FormEntry, known: Mapping[str, model.Field | model.Computed | model.BitField]) -> str:
    field = known.get(entry.field or "")
    if entry.notation == "label":
        how = f"its name in {field.enum}" if field and field.enum else "its name"
    elif entry.notation == "value":
        how = _PLAIN.get(field.columns[0].type if field else None, "the number")
    else:
        how = NOTATIONS[entry.notation]
    return f"{code(entry.field)}: {how}"
