"""The table of instructions: each has an entry, whose operands are those that programs give it."""

import inspect

import pytest

from wireloom.backends.llvm.tiles import WIDTH
from wireloom.backends.numpy import writer as numpy_writer
from wireloom.programs import opcodes as op
from wireloom.programs import write_opcodes as write_op
from wireloom.programs.write_opcodes import OPCODES

NUMBERS = (*range(op.STORE_LIST + 1), *range(write_op.ROW, write_op.PAD + 1))


def test_every_instruction_has_an_entry_under_its_name() -> None:
    assert tuple(OPCODES) == NUMBERS
    named = {**vars(op), **vars(write_op)}
    assert [named[each.name] for each in OPCODES.values()] == list(OPCODES)


@pytest.mark.parametrize("number", NUMBERS)
def test_an_entry_has_its_operands_in_order_and_says_what_they_are_for(number: int) -> None:
    known = OPCODES[number]
    for letters, those in ((known.sets, "de"), (known.reads, "abcfg"), (known.numbers, "nmkji")):
        assert letters == those[: len(letters)]
    assert 1 + len(known.sets + known.reads + known.numbers) <= WIDTH
    assert known.doc.endswith(".")


def test_numpy_takes_the_operands_that_instructions_have() -> None:
    """But for those that it finds otherwise, what loads and stores are told beside them, and the turns of loops."""
    for number, method in numpy_writer.WRITING_METHODS.items():
        known = OPCODES[number]
        told = op.LOAD_1 <= number < op.LOAD_ODD or op.STORE_1 <= number <= op.STORE_8
        told |= number == op.REPEAT
        taken = len(inspect.signature(method).parameters) - 1
        assert told or taken <= len(known.sets + known.reads + known.numbers), known.name
