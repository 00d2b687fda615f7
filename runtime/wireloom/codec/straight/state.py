"""What is known at one place of a function that reads, and how the ways through its branches come together again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import NamedTuple, Protocol

from wireloom.codec.straight.source import Script
from wireloom.codec.straight.terms import NONE, Byte, Certain, Operand, UnsaidError, negated, text_of

FromTo = tuple[Byte, Byte]
"""Where something starts and ends."""
NOWHERE: FromTo = (Byte("", 0), Byte("", 0))
ColumnKey = tuple[int, str]
"""A name in a struct, which has a number."""
ConditionalLines = tuple[Operand | None, Callable[[], None]]
"""A condition, None if it always holds, and what writes the lines of what is done then."""


class Pending(NamedTuple):
    """A number of a struct that waits to be read: its ``struct`` code, and what is done with it, if anything is."""

    struct: int
    name: str
    code: str
    size: int
    then: Callable[[str], None] | None


class AgainError(Exception):
    """Somebody asks for a place that was forgotten: the function is to be written anew, with it kept."""

    def __init__(self, key: ColumnKey) -> None:
        self.key = key


class EndedError(Exception):
    """All ways have returned, and nothing is written behind them."""


@dataclass
class Progress:
    """All that is known at one place: where reading is, where the region ends, the values and the places of names.
    A branch begins with a copy, so that nothing of it gets into another one, nor behind it if it is given up.

    Of names that are ``lost``, the place differs from branch to branch, and nobody has asked for it yet. Variables that
    are ``nullable`` may be None; of some, the least and the most are among the ``ranges``. ``sizes`` has the sources of
    sizes. What is ``inside`` of something ``packed`` has its place there. Numbers of one byte ``order`` are ``waiting``
    to be read; the rest is done ``after`` that.
    """

    pos: Byte
    limit: Byte
    values: dict[ColumnKey, Operand] = field(default_factory=dict)
    spans: dict[ColumnKey, FromTo] = field(default_factory=dict)
    lost: set[ColumnKey] = field(default_factory=set)
    nullable: set[Operand] = field(default_factory=set)
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)
    sizes: dict[FromTo, str] = field(default_factory=dict)
    inside: set[ColumnKey] = field(default_factory=set)
    packed: bool = False
    waiting: list[Pending] = field(default_factory=list)
    order: str = ">"
    after: list[Callable[[], None]] = field(default_factory=list)

    def copy(self) -> "Progress":
        """The same, to be changed by itself."""
        known = {each.name: getattr(self, each.name) for each in fields(self)}
        own = {name: value.copy() for name, value in known.items() if isinstance(value, dict | list | set)}
        return Progress(**{**known, **own})


@dataclass
class _Way:
    """The lines of a branch, the state at its end, and the names that are new in it; no state if nothing leads on."""

    lines: list[str]
    state: Progress | None
    names: set[str]


class HasProgress(Protocol):
    """What reads on from a state."""

    state: Progress


class Branches:
    """Writes branches into a ``source``, each of which begins with the same state.

    ``asked`` are the names whose places are kept, ``doubt`` is the line for records that have no straight line.
    """

    def __init__(self, source: Script, asked: set[ColumnKey], doubt: str = "return None") -> None:
        self.source = source
        self.asked = asked
        self.doubt = doubt
        self.doubts: list[str] = []
        """What there is no straight line for."""

    def choose(self, place: "HasProgress", branches: Sequence[ConditionalLines]) -> None:
        """Go on with the first branch whose condition holds; if none does, as before.

        Raises ``EndedError`` if no branch leads on.
        """
        before = place.state
        ways: list[tuple[Operand | None, _Way]] = [
            (condition, self._way(place, write)) for condition, write in branches
        ]
        if ways[-1][0] is not None:
            ways.append((None, _Way([], before, set())))
        for _, way in ways:
            self.source.take(way.names)
        live = [way for _, way in ways if way.state is not None]
        joined = self._merged(live, before) if live else None
        for number, (condition, way) in enumerate(ways):
            if condition is not None:
                self.source.insert(f"{'elif' if number else 'if'} {text_of(condition)}:", way.lines)
            elif way.lines:
                self.source.insert("else:", way.lines)
        if joined is None:
            raise EndedError
        place.state = joined

    def _way(self, place: "HasProgress", write: Callable[[], None]) -> _Way:
        before = place.state
        place.state = before.copy()
        with self.source.branch() as names, self.source.aside() as lines:
            try:
                write()
            except UnsaidError as unsaid:
                self.doubts.append(str(unsaid))
                lines.append(self.doubt)
                found = None
            except EndedError:
                found = None
            else:
                found = place.state
        place.state = before
        return _Way(lines, found, names)

    def _merged(self, ways: list[_Way], before: Progress) -> Progress:
        """One state for all of them; where they differ, each puts its own into the same variables."""
        states = [way.state for way in ways if way.state is not None]
        joined, used = states[0].copy(), set[str]()
        joined.nullable = set().union(*(state.nullable for state in states))
        joined.inside = set().union(*(state.inside for state in states))
        if len(states) > 1:  # a variable that is new in one of them may be another one elsewhere
            joined.ranges, joined.sizes = dict(before.ranges), dict(before.sizes)
        sets: list[tuple[str, list[str]]] = []

        def variable(hint: str, texts: list[str]) -> str:
            own = [
                text
                for text, way in zip(texts, ways, strict=True)
                if text.startswith(hint) and text in way.names and text not in used
            ]
            name = own[0] if own else self.source.fresh(hint)
            used.add(name)
            sets.append((name, texts))
            return name

        for key in dict.fromkeys(key for state in states for key in state.values):
            terms = [state.values.get(key, NONE) for state in states]
            if any(term != terms[0] for term in terms):
                joined.values[key] = name = variable(key[1], [text_of(term) for term in terms])
                if any(term == NONE or term in state.nullable for term, state in zip(terms, states, strict=True)):
                    joined.nullable.add(name)
        if any(state.pos != states[0].pos for state in states):
            joined.pos = Byte(variable("pos", [str(state.pos) for state in states]), 0)
        joined.lost = set().union(*(state.lost for state in states))
        for key in dict.fromkeys(key for state in states for key in state.spans):
            spans = [state.spans.get(key, NOWHERE) for state in states]
            if all(span == spans[0] for span in spans):
                continue
            if key not in self.asked:
                joined.lost.add(key)
                continue
            first, last = zip(*spans, strict=True)
            joined.spans[key] = (
                Byte(variable(f"{key[1]}_start", [str(at) for at in first]), 0),
                Byte(variable(f"{key[1]}_end", [str(at) for at in last]), 0),
            )
        for number, way in enumerate(ways):
            way.lines.extend(_assigned([(name, texts[number]) for name, texts in sets if texts[number] != name]))
        return joined

    def require(self, condition: Operand) -> None:
        """A record for which the condition does not hold has no straight line."""
        if isinstance(condition, Certain):
            if not condition.value:
                raise UnsaidError("a condition that does not hold")
            return
        self.refuse(negated(condition))

    def refuse(self, text: str) -> None:
        """A record for which that holds has no straight line."""
        self.source.insert(f"if {text}:", [self.doubt])


def _assigned(pairs: list[tuple[str, str]]) -> list[str]:
    """The lines that set variables, all at once."""
    nothing = [name for name, text in pairs if text == "None"]
    others = [(name, text) for name, text in pairs if text != "None"]
    lines = []
    if others:
        names, texts = zip(*others, strict=True)
        lines.append(f"{', '.join(names)} = {', '.join(texts)}")
    if nothing:
        lines.append(f"{' = '.join(nothing)} = None")
    return lines
