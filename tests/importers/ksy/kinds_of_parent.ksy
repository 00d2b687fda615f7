# bytes: 02 01 02 05 0006
# values: {frame: {count: 2, kinds: [1, 2], row: {cells: [{cells: 5}, {cells: 6}]}}}
# names: {frame.row.cells.cells: r}
meta:
  id: kinds_of_parent
  endian: be
seq:
  - {id: frame, type: frame}
types:
  frame:
    seq:
      - {id: count, type: u1}
      - {id: kinds, type: u1, repeat: expr, repeat-expr: count}
      - {id: row, type: row}
  row:
    seq:
      - id: cells
        type:
          switch-on: _parent.kinds[_index]
          cases:
            1: u1
            2: u2
        repeat: expr
        repeat-expr: _parent.count
