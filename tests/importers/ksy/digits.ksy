# bytes: 31323b 2d3500 37667c 333b aabbcc 4142
# values: {number: 12, minus: -5, from_hex: 127, len: 3, data: aabbcc, twice: 24, raw: "4142", letters: AB, is_ab: true}
meta:
  id: digits
  encoding: ASCII
seq:
  - {id: number_dec, type: str, terminator: 0x3b}
  - {id: minus_dec, type: strz}
  - {id: hex, type: str, terminator: 0x7c}
  - {id: len_dec, type: str, terminator: 0x3b}
  - {id: data, size: len}
  - {id: raw, size: 2}
instances:
  number:
    value: number_dec.to_i
  minus:
    value: minus_dec.to_i
  from_hex:
    value: hex.to_i(16)
  len:
    value: len_dec.to_i
  letters:
    value: raw.to_s('ASCII')
  is_ab:
    value: letters == "AB"
  twice:
    value: number * 2
