"""What is attacked: protocols that are shipped, show one feature each, are real formats of others or are invented, with
records to begin from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from protocols import strangers
from support import compiled, every_type, invented_specs, vectors
from support.lockstep import Pair

from wireloom.options import Parameter
from wireloom_generator.reading import spec
from wireloom_generator.resolve import protocol_of, resolve
from wireloom_protocols.couchbase_dcp import columnar as couchbase_dcp
from wireloom_protocols.databus import columnar as databus
from wireloom_protocols.memcached import columnar as memcached

SPECS = Path(__file__).parents[2] / "specs"
SHIPPED = {"couchbase_dcp": couchbase_dcp, "databus": databus, "memcached": memcached}
VECTORS = {
    "couchbase_dcp": ("couchbase_dcp/frames.jsonl", "couchbase_dcp/seed_frames.jsonl"),
    "databus": ("databus/vectors.jsonl",),
    "memcached": ("couchbase_dcp_all/other_doc_frames.jsonl",),
}
KNOWN = (*SHIPPED, *compiled.FEATURES, *strangers.NAMES, every_type.NAME)
"""Everything that ``known`` knows."""
INVENTED = "invented"
NAMES = (*KNOWN, INVENTED)
"""Everything that ``target`` knows."""

Parameters = Mapping[str, Any]


@dataclass(frozen=True)
class Target:
    """A protocol with both engines, records of it, and every set of parameters that they can be read with.

    Captures may begin with one of the ``openings``.
    """

    name: str
    pair: Pair
    records: tuple[bytes, ...]
    parameters: tuple[Parameters, ...]
    openings: tuple[bytes, ...] = ()


def target(name: str, seed: str = "") -> Target:
    """The target called ``name``, one of ``NAMES``; what is invented is another one for each seed."""
    return invented(Random(seed)) if name == INVENTED else known(name)


def invented(random: Random) -> Target:
    """A protocol that nobody has written."""
    found = invented_specs.invented(random)
    records, openings = tuple(dict.fromkeys(found.records)), (found.opening,) if found.header else ()
    return Target(INVENTED, Pair.of(found.compiled.columnar), records, (found.told,), openings)


@cache
def known(name: str) -> Target:
    """The target called ``name``, one of ``KNOWN``."""
    if name in SHIPPED:
        (one,), problems = spec.load([SPECS / name])
        assert not problems
        protocol, pair = protocol_of(resolve(one)), Pair.of(SHIPPED[name])
    elif name in strangers.NAMES:
        protocol, pair = strangers.protocol(name).protocol, Pair.of(strangers.protocol(name).columnar)
    else:
        found = every_type.feature(name)
        protocol, pair = found.protocol, Pair.of(found.columnar)
    examples = [example for _, example in compiled.worked(protocol)]
    records = [example.data for example in examples]
    records += [vectors.data_of(row) for row in vectors.committed(*VECTORS.get(name, ())) if "hex" in row]
    records += strangers.records(name) if name in strangers.NAMES else ()
    unique = tuple(dict.fromkeys(record for record in records if len(record) < 4096)) or (min(records, key=len),)
    headed = strangers.captures(name) if name in strangers.NAMES and pair.codec.preamble is not None else ()
    read = [next(pair.codec.iter_records(capture.data, positions=True)) for capture in headed]
    openings = tuple(capture.data[: row["_length"]] for capture, row in zip(headed, read, strict=True))
    given = [{parameter: row["capture"][parameter] for parameter in _told(pair)} for row in read]
    return Target(name, pair, unique, parameters(pair, (*(each.parameters for each in examples), *given)), openings)


def _told(pair: Pair) -> tuple[str, ...]:
    """The parameters that what captures begin with tells."""
    return pair.codec.preamble.exported if pair.codec.preamble is not None else ()


def _any(parameter: Parameter) -> tuple[str | bool, ...]:
    return ("",) if parameter.text else (False, True)


def parameters(pair: Pair, given: Sequence[Parameters] = ()) -> tuple[Parameters, ...]:
    """The sets of them that a protocol can be read with: all, of numbers with the least and the greatest, of texts
    with an empty one, and the ``given`` ones.
    """
    choices = [
        [(parameter.name, value) for value in parameter.choices or parameter.bounds or _any(parameter)]
        for parameter in pair.codec.parameters
    ]
    every = [dict(chosen) for chosen in product(*choices)]
    for more in given:
        if (found := {**every[0], **more}) not in every:
            every.append(found)
    return tuple(every)
