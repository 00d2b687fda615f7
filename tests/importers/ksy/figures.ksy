# bytes: 4e 4d 01 0203 04030201 ff fffe 0102030405060708 3fc00000 0000000000000440
# values: {magic: NM, a: 1, b: 515, c: 16909060, d: -1, e: -2, f: 72623859790382856, g: 1.5, h: 2.5, twice: 1030, is_odd: true, chosen: 17, masked: 10, halves: -1, word: one}
meta:
  id: figures
  endian: be
seq:
  - id: magic
    contents: NM
  - id: a
    type: u1
  - id: b
    type: u2
  - id: c
    type: u4le
  - id: d
    type: s1
    valid: -1
  - id: e
    type: s2
    valid:
      min: -2
      max: 2
  - id: f
    type: u8
  - id: g
    type: f4
  - id: h
    type: f8le
instances:
  twice:
    value: b * 2
  is_odd:
    value: b % 2 == 1 and not (a > 1)
  chosen:
    value: 'is_odd ? a + 0x10 : 0b11'
  masked:
    value: (c & 0xff) << 1 | c >> 24 ^ 3
  halves:
    value: e / 2
  word:
    value: "a == 1 ? 'one' : \"\\u00e9\\n\""
