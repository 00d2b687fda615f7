"""What keeps left-over bytes can have some.

``trailing`` is the column for the bytes that a section's fields leave over. Where one of them always takes all that is
left, the column is null in every record, and who reads the spec looks for bytes in the wrong place.

Bad::

    - section: outer
      size: 8
      trailing: outer_rest
      fields:
        - {name: number, type: u8}
        - {name: data, type: bytes, size: rest}

Good::

    - section: outer
      size: 8
      fields:
        - {name: number, type: u8}
        - {name: data, type: bytes, size: rest}
"""

from collections.abc import Iterable, Iterator

from wireloom_generator.analysis.scopes import expand, written
from wireloom_generator.analysis.sequences import is_open, place, takes_rest
from wireloom_generator.problems import Problem
from wireloom_generator.reading import syntax
from wireloom_generator.reading.spec import Spec


def check(spec: Spec) -> Iterator[Problem]:
    """Columns for left-over bytes behind what always takes all of them."""
    for entry in written(spec):
        if isinstance(entry, syntax.Section) and entry.trailing is not None:
            taker = _taker(spec, entry.fields)
            if taker is not None:
                what = f"{entry.trailing!r} can never hold anything, since {place(taker)[1]} takes all that is left"
                yield Problem(
                    entry.where("trailing"), "trailing", what, "leave it out, or give what stands there a size"
                )


def _taker(spec: Spec, entries: Iterable[syntax.Entry]) -> syntax.Entry | None:
    """The first entry behind which nothing is ever left."""
    return next((entry for entry, _ in expand(spec, entries) if _takes_all(spec, entry)), None)


def _takes_all(spec: Spec, entry: syntax.Entry) -> bool:
    match entry:
        case syntax.Field() if entry.when is not None or entry.compute is not None:
            return False
        case syntax.Field() | syntax.Section() if takes_rest(entry):
            return True
        case syntax.Field() if entry.repeat is None and is_open(spec, entry):
            return _taker(spec, spec.types[entry.type].fields) is not None
        case syntax.Choice(choice=alternatives):
            covered = bool(alternatives) and alternatives[-1].when is None
            return covered and all(_taker(spec, option.fields) is not None for option in alternatives)
        case _:
            return False
