"""Descriptions of keys, in Markdown, as the reference has them."""

from wireloom_generator.reading import shape
from wireloom_generator.reading.written import KeyDoc, default_of


def key_text(kind: type, key: str) -> str:
    """What a key of a kind of mapping means, its default, and an example."""
    field, _ = shape.keys(kind)[key]
    written: KeyDoc = field.metadata["key"]
    default = default_of(field)
    said = f"`{key}`: {written.about}" + (f"\n\nDefault: {default}" if default and default != "required" else "")
    required = "\n\nRequired." if default == "required" else ""
    page = f"\n\nReference: `{written.see}`" if written.see else ""
    return f"{said}{required}\n\n```yaml\n{key}: {written.example}\n```{page}"
