"""An expression uses only what has been read before it.

A record is read from front to back. A condition, a size or a count is needed at its entry, so it can use the fields
before it. A variant is chosen as soon as the shared fields of the first section that any variant fills are read.
``derive``, ``checksum`` and ``default`` are evaluated last and can use everything. What stands at a known byte can be
read ahead of its turn, by a field with ``at`` and ``shared: true``.

Bad::

    - {name: body, type: bytes, size: body_length}
    - {name: body_length, type: u16}

Good::

    - {name: body_length, type: u16, derive: size(body)}
    - {name: body, type: bytes, size: body_length}
"""

from collections.abc import Iterator

from wireloom_generator import expressions, model
from wireloom_generator.analysis.scopes import Visit
from wireloom_generator.analysis.sites import Moment, Site, sites
from wireloom_generator.model import Region, Resolved
from wireloom_generator.problems import Problem


def check(spec: Resolved) -> Iterator[Problem]:
    """Names that are used before they are read."""
    for site in sites(spec):
        tree = site.tree
        if tree is None or site.moment is Moment.FRAMING:
            continue
        asked = list(expressions.names(tree))
        for function, name in expressions.measured(tree):
            if function not in expressions.OF_PLACES:
                asked.append(name)
            elif name.name in site.around and name.name not in site.regions and not _foreign(site, name.steps[0]):
                what = f"{function}({name.name}) is not known yet where it is asked for"
                yield Problem(site.where(name.column), "read-order", what, _hint(site))
        for name in asked:
            if name.name not in site.values and _is_field(site, name.name):
                what = f"{name.name!r} is not known yet where it is asked for"
                yield Problem(site.where(name.column), "read-order", what, _hint(site))


def _is_field(site: Site, name: str) -> bool:
    return any(isinstance(seen, Visit) and not isinstance(seen.item, Region) for seen in site.around.get(name, ()))


def _foreign(site: Site, name: str) -> bool:
    """Whether the name is that of a header field, in a type; that it cannot be measured at all is another rule's
    concern.
    """
    in_header = all(seen in site.scope.header for seen in site.around[name])
    return in_header and isinstance(site.scope.owner, model.Struct)


def _hint(site: Site) -> str:
    if site.visit is not None:
        return "it is read later; only derive, checksum and default can look ahead"
    decisive = site.scope.owner.decisive if isinstance(site.scope.owner, model.Message) else ""
    return f"a variant is chosen when the fields that all variants share are read, as far as section {decisive!r}"
