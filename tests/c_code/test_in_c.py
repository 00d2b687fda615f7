"""Protocols in C read and write records as the codec does; what they are compiled with finds every wrong access."""

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import takewhile
from pathlib import Path
from random import Random

import pytest
from protocols import strangers
from support import compiled, invented_specs, vectors
from support.cases import often
from support.lockstep import damaged
from support.paths import ROOT

from c_code import in_c
from c_code.in_c import InC, compared, needs_a_compiler
from wireloom.options import OptionError
from wireloom_generator.generate import generate

pytestmark = needs_a_compiler

OWN = ("databus", "memcached", "couchbase_dcp")
each_own = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.sweep if name == "couchbase_dcp" else ()) for name in OWN]
)
VECTORS = {
    "couchbase_dcp": [
        *(f"couchbase_dcp/{name}.jsonl" for name in ("frames", "seed_frames")),
        *(f"couchbase_dcp_all/{name}.jsonl" for name in ("doc_frames", "other_doc_frames")),
    ],
    "databus": ["databus/vectors.jsonl"],
    "memcached": [],
}
FEATURES = (
    "bcd_in_other_orders",
    "bits",
    "bits_signed",
    "byte_order_of_words",
    "checksums_over_each_other",
    "enums_of_items",
    "flatbuffers_sized",
    "ibm_floats",
    "optional_when",
    "repeat_rest",
    "sections_trailing",
    "sized_integers",
    "times_of_fields",
    "times_of_ntp_and_gps",
    "varints",
    "zoned",
)
WHOLE = ("mainframe", "netflow5", "nmea", "sbe", "tls", "ubx")
"""The example protocols that have messages of which programs say all."""


def own(name: str) -> InC:
    return in_c.of_folder(ROOT / "specs" / name)


def worked(found: InC) -> list[bytes]:
    """The examples of a spec with the default parameters."""
    return [example.data for _, example in compiled.worked(found.protocol) if not example.parameters]


@cache
def known(name: str) -> list[bytes]:
    """The records of a protocol of ours: examples, captures and vectors."""
    found = worked(own(name))
    for path in sorted(ROOT.glob(f"examples/captures/{name}/*.bin")):
        data = path.read_bytes()
        rows = own(name).codec.iter_records(data, mode="DROPMALFORMED", positions=True)
        found += [data[row["_offset"] : row["_offset"] + row["_length"]] for row in rows]
    rows = vectors.external(*VECTORS[name]) or vectors.committed(*VECTORS[name])
    return found + [vectors.data_of(row) for row in rows if "hex" in row]


def harmed(name: str, records: list[bytes], count: int) -> Iterator[bytes]:
    """Damaged records. The lengths of every other one are right again where that is easy, or few would be read on."""
    random = Random(name)
    for number in range(count):
        (data,) = damaged(random.choice(records), random, 1)
        if name != "databus" and len(data) >= 24 and number % 2:
            data = data[:8] + (len(data) - 24).to_bytes(4, "big") + data[12:]
        yield data


def agree(found: InC, records: list[bytes]) -> in_c.Compared:
    told = compared(found, records)
    assert told.differ == []
    assert told.elsewhere == []
    assert told.astray == []
    return told


@each_own
def test_records_are_read_and_written_as_by_the_codec(name: str) -> None:
    found = own(name)
    records = known(name)
    told = agree(found, records)
    assert told.accepted > len(records) // 5  # many vectors of Databus are malformed on purpose
    assert told.written > told.accepted * 9 // 10


@each_own
def test_damaged_records_are_refused_as_by_the_codec(name: str) -> None:
    told = agree(own(name), list(harmed(name, known(name), often(1500, 20_000))))
    assert told.refused > 500
    assert told.accepted >= 10


@pytest.mark.long
@pytest.mark.parametrize("name", OWN)
def test_many_damaged_records_are_refused_as_by_the_codec(name: str) -> None:
    agree(own(name), list(harmed(name, known(name), 20_000)))


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in FEATURES else pytest.mark.sweep) for name in compiled.FEATURES]
)
def test_features_of_the_language_are_as_in_the_codec(name: str) -> None:
    found = in_c.made(compiled.feature(name).protocol)
    assert {*found.messages, *found.translation.left} == set(found.codec.records)
    if not found.messages:
        return  # but what was made compiles
    random = Random(name)
    examples = worked(found)
    agree(found, [*examples, *(data for example in examples for data in damaged(example, random, often(20, 200)))])


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(often(10, 100)))
def test_invented_specs_are_as_in_the_codec(seed: int) -> None:
    invented, random = invented_specs.invented(Random(seed)), Random(seed)
    found = in_c.made(invented.compiled.protocol)
    if found.messages and not invented.told:
        records = [
            *invented.records,
            *(data for one in invented.records for data in damaged(one, random, often(10, 50))),
        ]
        told = compared(found, records)
        assert told.differ == []
        assert told.elsewhere == []


@pytest.mark.sweep
@pytest.mark.parametrize("name", WHOLE)
def test_example_protocols_are_as_in_the_codec(name: str) -> None:
    found = in_c.made(strangers.protocol(name).protocol)
    assert found.messages
    records = []
    for record in strangers.records(name):
        try:
            found.codec.parse(record)
        except OptionError:
            continue
        except ValueError:
            pass
        records.append(record)
    agree(
        found, [*records, *(data for record in records[:200] for data in damaged(record, Random(name), often(10, 100)))]
    )


def program(code: str, folder: Path, given: bytes = b"") -> bytes:
    """What a program prints that uses the functions for memcached."""
    library, main = own("memcached").library, folder / "main.c"
    main.write_text(code, encoding="utf-8")
    linked = str(library), f"-Wl,-rpath,{library.parent}"
    in_c.compile_c(main, "-I", str(library.parent), "-o", str(folder / "main"), *linked)
    return subprocess.run([folder / "main"], input=given, capture_output=True, check=True).stdout


def test_the_example_of_the_page_prints_what_is_set(tmp_path: Path) -> None:
    page = ROOT.joinpath("docs", "c.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```c\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    data = ROOT.joinpath("examples/captures/memcached/session.bin").read_bytes()
    every = own("memcached").codec.iter_records(data, mode="PERMISSIVE")
    rows = [row.set for row in takewhile(lambda row: not row["_corrupt_reason"], every) if row.message == "set"]
    assert rows
    assert program(code, tmp_path, data).decode().splitlines() == [f"{row.key}: {len(row.value)} bytes" for row in rows]


WRITES = """\
#include "memcached.h"
#include <stdio.h>

int main(void) {
    uint8_t room[64], features[8];
    memcached_header header = { .magic = MEMCACHED_MAGIC_CLIENTREQUEST, .opaque = 7, .total_body_length = 99 };
    memcached_hello hello = { .header = header };
    memcached_hello_features_item wanted = { .feature = 0x0A };
    size_t size;
    if (memcached_hello_features_append(&hello.features, features, sizeof features, &wanted).check) return 1;
    wanted.feature = 0x0B;
    if (memcached_hello_features_append(&hello.features, features, sizeof features, &wanted).check) return 2;
    if (memcached_hello_features_append(&hello.features, features, 5, &wanted).needed != 6) return 3;
    hello.agent = (memcached_bytes){ (const uint8_t *)"me", 2 };
    if (memcached_hello_write(&hello, NULL, 0, &size).needed != 30) return 4;
    if (memcached_hello_write(&hello, room, 29, &size).check != MEMCACHED_TOO_SMALL) return 5;
    if (memcached_hello_write(&hello, room, sizeof room, &size).check) return 6;
    fwrite(room, 1, size, stdout);
    hello.agent = (memcached_bytes){ (const uint8_t *)"\\xff", 1 };
    memcached_error error = memcached_hello_write(&hello, room, sizeof room, &size);
    printf("%s %s", memcached_check_field(error.check), memcached_check_text(error.check));
    return 0;
}
"""


def test_what_is_filled_in_need_not_be_given(tmp_path: Path) -> None:
    row = {"message": "hello", "opaque": 7, "hello": {"agent": "me", "features": [{"feature": 10}, {"feature": 11}]}}
    written = own("memcached").codec.build(row)
    assert program(WRITES, tmp_path) == written + b"hello.agent is no text in its encoding"


STRANGE = """\
protocol: strange
title: "*/ #error /* \\\\"
doc: "*/ int; /*/ %s ??/"
byte_order: big
enums:
  - name: Case
    doc: "*/ \\"; /* \\\\"
    values: [{name: one, value: 1, doc: "/**/"}, {name: One, value: 2}, {name: int, from: 3, to: 4}]
flags: [{name: Wide, values: [{name: top, value: 0x8000000000000000}, {name: low, value: 1}]}]
record:
  length: 11
  fields:
    - {name: int, type: u8, doc: "*/", unit: "*/ /*"}
    - {section: body, size: rest}
---
message: header
match: {int: 1}
sections: {body: [{name: has_it, type: u8, enum: Case}, {name: it, type: u8}, {name: static, type: u64, flags: Wide}]}
---
message: bytes
match: {int: 2}
sections: {body: [{name: header, type: u8}, {name: out, type: bytes, size: rest}]}
"""


def test_strange_names_and_texts_make_no_other_code() -> None:
    found = in_c.made(compiled.of(STRANGE).protocol)
    told = agree(found, [bytes([number, *range(10)]) for number in range(4)])
    assert told.accepted == 4  # two are of no message


def test_the_output_is_only_made_if_it_is_named(tmp_path: Path) -> None:
    assert not generate([ROOT / "specs" / "databus"], tmp_path, write=True, emit=["c"]).problems
    assert sorted(path.name for path in tmp_path.joinpath("c").iterdir()) == ["databus.c", "databus.h"]
    assert not generate([ROOT / "specs" / "databus"], tmp_path, write=False, emit=["c"]).changes
    assert not ROOT.joinpath("generated", "c").exists()


def test_messages_that_are_left_out_are_told_in_the_header(tmp_path: Path) -> None:
    assert not generate([ROOT / "examples" / "protocols" / "kafka_batches"], tmp_path, write=True, emit=["c"]).problems
    header = tmp_path.joinpath("c", "kafka_batches.h").read_text(encoding="utf-8")
    assert "batch: bytes that stand for others and need room of their own" in header
    assert "kafka_batches_batch_read" not in header
