# bytes: 02 05 06 03 aabbcc
# values: {count: 2, start: 5, items: [{head: 6, more: [3, 170, 187, 204]}]}
meta:
  id: shared_rest
seq:
  - {id: count, type: u1}
  - {id: start, type: u1}
  - {id: items, type: item, repeat: expr, repeat-expr: count - 1}
types:
  item:
    seq:
      - {id: head, type: u1}
      - {id: more, type: u1, repeat: eos}
