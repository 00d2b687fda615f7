"""Items are asked for in lists, and ``index`` in what is said of a list's items.

``sizes[index]`` is the item of ``sizes`` that has the same number as the one that is read, ``first(x)`` and ``last(x)``
are the ends of a list, ``entries[0].size`` is a field of an item. ``index`` counts from 0. It is known in ``size``,
``at``, ``with`` and ``derive`` of a list; a type is given it: ``with: {number: index}``. Of itself a list sees what is
read already: ``items[index - 1]``.

Each item of a derived list follows from the one of another list at the same place, which says how many there are.
A list whose items stand elsewhere each needs a ``count``. One whose items depend on ``index`` has no ``raw``.

Bad::

    - {name: sizes, type: u8, derive: size(bodies), repeat: {count: 3}}
    - {name: bodies, type: bytes, size: "sizes[index]", repeat: {count: 3}}

Good::

    - {name: sizes, type: u8, derive: "size(bodies[index])", repeat: {count: 3}}
    - {name: bodies, type: bytes, size: "sizes[index]", repeat: {count: 3}}
"""

from collections.abc import Iterator

from wireloom_generator import expressions, model
from wireloom_generator.analysis.scopes import Visit, fields
from wireloom_generator.analysis.sites import Moment, Site, sites
from wireloom_generator.expressions import Binary, Expr, InList, Name, Value
from wireloom_generator.expressions.kinds import Kind
from wireloom_generator.model import Named, Resolved
from wireloom_generator.problems import Problem

_KEYS = ("size", "at", "with", "derive")
"""What is said of each item of a list."""
_BEHIND = ("derive", "valid")
"""What is asked when all of a list is known."""


def check(spec: Resolved) -> Iterator[Problem]:
    """Items of what is no list, numbers of items where there are none, and lists that could not end."""
    for site in sites(spec):
        tree = site.tree
        for part in () if tree is None else expressions.walk(tree):
            if isinstance(part, Name):
                yield from _name(site, part)
        if site.key == "derive" and tree is not None and _lists(site):
            yield from _derived(site, tree)
    for field in fields(spec):
        if isinstance(field, model.Field) and field.repeat is not None:
            yield from _list(field)


def _name(site: Site, name: Name) -> Iterator[Problem]:
    at = site.where(name.column)
    if site.is_index(name):
        if site.key not in _KEYS or not _lists(site):
            hint = "size, at, with and derive of a list ask for it; a type is given it: with: {number: index}"
            yield Problem(at, "item", "'index' is the number of an item, and means nothing here", hint)
    elif name.item is not None:
        yield from _item(site, name, name.item)


def _item(site: Site, name: Name, item: InList) -> Iterator[Problem]:
    at, around = site.where(name.column), site.around.get(item.list, ())
    found = next((seen.item for seen in around if isinstance(seen, Visit)), None)
    told = site.kind(Name(item.list)) if found is None else None
    if site.moment is Moment.FRAMING:
        yield Problem(at, "item", "where a record ends must be known before its lists are read")
    elif told is not None and told is not Kind.LIST:
        yield Problem(at, "item", f"{item.list!r} is {told}, and has no items")
    elif found is not None and not (isinstance(found, Named) and found.kind is Kind.LIST):
        what = f"{item.list!r} is {found.kind if isinstance(found, Named) else 'a section'}, and has no items"
        yield Problem(at, "item", what)
    elif site.visit is not None and found is site.visit.item and not (_is_before(site, item) or site.key in _BEHIND):
        what = f"{name.name!r} is not known yet where it is asked for"
        yield Problem(at, "item", what, f"{item.list}[index - 1] is the item in front of it")


def _is_before(site: Site, item: InList) -> bool:
    """Whether it is surely in front of the item that is read."""
    match item:
        case InList(number=Binary("-", Name() as name, Value(value=int() as back)), word=""):
            return site.is_index(name) and back > 0
    return False


def _lists(site: Site) -> bool:
    """Whether the expression is about a list."""
    item = site.visit.item if site.visit is not None else None
    return isinstance(item, model.Field) and item.repeat is not None


def _derived(site: Site, tree: Expr) -> Iterator[Problem]:
    """What does not say how many items a derived list has."""
    names = [part for part in expressions.walk(tree) if isinstance(part, Name) and part.item is not None]
    about = {part.item.list for part in names if part.item is not None and not part.item.word}
    if len(about) != 1 or not any(isinstance(part, Name) and site.is_index(part) for part in expressions.walk(tree)):
        hint = "as in derive: size(bodies[index])"
        yield Problem(site.at, "item", "each item of a derived list follows from one of another list", hint)


def _list(field: model.Field) -> Iterator[Problem]:
    if not model.numbered(field) or field.repeat is None:
        return
    if model.numbered(field, "at") and field.repeat.count is None:
        hint = "repeat: {count: …}, as in count(offsets), says how many there are"
        yield Problem(field.where("repeat"), "item", "items that stand elsewhere do not tell how many they are", hint)
    if field.gives("raw"):
        hint = "give the items a type, and its field the raw"
        yield Problem(field.where("raw"), "item", f"items of {field.name!r} are not told apart by their bytes", hint)
