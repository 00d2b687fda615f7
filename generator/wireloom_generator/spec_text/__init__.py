"""Spec files as text, in the one form that all of them have.

Values are those of YAML. ``Noted`` adds what an importer says of a value: a comment, and the place in a source that it
was written for. ``Surrounded`` adds what a file has around one: comments, empty lines, an anchor.
"""

from wireloom_generator.spec_text.layout import SpecText, written
from wireloom_generator.spec_text.scalars import is_foldable, is_like_number, quoted, scalar
from wireloom_generator.spec_text.values import Hex, Lines, Noted, Surrounded, Verbatim, YamlValue, todo

__all__ = [
    "Hex",
    "Lines",
    "Noted",
    "SpecText",
    "Surrounded",
    "Verbatim",
    "YamlValue",
    "is_foldable",
    "is_like_number",
    "quoted",
    "scalar",
    "todo",
    "written",
]  # fmt: skip
