# bytes: 8b 4d
# values: {first: {is_long: true, big: 5, is_last: true}, second: {is_long: false, small: 9, tiny: 2, is_last: true}}
meta:
  id: instead
seq:
  - {id: first, type: part}
  - {id: second, type: part}
types:
  part:
    seq:
      - {id: is_long, type: b1}
      - {id: big, type: b6, if: is_long}
      - {id: small, type: b4, if: not is_long}
      - {id: tiny, type: b2, if: not is_long}
      - {id: is_last, type: b1}
