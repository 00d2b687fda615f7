# bytes: 02 00 01 00 07
# values: {top: {count: 2, inner: [{count: 0, inner: []}, {count: 1, inner: [{count: 0, inner: []}]}]}, end: 7}
meta:
  id: trees
seq:
  - {id: top, type: node}
  - {id: end, type: u1}
types:
  node:
    seq:
      - {id: count, type: u1}
      - {id: inner, type: node, repeat: expr, repeat-expr: count}
