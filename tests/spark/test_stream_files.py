"""Which files a stream takes and in which order, and how it removes those that have been read."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from spark.growing_captures import FRAME, FRAMES, append, named
from spark.stepwise_query import Query, cas, joined, logged
from wireloom import files
from wireloom.files import listed

pytestmark = pytest.mark.spark


# Which files


def test_the_latest_first(tmp_path: Path) -> None:
    for number, age in enumerate([10, 30, 20]):
        named(tmp_path, f"{number}.bin", FRAMES[number], age)
    query = Query(tmp_path, maxFilesPerTrigger=2, latestFirst=True)
    assert [cas(rows) for rows in query.triggers()] == [[0, 2], [1]]


def test_files_older_than_the_newest_by_more_than_an_age_are_left_out_and_forgotten(tmp_path: Path) -> None:
    query = Query(tmp_path, maxFileAge="100s")
    named(tmp_path, "0.bin", FRAMES[0], 1000)
    named(tmp_path, "1.bin", FRAMES[1], 950)
    assert cas(query.trigger()) == [0, 1]  # of the first batch, all are valid
    named(tmp_path, "2.bin", FRAMES[2], 1060)
    assert query.trigger() == []
    named(tmp_path, "3.bin", FRAMES[3], 851)
    assert cas(query.trigger()) == [3]
    assert query.known() == {"1.bin": FRAME, "3.bin": FRAME}
    query.options["maxFileAge"] = "1 week"
    assert query.trigger() == []
    assert query.known() == {"1.bin": FRAME, "3.bin": FRAME}


def test_the_age_of_files_is_ignored_where_the_latest_are_first_and_bounded(tmp_path: Path) -> None:
    for number in range(3):
        named(tmp_path, f"{number}.bin", FRAMES[number], 1000 * number)
    query = Query(tmp_path, maxFileAge="1s", latestFirst=True, maxFilesPerTrigger=1)
    assert [cas(rows) for rows in query.triggers()] == [[0], [1], [2]]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7d", 604800),
        ("12h", 43200),
        ("2 days", 172800),
        ("90 Minutes", 5400),
        ("1500", 1.5),
        ("3min", 180),
        ("1m", 60),
    ],
)
def test_a_duration(tmp_path: Path, text: str, seconds: float) -> None:
    assert Query(tmp_path, maxFileAge=text).reader().source.max_file_age == seconds * 10**9


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"maxFileAge": "soon"}, "maxFileAge must be a duration such as 7d, 12h or 30 minutes, not 'soon'"),
        ({"cleanSource": "remove"}, "cleanSource must be off, delete or archive, not 'remove'"),
        ({"cleanSource": "archive"}, "cleanSource=archive and sourceArchiveDir require each other"),
        ({"sourceArchiveDir": "/x"}, "cleanSource=archive and sourceArchiveDir require each other"),
        (
            {"cleanSource": "archive", "sourceArchiveDir": "{}/in/x"},
            "sourceArchiveDir must be neither inside nor above",
        ),
        ({"cleanSource": "archive", "sourceArchiveDir": "{}"}, "sourceArchiveDir must be neither inside nor above"),
        ({"cleanSource": "archive", "sourceArchiveDir": "mock://b/x"}, "must be on the filesystem of what is read"),
        ({"logLocation": "{}/in/log"}, "logLocation must be neither inside nor above"),
    ],
)
def test_options_that_cannot_be(tmp_path: Path, options: dict[str, str], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Query(tmp_path / "i*", **{name: value.format(tmp_path) for name, value in options.items()})


# Files that are removed when they have been read


@pytest.mark.parametrize("logs", [False, True])
@pytest.mark.parametrize("how", ["delete", "archive"])
def test_files_are_removed_when_they_have_been_read(tmp_path: Path, how: str, logs: bool) -> None:
    folder = tmp_path / "in"
    options = {"cleanSource": how, "maxBytesPerTrigger": 3 * FRAME}
    if how == "archive":
        options["sourceArchiveDir"] = tmp_path / "archive"
    query = logged(tmp_path, **options) if logs else Query(folder, **options)
    folder.mkdir(exist_ok=True)
    contents = {"0.bin": b"".join(FRAMES[:4]), "1.bin": FRAMES[4] + FRAMES[5][:9], "2.bin.gz": gzip.compress(FRAMES[6])}
    for age, (name, content) in enumerate(contents.items()):
        named(folder, name, content, 10 - age)
    whole = query.at_once()
    found = query.trigger()
    query.commit()
    assert sorted(path.name for path in folder.iterdir()) == sorted(contents)
    while rows := query.trigger():
        found += rows
        query.commit()
    assert joined(found) == joined(whole)
    assert found[-2]["_corrupt_record"] == FRAMES[5][:9]
    assert list(folder.iterdir()) == []
    kept = {path.name: path.read_bytes() for path in (tmp_path / "archive").rglob("*") if path.is_file()}
    assert kept == (contents if how == "archive" else {})
    if how == "archive":
        assert (tmp_path / "archive" / folder.relative_to("/") / "0.bin").exists()


@pytest.mark.parametrize("how", ["delete", "archive"])
def test_an_index_goes_where_its_file_goes(tmp_path: Path, how: str) -> None:
    archive = tmp_path / "archive"
    given = {"sourceArchiveDir": archive} if how == "archive" else {}
    query = Query(tmp_path / "in", cleanSource=how, **given)
    (tmp_path / "in").mkdir()
    named(tmp_path / "in", "a.bin", FRAMES[0] * (files.INDEX_EVERY // len(FRAMES[0]) + 1), 10)
    named(tmp_path / "in", "a.bin.wlx", b"of a.bin", 10)
    assert query.trigger()
    query.commit()
    assert list((tmp_path / "in").iterdir()) == []
    kept = sorted(path.name for path in archive.rglob("*") if path.is_file())
    assert kept == (["a.bin", "a.bin.wlx"] if how == "archive" else [])


def test_a_stream_over_another_filesystem(tmp_path: Path) -> None:
    place = f"mock://{tmp_path.name}"

    def put(name: str, data: bytes) -> None:
        with files.created(f"{place}/in/{name}") as stream:
            stream.write(data)

    put("a.bin", FRAMES[0] + FRAMES[1][:9])
    put("b.bin.gz", gzip.compress(FRAMES[2]))
    query = Query(f"{place}/in", logLocation=f"{place}/log")
    assert sorted(cas(query.trigger())) == [0, 2]  # type: ignore[type-var]
    for number in range(1, 14):
        put("a.bin", b"".join(FRAMES[: number + 1]) + FRAMES[number + 1][:9])
        assert cas(query.trigger()) == [number]
    put("a.bin", b"".join(FRAMES[20:40]))
    with pytest.raises(OSError, match=r"a\.bin was replaced: its first 625 bytes, "):
        query.plan()
    query = Query(f"{place}/in", cleanSource="archive", sourceArchiveDir=f"{place}/archive")
    assert len(query.trigger()) == 21
    query.commit()
    kept = [file.path for file in listed([f"{place}/archive"])]
    assert kept == [f"{place}/archive/in/a.bin", f"{place}/archive/in/b.bin.gz"]


def test_one_reader_takes_a_new_file_of_the_name_of_one_it_removed(tmp_path: Path) -> None:
    query = Query(tmp_path, cleanSource="delete")
    reader = query.reader()
    query.reader = lambda: reader  # type: ignore[method-assign]
    for number in range(3):
        named(tmp_path, "a.bin", FRAMES[number] * (number + 1), 10 - number)
        assert len(query.trigger()) == number + 1
        query.commit()
    assert query.trigger() == []


def test_a_file_that_cannot_be_removed_is_told_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from wireloom.spark import cleaning

    def denied(path: str) -> None:
        raise PermissionError(f"not allowed: {path}")

    query = Query(tmp_path, cleanSource="delete")
    named(tmp_path, "a.bin", FRAMES[0], 10)
    changed = named(tmp_path, "b.bin", FRAMES[1], 10)
    query.trigger()
    append(changed, FRAMES[2])
    monkeypatch.setattr(cleaning, "removed", denied)
    query.commit()
    assert "a.bin was not removed: not allowed" in caplog.text
    assert "b.bin was not removed, because it changed after it was read" in caplog.text
    with pytest.raises(OSError, match=r"b\.bin has 88 bytes now, and had 44 when it was read"):
        query.plan()
