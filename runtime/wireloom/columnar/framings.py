"""The framing of a protocol, by which captures are cut into many records at once. It is made of the codec's."""

from functools import lru_cache, partial
from typing import Any

import numpy as np

from wireloom import codec
from wireloom.buffers import Array
from wireloom.codec.lengths import Ends
from wireloom.columnar.batch import Batch, by_order
from wireloom.columnar.execution.executor import Located
from wireloom.columnar.execution.programs import programs_of
from wireloom.columnar.expressions import vector
from wireloom.columnar.fields import Checksum, Number
from wireloom.columnar.framing import Framing, Lengths, Probe
from wireloom.programs.values import NoProgramError


@lru_cache(maxsize=64)
def framing_of(protocol: codec.Protocol) -> Framing:
    """The framing of a protocol; without lengths if only the codec can compute one of them."""
    framing = protocol.framing
    try:
        lengths = [_lengths(protocol, number, each) for number, each in enumerate(framing.lengths)]
    except NoProgramError:
        return Framing((), (), ())
    return Framing(lengths, list(map(_probe, framing.match)), framing.ends, flagged=framing.flagged)


def _lengths(protocol: codec.Protocol, number: int, ends: Ends) -> Lengths:
    if isinstance(ends, codec.Headed):
        return Lengths(ends, (), None, None, head=partial(_in_head, protocol, number))
    probes, valid, doubts = list(map(_probe, ends.fields)), vector(ends.valid), list(map(vector, ends.doubts))
    if any(kind.kind == "f" for _, _, kind in probes):
        raise NoProgramError("a float that tells whether something is a record")
    if isinstance(ends, codec.Everything | codec.Terminated):
        return Lengths(ends, probes, None, valid)
    if not isinstance(ends, codec.Lengths):
        raise NoProgramError("records that end where their fields do")
    checksum = None
    if ends.checksum is not None:
        name, proof = ends.checksum
        checksum = name, Checksum(proof.algorithm, vector(proof.start), vector(proof.end))
    stored = None if ends.place is None else (Number.from_construct(ends.stored), vector(ends.place))
    return Lengths(ends, probes, vector(ends.length), valid, doubts, checksum, stored)


def _in_head(
    protocol: codec.Protocol, number: int, batch: Batch, rows: Array, start: Array
) -> tuple[Array, Array, Array]:
    """As ``HeadLength``: by the program for the byte order of each of the ``rows``."""
    length, refuted, sure = np.zeros(len(rows), np.int64), np.zeros(len(rows), bool), np.zeros(len(rows), bool)
    stop, orders = batch.stop[rows], batch.little if isinstance(batch.little, bool) else batch.little[rows]
    parameters = {**protocol.assumed, **batch.parameters}
    for little, mine in by_order(orders, len(rows)):
        program = programs_of(protocol, parameters, little=little).head_lengths(number)
        if program is not None:
            found = program.run(Located.of(batch.buffer, start[mine], stop[mine]))
            length[mine], refuted[mine], sure[mine] = found
    return length, refuted, sure


def _probe(probe: tuple[str, int, Any]) -> Probe:
    name, offset, construct = probe
    return name, offset, Number.from_construct(construct)
