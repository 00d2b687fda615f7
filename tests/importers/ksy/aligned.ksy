# bytes: 02 02 6162 07 000000 01 63 0000 09 000000 05
# values: {count: 2, blocks: [{len: 2, name: ab, more: 7, padding: "000000"}, {len: 1, name: c, padding: "0000"}], mark: 9, pad: {filler: "000000"}, end: 5}
meta:
  id: aligned
  encoding: ASCII
seq:
  - {id: count, type: u1}
  - {id: blocks, type: block, repeat: expr, repeat-expr: count}
  - {id: mark, type: u1}
  - {id: pad, type: padding}
  - {id: end, type: u1}
types:
  block:
    seq:
      - {id: len, type: u1}
      - {id: name, type: str, size: len}
      - {id: more, type: u1, if: len > 1}
      - {id: padding, size: (4 - _io.pos) % 4}
  padding:
    seq:
      - {id: filler, size: (4 - _io.pos) % 4}
