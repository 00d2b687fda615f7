# bytes: 01 02 03 04
# values: {flag: 1, one: {a: 2}, other: {a: 3}, twice: 4, behind: 4}
meta:
  id: chosen
seq:
  - {id: flag, type: u1}
  - {id: one, type: part}
  - {id: other, type: part}
  - {id: behind, type: u1}
instances:
  either:
    value: 'flag == 1 ? one : other'
  twice:
    value: either.a * 2
types:
  part:
    seq:
      - {id: a, type: u1}
