"""A spec with every name looked up. Rules judge it, and the protocol for emitters is made of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from wireloom_generator.model.declarations import Parameter
from wireloom_generator.model.nodes import Node, Struct
from wireloom_generator.model.protocol import Message, Record, Variant
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """What a spec means, as far as that can be found out; broken specs have one, too.

    Undeclared things stay unknown under their names: a field has the type ``Unknown``, an include of such a struct is
    one of the ``unknown``, and a section that the record does not have is filled all the same. An expression that
    cannot be parsed has no tree. ``recursive`` structs contain themselves, so includes of them bring no fields.
    ``included`` are the structs whose fields are spliced in somewhere.

    ``declared`` are all shared structs of the protocol and its libraries, ``structs`` those that their names mean, and
    ``used`` those that fields have, inner ones first; ``reach`` are those that each contains, directly or not.
    ``variants`` are those that are declared for several messages. ``found`` is where analysis keeps what it has found.
    """

    written: Spec
    parameters: tuple[Parameter, ...]
    record: Record
    messages: tuple[Message, ...]
    used: tuple[Struct, ...]
    declared: tuple[Struct, ...]
    variants: tuple[Variant, ...]
    structs: Mapping[str, Struct]
    reach: Mapping[str, frozenset[str]]
    recursive: frozenset[str]
    included: tuple[str, ...]
    unknown: tuple[syntax.Include, ...]
    found: dict[object, object] = field(default_factory=dict, repr=False)

    @property
    def layouts(self) -> Iterator[tuple[Node, ...]]:
        """Every list of nodes: those of shared structs, of the record, of messages and of their variants."""
        yield from (shared.nodes for shared in self.declared)
        yield from (nodes for variant in self.variants for nodes in variant.sections.values())
        yield self.record.nodes
        for message in self.messages:
            yield from message.layouts
