# bytes: 303032 2d31 aabb 07 00
# values: {head: {num: "002", num_number: 2}, change: "-1", change_number: -1, data: aabb, more: 7, is_empty: true}
# names: {head.num_number: "", change_number: ""}
meta:
  id: counted
  encoding: ASCII
seq:
  - {id: head, type: head}
  - {id: change, type: str, size: 2}
  - {id: data, size: head.num.to_i}
  - {id: more, type: u1, if: change.to_i < 0}
  - {id: name, type: strz}
instances:
  is_empty:
    value: name.length == 0
types:
  head:
    seq:
      - {id: num, type: str, size: 3}
