"""Bits that say which fields there are: those of reports in ASTERIX, category 048, one of the example protocols."""

import pytest
from protocols import strangers
from protocols.strangers.asterix import EXPLAINED

from wireloom.codec import DecodeError, EncodeError, Protocol


@pytest.fixture(scope="module")
def codec() -> Protocol:
    return strangers.protocol("asterix").codec


def block(*reports: dict[str, object]) -> dict[str, object]:
    return {"monoradar_target_reports": {"reports": list(reports)}}


def test_a_report_is_read_as_another_decoder_reads_it(codec: Protocol) -> None:
    """As the documentation of asterix-decoder says."""
    (report,) = codec.parse(EXPLAINED)["monoradar_target_reports"]["reports"]
    there = {name for name in report if name[:4] == "has_" and report[name]}
    wanted = "010 140 020 040 070 090 220 240 250 161 200 170 230"
    assert there == {f"has_{item}" for item in wanted.split()}
    assert (report["data_source"]["sac"], report["data_source"]["sic"], report["time_of_day"]) == (
        25,
        201,
        27354.6015625,
    )
    assert (report["aircraft_identification"], report["aircraft_address"], report["track_number"]) == (
        "DLH65A",
        0x3C660C,
        3563,
    )
    assert (report["descriptor"]["typ"], report["descriptor"]["fx_1"]) == (5, False)
    assert (report["track_status"]["fx_1"], report["track_status"]["fx_2"]) == (True, False)
    assert [report[f"fx_{number}"] for number in (1, 2, 3, 4)] == [True, True, False, None]


def test_bits_follow_from_what_is_given(codec: Protocol) -> None:
    (report,) = codec.parse(EXPLAINED)["monoradar_target_reports"]["reports"]
    given = {name: value for name, value in report.items() if name[:4] != "has_" and name[:3] != "fx_"}
    assert codec.build(block(given)) == EXPLAINED
    assert codec.build(block({})).hex() == "300004" + "00"
    assert codec.build(block({"aircraft_address": 7}, {})).hex() == "300009" + "0180" + "000007" + "00"
    assert codec.build(block({"warnings": [{"value": 1}, {"value": 2}]})).hex() == "300008" + "010140" + "0304"
    expansion = {"reserved_expansion": {"data": b"\7"}}
    assert codec.build(block(expansion)).hex() == "300009" + "01010102" + "0207"
    assert codec.build(block(expansion | {"has_010": True, "fx_3": False})).hex() == "300009" + "01010102" + "0207"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("0100", r"derived: monoradar_target_reports\.reports\[0\]\.fx_1 at byte 3: false expected, found true"),
        ("01010100", r"derived: monoradar_target_reports\.reports\[0\]\.fx_1 at byte 3: false expected, found true"),
        ("010101030207", "constant"),
        ("80", "truncated"),
    ],
)
def test_octets_without_need_are_malformed(codec: Protocol, body: str, why: str) -> None:
    data = bytes.fromhex(body)
    with pytest.raises(DecodeError, match=f"^{why}"):
        codec.parse(bytes([48, 0, 3 + len(data)]) + data)


def test_an_integer_that_follows_is_given_as_a_whole(codec: Protocol) -> None:
    """A number in the second octet makes it follow, and then the others must be given."""
    status = dict.fromkeys(("cnf", "dou", "mah", "tre"), False) | {"rad": 1, "cdm": 0}
    with pytest.raises(EncodeError, match=r"^monoradar_target_reports\.reports\[0\]\.track_status\.gho: missing$"):
        codec.build(block({"track_status": status}))
