# bytes: 01 02 aabb 0003 07 fefd fcfb 05
# values: {kind: 1, len: 2, data: aabb, amount: 3, number: 7, masked: [{value: "0102"}, {value: "0304"}], group: {factor_value: 3, x: 5, tripled: 15}, shifted: 8, share: 33, meant: 1, meant_name: one, is_one: true, asked: 4}
# names: {masked.value: "r", group.factor_value: "r.factor"}
meta:
  id: guarded
  endian: be
seq:
  - {id: kind, type: u1}
  - {id: len, type: u1, if: kind == 1}
  - {id: data, size: len, if: kind != 2}
  - {id: amount, type: u2}
  - id: number
    type:
      switch-on: kind
      cases:
        1: u1
        2: f4
        3: f8
  - {id: masked, size: 2, process: xor(0xff), repeat: expr, repeat-expr: 2}
  - {id: group, type: group(3)}
instances:
  shifted:
    value: 1 << amount
  share:
    value: 100 / amount
  meant:
    value: kind * 1
    enum: kinds
  is_one:
    value: meant == kinds::one
  asked:
    value: group.factor + 1
types:
  group:
    params:
      - {id: factor, type: u1}
    seq:
      - {id: x, type: u1}
    instances:
      tripled:
        value: x * factor
enums:
  kinds:
    1: one
