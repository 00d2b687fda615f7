"""Derived values do not follow from each other in a circle.

A derived field is filled in from the values of others. If those are derived from it in turn, encoding could never know
where to begin. Sizes and offsets are no values: a length may well be derived from a section that begins behind it.

Bad::

    - {name: words, type: u16, derive: length // 4}
    - {name: length, type: u16, derive: words * 4}

Good::

    - {name: words, type: u16, derive: size(body) // 4}
    - {name: length, type: u16, derive: words * 4}
"""

from collections.abc import Iterator

from wireloom_generator import expressions
from wireloom_generator.analysis.scopes import Visit
from wireloom_generator.analysis.sites import Site, sites
from wireloom_generator.model import Named, Resolved
from wireloom_generator.problems import Problem


def check(spec: Resolved) -> Iterator[Problem]:
    """Derived fields that lead back to themselves."""
    derived = [site for site in sites(spec) if site.key == "derive"]
    uses = {id(site): [other for other in derived if _uses(site, other)] for site in derived}
    for site in derived:
        circle = _back_to(site, uses)
        if circle is not None:
            through = "" if len(circle) == 1 else f" through {', '.join(map(repr, map(_name, circle[:-1])))}"
            yield Problem(site.at, "derive-cycle", f"{_name(site)!r} is derived from itself{through}")


def _name(site: Site) -> str:
    item = site.visit.item if site.visit else None
    assert isinstance(item, Named)
    return item.name


def _uses(site: Site, other: Site) -> bool:
    """Whether ``site`` uses the value of ``other``."""
    tree = site.tree
    asked = {name.name for name in expressions.names(tree)} if tree is not None else set()
    return any(isinstance(seen, Visit) and seen is other.visit for name in asked for seen in site.values.get(name, ()))


def _back_to(start: Site, uses: dict[int, list[Site]]) -> list[Site] | None:
    """The circle of sites from ``start`` back to itself; None if there is none."""
    paths = [[site] for site in uses[id(start)]]
    seen: set[int] = set()
    while paths:
        path = paths.pop(0)
        if path[-1] is start:
            return path
        if id(path[-1]) not in seen:
            seen.add(id(path[-1]))
            paths += [[*path, site] for site in uses[id(path[-1])]]
    return None
