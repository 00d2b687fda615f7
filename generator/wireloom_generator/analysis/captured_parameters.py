"""The uses of a parameter that is found in captures, and the fields that can set it."""

from collections.abc import Iterator, Mapping

from wireloom_generator import model
from wireloom_generator.analysis.scopes import Scope, Visit, head, messages, struct_of
from wireloom_generator.analysis.sites import Moment, Site, sites
from wireloom_generator.model import Resolved


def sites_asking(spec: Resolved, parameter: model.Parameter) -> Iterator[Site]:
    """The expressions that use it."""
    for site in sites(spec):
        if parameter in site.used:
            yield site


def asking(spec: Resolved, parameter: model.Parameter) -> tuple[str, ...]:
    """The messages whose fields or types use it."""
    owners = {_owner(site.scope) for site in sites_asking(spec, parameter) if not _frames(site)}
    return tuple(_owner(scope) for scope in messages(spec) if owners & {_owner(scope), *_types(spec, scope)})


def framing(spec: Resolved, parameter: model.Parameter) -> Iterator[model.Condition]:
    """The uses before a record's message is known: to find where records end, and to select their messages."""
    header = {_owner(head(spec)), *_types(spec, head(spec))}
    for site in sites_asking(spec, parameter):
        if _frames(site) or _owner(site.scope) in header:
            yield site.condition


def _frames(site: Site) -> bool:
    return site.moment is Moment.FRAMING or site.scope.is_preamble


def _owner(scope: Scope) -> str:
    """The name of the message or type; empty for the record."""
    return "" if isinstance(scope.owner, model.Record) else scope.owner.name


def _types(spec: Resolved, scope: Scope) -> set[str]:
    """The types of the fields in a scope, and of the fields in these."""
    found: set[str] = set()
    pending = [visit.item for visit in scope.visits]
    while pending:
        used = struct_of(spec, pending.pop())
        if used is not None and used.name not in found:
            found.add(used.name)
            pending += [node for node in model.walk(used.nodes) if not isinstance(node, model.BitField)]
    return found


def fields(spec: Resolved, message: str) -> Mapping[str, list[Visit]]:
    """The fields of a message by name."""
    found: dict[str, list[Visit]] = {}
    for scope in messages(spec):
        for visit in scope.visits if _owner(scope) == message else ():
            if isinstance(visit.item, model.Named):
                found.setdefault(visit.item.name, []).append(visit)
    return found
