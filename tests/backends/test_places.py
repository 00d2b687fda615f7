"""How far behind a record's start places are, as programs know it while they are put together."""

from wireloom.programs import offsets as places
from wireloom.programs import opcodes as op
from wireloom.programs.assembler import Assembler


def test_places_behind_alternatives_are_known_where_all_end_there() -> None:
    asm = Assembler()
    mask, other = (asm.value(op.EQUAL_NUMBER, (op.START,), (number,)) for number in range(2))
    no_mask = asm.value(op.NOT, (mask,))
    first = places.chosen(asm, mask, 4, 2)
    assert first == (mask, 4, 2)
    assert places.within(asm, no_mask, first) == 2
    assert places.within(asm, mask, places.moved(first, 8)) == 12
    assert places.chosen(asm, no_mask, places.moved(first, 2), first) == 4
    assert places.chosen(asm, other, 4, 4) == 4
    assert places.chosen(asm, other, first, first) == first
    within_both = places.chosen(asm, other, first, 2)
    assert within_both == (other, (mask, 4, 2), 2)
    assert places.within(asm, no_mask, within_both) == 2


def test_places_that_depend_on_much_are_not_known() -> None:
    asm, found = Assembler(), 0
    for number in range(3):
        found = places.chosen(asm, asm.value(op.EQUAL_NUMBER, (op.START,), (number,)), number + 1, found)
        assert found is not None
    assert places.chosen(asm, asm.value(op.EQUAL_NUMBER, (op.START,), (9,)), 9, found) is None
