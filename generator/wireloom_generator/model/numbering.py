"""Lists whose items depend on their numbers, or follow from the items of another list."""

from wireloom_generator.expressions import Name, walk
from wireloom_generator.model.nodes import Field
from wireloom_generator.model.wires import Size


def numbered(field: Field, *keys: str) -> bool:
    """Whether what is said of a list's items under one of these keys, or any, depends on their numbers."""
    if field.repeat is None:
        return False
    size = field.wire.extent.condition if isinstance(field.wire.extent, Size) else None
    said = {"at": (field.place,), "size": (size,), "with": tuple(field.inputs.values())}
    found = (condition for key in keys or said for condition in said[key])
    return any(condition is not None and condition.asks_index for condition in found)


def hollow(field: Field) -> bool:
    """Whether items of a list may take no bytes where it stands. Their number is known then, so that the list ends.

    Bytes that ``raw`` keeps of a list would not tell how many such items there are.
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
