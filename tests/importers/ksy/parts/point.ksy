meta:
  id: point
  endian: le
seq:
  - {id: x, type: u1}
  - {id: y, type: u1}
types:
  axis:
    seq:
      - {id: number, type: u1}
