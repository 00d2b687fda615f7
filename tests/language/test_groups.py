"""Messages in folders inside that of their protocol, which are groups of them."""

from pathlib import Path

import pytest
from support.agreement import check_outputs as check

from wireloom_generator import emitters, examples
from wireloom_generator.emitters import docs
from wireloom_generator.reading.spec import load
from wireloom_generator.resolve import protocol_of, resolve

PROTOCOL = """\
protocol: post
byte_order: big
record:
  length: 2
  fields:
    - {name: kind, type: u8}
    - {section: body, size: rest}
"""
MESSAGE = """\
message: {name}
match: {{kind: {kind}}}
sections: {{body: [{{name: number, type: u8}}]}}
examples: [{{name: One, hex: "0{kind} 05", decoded: {{number: 5}}}}]
"""
FILES = {"orders/parcel": 1, "letter": 2, "complaints/loss": 3, "orders/stamp": 4}


@pytest.fixture
def post(tmp_path: Path) -> Path:
    folder = tmp_path / "specs" / "post"
    for name, kind in FILES.items():
        path = folder / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(MESSAGE.format(name=path.stem, kind=kind), encoding="utf-8")
    folder.joinpath("protocol.yaml").write_text(PROTOCOL, encoding="utf-8")
    return folder


@pytest.mark.parametrize("given", ["", "..", "orders", "orders/parcel.yaml", "letter.yaml"])
def test_the_messages_of_groups_are_the_protocol_s(post: Path, given: str) -> None:
    assert check([post / given]) == []
    (spec,), _ = load([post / given])
    assert [message.message for message in spec.messages] == ["letter", "loss", "parcel", "stamp"]
    assert protocol_of(resolve(spec)).folders == (spec.folder,)


def test_groups_stand_in_the_table_of_messages(post: Path) -> None:
    (spec,), _ = load([post])
    protocol = protocol_of(resolve(spec))
    with examples.running(emitters.modules(protocol)) as codec:
        traces, problems = examples.run(protocol, codec)
    index = next(file.text for file in docs.emit(protocol, traces) if file.path.name == "index.md")
    assert problems == []
    table = index.partition("## Messages\n\n")[2].partition("\n\n")[0].splitlines()
    groups = [line.split("|")[2].strip() for line in table]
    assert groups == ["Group", "---", "", "", "`complaints`", "`orders`", "`orders`"]


def test_a_group_has_messages_and_nothing_else(post: Path) -> None:
    post.joinpath("orders", "library.yaml").write_text("library: orders\n", encoding="utf-8")
    assert [str(problem.rule) for problem in check([post])] == ["one-protocol"]


def test_folders_that_are_no_words_are_no_groups(post: Path) -> None:
    other = post / ".github"
    other.mkdir()
    other.joinpath("ci.yaml").write_text("on: push\n", encoding="utf-8")
    assert check([post]) == []
