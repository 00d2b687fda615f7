"""The names visible from one place of a scope."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from wireloom_generator import model
from wireloom_generator.analysis.scopes import Branch, Input, Scope, Seen, Visit, by_name, inside, meet
from wireloom_generator.expressions import in_list
from wireloom_generator.model import Named, Resolved


@dataclass(eq=False)
class VisibleNames(Mapping[str, tuple[Seen, ...]]):
    """The fields of each name of a scope, as seen from one place; several if they are alternatives.

    Names with dots lead into structs, those with items into lists. Items of the ``growing`` list are visible as far as
    they are read. For ``only_values``, sections in structs do not count. Inputs ``given`` to a type refer to these
    fields if they are structs or lists. Names are looked up on use, because an expression uses few.
    """

    spec: Resolved
    named: Mapping[str, tuple[Seen, ...]]
    sees: Callable[[Seen], bool]
    growing: Visit | None = None
    only_values: bool = False
    given: Mapping[Input, Sequence[Visit]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> tuple[Seen, ...]:
        listed, inner = in_list(name) or (name, "")
        grows = listed != name and self.growing is not None
        first, *steps = listed.split(".")
        found = tuple(seen for seen in self.named[first] if (grows and seen is self.growing) or self.sees(seen))
        if steps or listed != name:
            found = tuple(self._meant(found))
        for step in steps:
            found = tuple(self._inside(found, step, is_item=False))
        for number, step in enumerate(inner.split(".") if inner else ()):
            found = tuple(self._inside(found, step, is_item=number == 0))
        if not found:
            raise KeyError(name)
        return found

    def _meant(self, found: tuple[Seen, ...]) -> Iterator[Seen]:
        """The fields that an input refers to, in its place."""
        for seen in found:
            yield from self.given.get(seen, ()) if isinstance(seen, Input) else (seen,)

    def _inside(self, found: tuple[Seen, ...], step: str, *, is_item: bool) -> Iterator[Visit]:
        for item in (seen.item for seen in found if isinstance(seen, Visit)):
            for visit in inside(self.spec, item, is_item=is_item).get(step, ()):
                if not self.only_values or isinstance(visit.item, Named):
                    yield visit

    def __iter__(self) -> Iterator[str]:
        return (name for name in self.named if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @cached_property
    def all(self) -> frozenset[str]:
        return frozenset(self)


class Sight:
    """All names of a scope: its own, those of its header, and the parameters."""

    def __init__(self, spec: Resolved, scope: Scope, fields: Mapping[Input, tuple[Visit, ...]]) -> None:
        self.spec = spec
        self.scope = scope
        self.fields = fields
        self.own = frozenset(scope.visits)
        given = frozenset(value.name for value in scope.given)
        header = (visit for visit in scope.header if visit.name not in given)
        own: tuple[Seen, ...] = (*scope.visits, *scope.given, *header)
        facts = (each for each in spec.parameters.values() if each.default is not None or not scope.is_preamble)
        self.named = {**by_name(facts), **by_name(own)}
        self.seen_around: dict[Branch, VisibleNames] = {}
        self.slots: dict[str, int] = {}

    def header_at(self, visit: Visit) -> int:
        """How many of the header's nodes are read before ``visit``."""
        if not isinstance(self.scope.owner, model.Message):
            return len(self.scope.header)
        slot = visit.sections[0]
        if slot not in self.slots:
            self.slots[slot] = len(self.scope.header_at(visit))
        return self.slots[slot]

    def values(
        self, own: Callable[[Visit], bool], header: int | None = None, growing: Visit | None = None
    ) -> VisibleNames:
        """The parameters, the ``own`` fields, and those among the first nodes of the header."""

        def sees(seen: Seen) -> bool:
            if not isinstance(seen, Visit):
                return True
            return isinstance(seen.item, Named) and self.sees(seen, own, header)

        return VisibleNames(self.spec, self.named, sees, growing, only_values=True, given=self.fields)

    def regions(self, own: Callable[[Visit], bool], header: int | None = None) -> VisibleNames:
        """The regions with a size; in a type only its own, since those of the header are not available there."""
        last = 0 if isinstance(self.scope.owner, model.Struct) else header
        return VisibleNames(self.spec, self.named, lambda seen: isinstance(seen, Visit) and self.sees(seen, own, last))

    def around(self, branch: Branch) -> VisibleNames:
        """Everything that can be in one record with ``branch``, and the header."""
        if branch not in self.seen_around:

            def sees(seen: Seen) -> bool:
                return isinstance(seen, Visit) and (seen not in self.own or meet(seen.branch, branch))

            self.seen_around[branch] = VisibleNames(self.spec, self.named, sees)
        return self.seen_around[branch]

    def sees(self, visit: Visit, own: Callable[[Visit], bool], header: int | None) -> bool:
        """Whether a node is one of ``own``, or one of the first of the header; None means all."""
        return own(visit) if visit in self.own else header is None or visit.order < header
