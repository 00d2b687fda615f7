# bytes: 4949 0100 0200 0003 0400 05
# values: {mark: "4949", body: {a: 1, inner: {b: 2}, big: 3, c: {number: 4}, d: 5}}
meta:
  id: orders
seq:
  - {id: mark, size: 2}
  - {id: body, type: body}
types:
  body:
    meta:
      endian:
        switch-on: _root.mark
        cases:
          '[0x49, 0x49]': le
          _: be
    seq:
      - {id: a, type: u2}
      - {id: inner, type: inner}
      - {id: big, type: u2be}
      - {id: c, type: little}
      - {id: d, type: u1}
    types:
      inner:
        seq:
          - {id: b, type: u2}
  little:
    meta:
      endian: le
    seq:
      - {id: number, type: u2}
