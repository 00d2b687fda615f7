# bytes: 0c 01 02 0b 00 0d 00 aabb 00 eeff 11 22
# values: {header: {len: 12, entry: {kind: 1, count: 2, inner: [{kind: 11, count: 0, inner: [], place: 23}, {kind: 13, count: 0, inner: [], place: 25}], place: 13}, last: {more: aabb, sum: 12}}}
meta:
  id: inside
seq:
  - {id: header, type: header}
  - {id: rest_of_it, size-eos: true}
types:
  header:
    seq:
      - {id: len, type: u1}
      - {id: entry, type: entry}
      - {id: last, type: last, size: 2}
    types:
      entry:
        seq:
          - {id: kind, type: u1}
          - {id: count, type: u1}
          - {id: inner, type: entry, repeat: expr, repeat-expr: count}
        instances:
          place:
            value: _root.header.len + kind
      last:
        seq:
          - {id: more, size: 2}
        instances:
          sum:
            value: _root.header.len + 0
