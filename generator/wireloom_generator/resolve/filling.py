"""What is written for fields that alternatives match on: the only value of the one of which something is given.

It is a default of the field, so that nothing else has to know of it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from wireloom_generator import model
from wireloom_generator.expressions import Call, Conditional, Expr, Function, Literal, Logical, Name, Value, qualified
from wireloom_generator.model.names import Names
from wireloom_generator.reading import syntax
from wireloom_generator.resolve.matches import Matching
from wireloom_generator.resolve.names import DeclaredNames, Splicing

_Case = tuple[Expr, Literal | bytes]
"""That something of an alternative is given, and the value that selects it."""


def filled(
    field: syntax.Field | syntax.BitField, splicing: Splicing, matching: Matching, names: Names
) -> model.Condition | None:
    """The default of a field; None if no alternative tells."""
    is_told = field.derive is not None or field.const is not None
    is_plain = isinstance(field, syntax.BitField) or (field.repeat is None and field.checksum is None)
    if is_told or not is_plain or not isinstance(names.own, DeclaredNames):
        return None
    choices = names.own.choices
    cases = [case for choice in choices for case in _cases(field.name, choice, splicing, matching, names)]
    if not cases:
        return None
    tree = names.resolved(_first(cases))
    return model.Condition(tree, qualified(tree, ""))


def _cases(field: str, choice: syntax.Choice, splicing: Splicing, matching: Matching, names: Names) -> Iterator[_Case]:
    """The alternatives that match on a field and have fields that no other has."""
    if not any(field in alternative.match for alternative in choice.choice):
        return
    given = [tuple(dict.fromkeys(_names(each.fields, splicing))) for each in choice.choice]
    count = Counter(name for found in given for name in found)
    for alternative, found in zip(choice.choice, given, strict=True):
        own = [Call(Function.PRESENT, (Name(name),)) for name in found if count[name] == 1]
        selectors = matching.match(alternative.match, names).get(field)
        if own and selectors and len(selectors) == 1 and not isinstance(selectors[0], model.Between):
            yield own[0] if len(own) == 1 else Logical("or", tuple(own)), selectors[0]


def _first(cases: Sequence[_Case]) -> Expr:
    """The value of the first case that holds, found in few steps."""
    if not cases:
        return Value(None)
    half = max(1, len(cases) // 2)
    (_, value), *_ = cases
    found = _first(cases[:half]) if half > 1 else Value(value)
    return Conditional(_any(test for test, _ in cases[:half]), found, _first(cases[half:]))


def _any(tests: Iterable[Expr]) -> Expr:
    found = tuple(part for test in tests for part in (test.operands if isinstance(test, Logical) else (test,)))
    return found[0] if len(found) == 1 else Logical("or", found)


def _names(entries: Iterable[syntax.Entry], splicing: Splicing) -> Iterator[str]:
    """The names of all values that can be given."""
    for entry in splicing.flat(entries):
        match entry:
            case syntax.Field(compute=None):
                yield entry.name
            case syntax.Bits():
                yield from (name for name in (entry.name, *(field.name for field in entry.parts)) if name)
            case syntax.Choice():
                yield from (name for each in entry.choice for name in _names(each.fields, splicing))
