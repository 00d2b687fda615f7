"""Specs of Couchbase and memcached with few messages, and a checkout of such: what is made of them takes less time."""

import re
import shutil
from pathlib import Path

from support.paths import ROOT

KEPT = {
    "failover_log_request", "failover_log_response",  # which pages link to
    "hello", "hello_response",  # by which a parameter is found
    "noop", "response",  # an answer to many
    "stream_req", "stream_req_response",
    "oso_snapshot", "snapshot_marker", "snapshot_marker_response", "system_event", "system_event_response",
}  # fmt: skip
"""The messages that are left."""
_MESSAGES = re.compile(r"^messages:\s*\[([^]]*)\]", re.MULTILINE)


def small_specs(folder: Path) -> set[str]:
    """Copy our specs to ``folder``, but for most messages of Couchbase and memcached; the names of those."""
    shutil.copytree(ROOT / "specs", folder)
    paths = {path for of in ("couchbase*", "memcached") for path in folder.glob(f"{of}/*/*.yaml")}
    gone = {path for path in paths if path.stem not in KEPT}
    assert {path.stem for path in paths - gone} == KEPT
    for path in gone:
        path.unlink()
    names = {path.stem for path in gone}
    for path in folder.glob("*/protocol.yaml"):
        text = path.read_text(encoding="utf-8")
        path.write_text(_MESSAGES.sub(lambda found: _without(names, found[1]), text), encoding="utf-8")
    return names


def _without(names: set[str], listed: str) -> str:
    """What a protocol takes of libraries, without those messages."""
    return f"messages: [{', '.join(name for name in re.findall(r'[a-z_]+', listed) if name not in names)}]"


def small_checkout(root: Path) -> Path:
    """Make one in ``root``, which it gives back: all but specs and the pages of messages are links to what is here."""
    for path in ROOT.iterdir():
        if path.name not in ("specs", "generated") and not path.name.startswith("."):
            (root / path.name).symlink_to(path)
    pages = {f"{name}.md" for name in small_specs(root / "specs")}
    (root / "generated").mkdir()
    for path in (ROOT / "generated").iterdir():
        if path.name != "docs":
            (root / "generated" / path.name).symlink_to(path)
    shutil.copytree(ROOT / "generated/docs", root / "generated/docs", ignore=lambda _, found: pages.intersection(found))
    return root
