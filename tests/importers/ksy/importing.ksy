# bytes: 02 0102 0304 05
# values: {count: 2, points: [{x: 1, y: 2}, {x: 3, y: 4}], axis: {number: 5}}
meta:
  id: importing
  endian: be
  imports:
    - parts/point
seq:
  - {id: count, type: u1}
  - {id: points, type: point, repeat: expr, repeat-expr: count}
  - {id: axis, type: 'point::axis'}
