"""The names that can be seen from one place of a scope."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType

from wireloom_generator.analysis.scopes import Input, Seen, Visit, inside
from wireloom_generator.expressions import in_list
from wireloom_generator.model import Named, Resolved


class VisibleNames(Mapping[str, tuple[Seen, ...]]):
    """The fields that each name may stand for; several if they are alternatives. These are the names of a scope as seen
    from one place. They are filtered one by one when they are used, since an expression uses few of them. Names with
    dots lead into structs, those with items into lists. Of the ``growing`` list those that are read so far are seen.
    If they are ``values``, sections in structs are none. What types are ``given`` stands for these fields, if it is a
    struct or a list.
    """

    def __init__(
        self,
        spec: Resolved,
        named: Mapping[str, tuple[Seen, ...]],
        sees: Callable[[Seen], bool],
        growing: Visit | None = None,
        *,
        values: bool = False,
        given: Mapping[Input, Sequence[Visit]] = MappingProxyType({}),
    ) -> None:
        self._spec = spec
        self._named = named
        self._sees = sees
        self._growing = growing
        self._values = values
        self._given = given

    def __getitem__(self, name: str) -> tuple[Seen, ...]:
        listed, inner = in_list(name) or (name, "")
        grows = listed != name and self._growing is not None
        first, *steps = listed.split(".")
        found = tuple(seen for seen in self._named[first] if (grows and seen is self._growing) or self._sees(seen))
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
        """The fields that what is given stands for, in its place."""
        for seen in found:
            yield from self._given.get(seen, ()) if isinstance(seen, Input) else (seen,)

    def _inside(self, found: tuple[Seen, ...], step: str, *, is_item: bool) -> Iterator[Visit]:
        for item in (seen.item for seen in found if isinstance(seen, Visit)):
            for visit in inside(self._spec, item, is_item=is_item).get(step, ()):
                if not self._values or isinstance(visit.item, Named):
                    yield visit

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._named if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @cached_property
    def all(self) -> frozenset[str]:
        """The names."""
        return frozenset(self)
