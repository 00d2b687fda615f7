"""The worked examples of features of the language and of the shipped protocols, as bytes."""

from collections.abc import Collection
from functools import cache
from typing import Any

import pytest

from support import compiled, every_type
from support.lockstep import Pair
from support.paths import ROOT
from wireloom.backends.llvm import backend as llvm_backend
from wireloom_generator.reading import spec
from wireloom_generator.resolve import protocol_of, resolve
from wireloom_protocols.couchbase_dcp import columnar as couchbase_dcp
from wireloom_protocols.databus import columnar as databus
from wireloom_protocols.memcached import columnar as memcached
from wireloom_protocols.packets import columnar as packets
from wireloom_protocols.pcap import columnar as pcap
from wireloom_protocols.pcapng import columnar as pcapng

GENERATED = {"couchbase_dcp": couchbase_dcp, "databus": databus, "memcached": memcached}
"""The protocols of ours of which compiled loops say all."""
SHIPPED = {**GENERATED, "packets": packets, "pcap": pcap, "pcapng": pcapng}
SPECS = ROOT / "specs"
WHILE_ONE_WORKS = (
    "checksums_over_each_other",
    "choice_by_match",
    "derive",
    "flatbuffers_sized",
    "given",
    "meanings",
    "proof_resync",
    "recursion",
    "repeat_until_derived",
    "sections_trailing",
    "variants_sharing_a_column",
    "databus",
)
"""Those that have little in common; a sweep goes over all of them."""

NAMES = (*compiled.FEATURES, every_type.NAME, *SHIPPED)


def each_of(
    names: Collection[str], while_one_works: Collection[str], others: pytest.MarkDecorator = pytest.mark.sweep
) -> pytest.MarkDecorator:
    """A test of each of them; of most in a sweep, or where ``others`` is the mark of ``make fuzz``, only there."""
    return pytest.mark.parametrize(
        "name", [pytest.param(name, marks=() if name in while_one_works else others) for name in names]
    )


def each_by_both(names: Collection[str], while_one_works: Collection[str]) -> pytest.MarkDecorator:
    """The same with the loop for all programs, and with one for each, which takes long to compile; see
    ``accelerator.pay``.
    """
    return pytest.mark.parametrize(
        ("name", "pays"),
        [
            pytest.param(name, pays, marks=() if name in while_one_works else mark)
            for pays, mark in ((llvm_backend.PAYS, pytest.mark.sweep), (0, pytest.mark.long))
            for name in names
        ],
    )


every, every_by_both = each_of(NAMES, WHILE_ONE_WORKS), each_by_both(NAMES, WHILE_ONE_WORKS)
"""Every feature and protocol of ours."""

few = each_of(NAMES, (*WHILE_ONE_WORKS, every_type.NAME), pytest.mark.long)
"""Those that have little in common, and in ``make fuzz`` all: for what other tests see of each in another way."""


@cache
def examples(name: str) -> tuple[tuple[dict[str, Any], tuple[bytes, ...]], ...]:
    """The worked examples of a feature or of a protocol of ours, by the parameters to read them with."""
    if name in SHIPPED:
        (one,), _ = spec.load([SPECS / name])
        protocol = protocol_of(resolve(one))
    else:
        protocol = every_type.feature(name).protocol
    found: dict[tuple[tuple[str, Any], ...], list[bytes]] = {}
    for _, example in compiled.worked(protocol):
        found.setdefault(tuple(example.parameters.items()), []).append(example.data)
    return tuple((dict(parameters), tuple(data)) for parameters, data in found.items())


def pair_of(name: str) -> Pair:
    return Pair.of(SHIPPED[name] if name in SHIPPED else every_type.feature(name).columnar)


def orders(name: str) -> tuple[bool, ...]:
    """The byte orders that make a difference, as ``little``."""
    return (False, True) if pair_of(name).codec.framing.byte_order else (False,)
