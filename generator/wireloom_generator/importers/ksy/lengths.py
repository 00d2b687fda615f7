"""How long texts and bytes are, in expressions."""

import re

from wireloom_generator.importers.ksy.encodings import encoding_of, has_bytes_as_characters
from wireloom_generator.importers.ksy.phrases import INT, LEVELS, CannotSayError, Phrase


def length(of: Phrase, name: str) -> Phrase:
    """How many characters a text has, or how many bytes there are, without what ends them."""
    attribute, type = of.kind.attribute, of.kind.type
    if attribute is None or type is None or not re.fullmatch(r"[\w.]+(\[[\w.]+\])?[\w.]*", of.text):
        raise CannotSayError(f"{name} of what is computed")
    if of.kind.base == "str" and not has_bytes_as_characters(encoding_of(attribute, type)):
        raise CannotSayError(f"the {name} in characters")
    is_ended = "terminator" in attribute.keys or attribute.text("type") == "strz"
    if "pad-right" in attribute.keys or (is_ended and {"size", "size-eos", "eos-error"} & attribute.keys.keys()):
        raise CannotSayError(f"the {name} without what ends it")
    if is_ended and attribute.text("consume") != "false" and not attribute.says("include"):
        return Phrase(f"size({of.text}) - 1", INT, LEVELS["-"])
    return Phrase(f"size({of.text})", INT)
