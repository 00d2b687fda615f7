"""Files and folders have the names of what they contain.

Whoever sees a message in a table or in the docs finds its spec by that name, and one name means one file. A protocol is
a folder of its name with ``protocol.yaml`` and a file for each message, named after it. A library is a folder of its
name with ``library.yaml``.

Bad::

    specs/dcp/marker.yaml                    # message: snapshot_marker

Good::

    specs/couchbase_dcp/snapshot_marker.yaml
"""

from collections.abc import Iterator

from wireloom_generator.model import Resolved
from wireloom_generator.problems import Location, Problem


def check(spec: Resolved) -> Iterator[Problem]:
    """Files and folders with other names than their contents."""
    for shared in spec.shared:
        at = shared.where(shared.kind)
        yield from _file(at, shared.kind, f"a {shared.kind}")
        yield from _folder(at, shared.name, shared.kind)
    for message in spec.messages:
        yield from _file(message.where("message"), message.name, f"message {message.name!r}")


def _file(at: Location, name: str, what: str) -> Iterator[Problem]:
    if at.path.stem != name:
        yield Problem(at, "file-name", f"{what} stands in {name}.yaml, not in {at.path.name}", "rename the file")


def _folder(at: Location, name: str, kind: str) -> Iterator[Problem]:
    folder = at.path.absolute().parent.name
    if folder != name:
        yield Problem(at, "file-name", f"{kind} {name!r} stands in a folder of that name, not in {folder!r}")
