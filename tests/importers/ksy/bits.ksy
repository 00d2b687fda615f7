# bytes: b4 1234 e5 7f01 05 c3 06 ab
# values: {is_on: true, kind: 3, level: 4, high: 1, low: 564, low_first: 5, high_first: 14, ten: 383, six: 0, after: 5, in_two: 3, is_long: true, long: 43, short: null}
# names: {spare_in_two: ""}
meta:
  id: bits
  endian: be
seq:
  - {id: is_on, type: b1}
  - {id: kind, type: b3, enum: kind}
  - {id: level, type: b4}
  - {id: high, type: b4}
  - {id: low, type: b12}
  - {id: low_first, type: b4le}
  - {id: high_first, type: b4le}
  - {id: ten, type: b10le}
  - {id: six, type: b6le}
  - {id: after, type: u1}
  - {id: in_two, type: b2, if: is_on}
  - {id: between, type: u1}
  - {id: is_long, type: b1}
  - {id: long, type: b7, if: is_long}
  - {id: short, type: b7, if: not is_long}
enums:
  kind:
    3: three
