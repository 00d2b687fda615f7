"""Lists whose items depend on their numbers, or follow from the items of another list."""

from wireloom_generator.expressions import Name, walk
from wireloom_generator.model.nodes import Field
from wireloom_generator.model.wires import Size


def numbered(field: Field, *keys: str) -> bool:
    """Whether one of these keys of a list, or any, depends on the number of an item."""
    if field.repeat is None:
        return False
    size = field.wire.extent.condition if isinstance(field.wire.extent, Size) else None
    said = {"at": (field.place,), "size": (size,), "with": tuple(field.inputs.values())}
    found = (condition for key in keys or said for condition in said[key])
    return any(condition is not None and condition.asks_index for condition in found)


def may_have_empty_items(field: Field) -> bool:
    """Whether items of a list may take no bytes. Their number is then known, so that the list ends.

    The original bytes (``raw``) of such a list would not determine its number of items.
    """
    if field.repeat is None or field.repeat.count is None or field.raw is not None:
        return False
    return numbered(field) or (field.item_space is not None and field.item_space.least == 0)


def derived_from(field: Field) -> Name | None:
    """The list from which a derived list follows, item by item."""
    if field.derive is None or field.repeat is None:
        return None
    about = next(part for part in walk(field.derive.expression) if isinstance(part, Name) and part.item is not None)
    return Name(".".join(about.steps), origin=about.origin, nullable=True)
