# bytes: 616263 64 00 650000 667878 02 6768 6900 6a3b 6b6c3b 6d20 e9 007a
# values: {fixed: abc, zero: d, early: e, garbage: f, len: 2, counted: gh, list: [i], raw: 6a, kept: "6b6c3b", padded: m, latin: é, wide: z, how_many: 3}
# names: {early_bytes: "", garbage_bytes: ""}
meta:
  id: strings
  encoding: ASCII
seq:
  - {id: fixed, type: str, size: 3}
  - {id: zero, type: strz}
  - {id: early, type: strz, size: 3}
  - {id: garbage, type: str, size: 3, terminator: 0x78}
  - {id: len, type: u1}
  - {id: counted, type: str, size: len}
  - {id: list, type: strz, repeat: expr, repeat-expr: len - 1}
  - {id: raw, terminator: 0x3b}
  - {id: kept, terminator: 0x3b, include: true}
  - {id: padded, type: str, size: 2, pad-right: 0x20}
  - {id: latin, type: str, size: 1, encoding: ISO-8859-1}
  - {id: wide, type: str, size-eos: true, encoding: UTF-16BE}
instances:
  how_many:
    value: list.size + counted.length
