"""The numpy back end: a program followed for a batch of records, each instruction for all of its rows at once.

It gives the same rows, columns and refusals as the loops that LLVM compiles. What an instruction means is said in
``opcodes``. A register here is an array with a value for each row, or a numpy scalar if all rows have the same; a
mask is one of booleans. Functions have the operands of their instructions.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from wireloom.backends.numpy import numbers, octets, outputs
from wireloom.backends.numpy.tile import (
    LOADS,
    Calls,
    Methods,
    Tile,
    both,
    mask_of,
    number_of,
)
from wireloom.buffers import Array
from wireloom.programs import opcodes as op
from wireloom.programs import write_opcodes as write_op

TILE = 1 << 14
"""Rows that are followed together: enough to forget what a call of numpy costs, and few enough for the cache."""
_FEW, _TURNS = 64, 64
"""After so many turns of a loop, rows that go on are given up if turns were of so few rows that they do not pay."""


def skip(tile: Tile, a: int, count: int) -> int:
    return 0 if np.count_nonzero(tile.registers[a]) else count


def repeat(
    tile: Tile, a: int, body: Calls, first: int, reads: Sequence[int], carried: Sequence[int], guesses: bool
) -> None:
    """All further turns of a loop, each for those rows alone that go on. Its instructions are those from ``first``
    on. It ``reads`` some registers that are set before it, and others are ``carried`` from one turn to the next.

    If it ``guesses``, several turns of a row are taken at once, as if what is carried changed by as much in each of
    them as in the one before. They count up to the first that ends with something else than the next began with.
    """
    rows = tile.wanted(a)
    for each in carried:
        tile.registers[each] = np.full(tile.count, number_of(tile.registers[each]))
    steps = {each: np.zeros(tile.count, np.int64) for each in carried}
    ahead, turns, done = 1, 0, 0
    while len(rows):
        if turns >= _TURNS and done < _FEW * turns:
            tile.sound_where(rows, np.zeros(len(rows), bool))
            return
        several, nth = rows.repeat(ahead), np.tile(np.arange(ahead), len(rows))
        before = {each: tile.registers[each][several] + nth * steps[each][several] for each in carried}
        known = {each: value[several] if (value := tile.registers[each]).ndim else value for each in reads}
        part = tile.some(several, {**known, **before})
        sound = np.broadcast_to(mask_of(part.follow(body, first)), len(several))
        after = {each: part.registers[each] for each in carried}
        counts = _sure(ahead, both(sound, after[a] != 0), before, after)
        last = np.arange(len(rows)) * ahead + counts - 1
        for each in carried:
            tile.registers[each][rows] = after[each][last]
            steps[each][rows] = after[each][last] - before[each][last]
        _take(tile, part, several, nth < counts.repeat(ahead))
        turns, done = turns + 1, done + int(counts.sum())
        rows = rows[sound[last] & (after[a][last] != 0)]
        if guesses and len(rows):
            ahead = max(1, min(2 * int(counts.sum()) // len(counts), TILE // len(rows)))


def _take(tile: Tile, part: Tile, rows: Array, taken: Array) -> None:
    """Let what was found in a turn be, where that is ``taken``. It was of these rows."""
    for n, which, start, stop in part.lists or ():
        mine = taken[which]
        outputs.put_lists(tile, n, rows[which[mine]], start[mine], stop[mine])
    tile.refuse(part, rows, taken)


def _sure(ahead: int, goes_on: Array, before: Mapping[int, Array], after: Mapping[int, Array]) -> Array:
    """How many of the turns of each row count, of so many that were taken at once."""
    right = goes_on.reshape(-1, ahead)[:, :-1]
    for each, ended in after.items():
        right = right & (ended.reshape(-1, ahead)[:, :-1] == before[each].reshape(-1, ahead)[:, 1:])
    found: Array = 1 + np.logical_and.accumulate(right, axis=1).sum(axis=1)
    return found


METHODS: Methods = {
    op.NUMBER: numbers.number,
    op.ADD: numbers.binary(np.add),
    op.SUBTRACT: numbers.binary(np.subtract),
    op.MULTIPLY: numbers.binary(np.multiply),
    op.DIVIDE: numbers.divide,
    op.MODULO: numbers.modulo,
    op.AND: numbers.logical(np.bitwise_and),
    op.OR: numbers.logical(np.bitwise_or),
    op.XOR: numbers.logical(np.bitwise_xor),
    op.SHIFT_LEFT: numbers.binary(np.left_shift),
    op.SHIFT_RIGHT: numbers.binary(np.right_shift),
    op.EQUAL: numbers.logical(np.equal),
    op.LESS: numbers.binary(np.less),
    op.LESS_EQUAL: numbers.binary(np.less_equal),
    op.ADD_NUMBER: numbers.with_number(np.add),
    op.MULTIPLY_NUMBER: numbers.with_number(np.multiply),
    op.AND_NUMBER: numbers.with_number(np.bitwise_and),
    op.EQUAL_NUMBER: numbers.with_number(np.equal),
    op.LESS_NUMBER: numbers.with_number(np.less),
    op.MORE_NUMBER: numbers.with_number(np.greater),
    op.NOT: numbers.negate,
    op.CHOOSE: numbers.choose,
    op.LOOK_UP: numbers.look_up,
    op.SIGN: numbers.sign,
    **dict.fromkeys(LOADS, numbers.load),
    op.LOAD_ODD: numbers.load_odd,
    op.NEED: octets.need,
    op.TAKE: octets.take,
    op.VARINT: numbers.varint,
    op.FIND: octets.find,
    op.CHECK: octets.check,
    op.CHECK_TEXT: octets.check_text,
    op.CHECK_BYTES: octets.check_bytes,
    op.CRC: octets.crc,
    op.DIGITS: numbers.digits,
    op.SAME: octets.same,
    op.TRIM: octets.trim,
    op.SUM: octets.total,
    op.SKIP: skip,
    op.REPEAT: repeat,
    op.GIVEN: numbers.given,
    **dict.fromkeys(outputs.STORES, outputs.store),
    op.STORE_UNSIGNED: outputs.store_unsigned,
    op.STORE_SIGNED: outputs.store_signed,
    op.STORE_BIT: outputs.store_bit,
    op.UNPACK: octets.unpack,
    op.FILL: octets.fill,
    op.TRANSLATE: octets.translate,
    op.MASK: octets.mask,
    op.UNESCAPE: octets.unescape,
    op.SPREAD: octets.spread,
    op.EXPAND: octets.expand,
    op.TRANSCODE: octets.transcode,
    op.STORE_BYTES: outputs.store_bytes,
    op.STORE_SPELLED: outputs.store_spelled,
    op.STORE_LABEL: outputs.store_label,
    op.STORE_FLAGS: outputs.store_flags,
    op.STORE_LIST: outputs.store_list,
}
SETS = {kind: len(each.sets) for kind, each in write_op.OPCODES.items()}
"""How many registers each instruction sets."""


def calls_of(code: Array, methods: Methods) -> Calls:
    """The calls of a program, with the operands that methods have.

    Loads from one place, of the same block, are told what all of them read.
    """
    rows = code.tolist()
    ends: list[int] = []
    """Where the blocks end that an instruction is in."""
    defined: dict[int, int] = {}
    """Where each register was last set."""
    near: dict[tuple[int, int, tuple[int, ...]], list[tuple[int, int]]] = {}
    keys: dict[int, tuple[int, int, tuple[int, ...]]] = {}
    for place, (kind, *operands) in enumerate(rows):
        while ends and ends[-1] <= place:
            ends.pop()
        if kind in LOADS:
            register, offset = operands[1:3]
            keys[place] = register, defined.get(register, -1), tuple(ends)
            near.setdefault(keys[place], []).append((offset, offset + np.dtype(LOADS[kind]).itemsize))
        if kind == op.SKIP:
            ends.append(place + 1 + operands[1])
        defined.update(dict.fromkeys(operands[: SETS[kind]], place))
    found: Calls = []
    for place, (kind, *operands) in enumerate(rows):
        method = methods[kind]
        given = operands[: method.__code__.co_argcount - 1]
        if kind in LOADS:
            reads = near[keys[place]]
            given = *operands[:3], kind, min(least for least, _ in reads), max(most for _, most in reads)
        elif kind in outputs.STORES:
            given = *operands[:2], kind
        elif kind == op.REPEAT:
            first = place - operands[1]
            body = rows[first:place]
            given = operands[0], found[first:], first, *_lasting(body), all(kind in _GUESSED for kind, *_ in body)
        found.append((method, tuple(given)))
    return found


_GUESSED = {kind for kind, known in op.OPCODES.items() if known.sets or kind in op.JUDGING} - op.CHANGING
_GUESSED |= {op.SKIP, op.REPEAT, op.STORE_LIST}
"""Instructions that may be followed for what is not known to be there."""


def _lasting(body: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """The registers that the instructions of a loop read before they set them: those that they never set, and those
    that they do.
    """
    found: dict[int, None] = {}
    done = {op.SOUND, op.ONES}
    for kind, *operands in body:
        known = write_op.OPCODES[kind]
        sets = operands[: len(known.sets)]
        found |= dict.fromkeys(each for each in operands[len(sets) :][: len(known.reads)] if each not in done)
        done.update(sets)
    return [each for each in found if each not in done], [each for each in found if each in done]
