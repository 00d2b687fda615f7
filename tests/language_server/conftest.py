"""A small protocol with a library, open in a workspace."""

from pathlib import Path
from textwrap import dedent

import pytest

from language_server.opened import Opened

FILES = {
    "station/protocol.yaml": """\
        protocol: station
        title: A station
        byte_order: big
        imports: [shared]
        enums:
          - name: Kind
            doc: What a record is.
            values:
              - {name: Reading, value: 1, doc: A measurement.}
              - {name: Status, value: 2}
            groups: {Any: [Reading, Status]}
        types:
          - name: Header
            doc: How records begin.
            fields:
              - {name: version, type: u8}
              - {name: kind, type: u8, enum: Kind}
        record:
          length: 4 + length
          fields:
            - {name: length, type: u16, derive: size(body)}
            - {name: header, type: Header}
            - {section: body, size: length}
        """,
    "station/reading.yaml": """\
        message: reading
        match: {header.kind: Reading}
        sections:
          body:
            - {name: place, type: u8, unit: rooms, doc: Which room it is.}
            - {name: points_count, type: u8, derive: count(points)}
            - {name: points, type: Point, repeat: {count: points_count}}
            - name: mark
              type: u8
              when: >-
                place != 0 and
                header.kind == Kind.Reading
              doc: Where it was marked.
        examples:
          - name: One point
            hex: 0007 00 01 05 01 0001 0002 09
            decoded: {header: {kind: 1, kind_name: Reading}, place: 5, points: [{x: 1, y: 2}], mark: 9}
        """,
    "shared/library.yaml": """\
        library: shared
        types:
          - name: Point
            doc: A place in the plane.
            fields: [{name: x, type: i16}, {name: y, type: i16}]
        """,
}


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """The protocol on disk, of which nothing is open yet."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")
    return Opened(tmp_path)
