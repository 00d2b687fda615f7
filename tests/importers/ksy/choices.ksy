# bytes: 01 03 0a0b0c 02 02 6162 03 01 63 05 0200 feff 07
# values: {kind: 5, last: 2, other: -2, end: 7, packets: [{kind: 1, kind_name: point, len: 3, point: {x: 10, y: 11, unread: "0c"}}, {kind: 2, kind_name: note, len: 2, note: {text: ab}}, {kind: 3, len: 1, body: "63"}]}
# names: {packets.point: "r.body", packets.note: "r.body", packets.body: "r.body"}
meta:
  id: choices
  endian: le
  encoding: ASCII
seq:
  - {id: packets, type: packet, repeat: expr, repeat-expr: 3}
  - {id: kind, type: u1}
  - id: last
    type:
      switch-on: kind
      cases:
        4: u1
        5: u2
  - id: other
    type:
      switch-on: kind + 1
      cases:
        6: s2
  - {id: end, type: u1}
types:
  packet:
    seq:
      - {id: kind, type: u1, enum: kind}
      - {id: len, type: u1}
      - id: body
        size: len
        type:
          switch-on: kind
          cases:
            kind::point: point
            kind::note: note
  point:
    seq:
      - {id: x, type: u1}
      - {id: y, type: u1}
  note:
    seq:
      - {id: text, type: str, size-eos: true}
enums:
  kind:
    1: point
    2: note
