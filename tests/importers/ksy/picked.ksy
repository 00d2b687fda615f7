# bytes: 8001 02 0a0b 01 0c
# values: {head: "8001", head_0: 128, head_1: 1, is_set: true, sum: 129, parts: [{len: 2, data: 0a0b, data_1: 11, second: 11}, {len: 1, data: 0c}]}
# names: {head_0: "r.head[0]", head_1: "r.head[1]", parts.data_1: ""}
meta:
  id: picked
seq:
  - {id: head, size: 2}
  - {id: parts, type: part, repeat: eos}
instances:
  is_set:
    value: head[0] & 0x80 != 0
  sum:
    value: head[0] + head[1]
types:
  part:
    seq:
      - {id: len, type: u1}
      - {id: data, size: len}
    instances:
      second:
        value: data[1]
        if: len > 1
