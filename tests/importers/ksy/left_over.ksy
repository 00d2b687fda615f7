# bytes: 05 06 02 07 08 ff 09 0a ee 0b 0c dd
# values: {plain: {a: 5, b: 6}, count: 2, listed: [{value: {a: 7, b: 8}, value_unread: ff}, {value: {a: 9, b: 10}, value_unread: ee}], placed: {value: {a: 5, b: 6}, value_unread: "02"}, behind: {a: 11, b: 12}, sum: 25}
# names: {listed.value: r, placed.value: r, listed.value_unread: "", placed.value_unread: ""}
meta:
  id: left_over
seq:
  - {id: plain, type: pair}
  - {id: count, type: u1}
  - {id: listed, type: pair, size: 3, repeat: expr, repeat-expr: count}
instances:
  placed:
    pos: 0
    size: 3
    type: pair
  behind:
    pos: 9
    size-eos: true
    type: pair
  sum:
    value: placed.a + listed[1].a + behind.a
types:
  pair:
    seq:
      - {id: a, type: u1}
      - {id: b, type: u1}
