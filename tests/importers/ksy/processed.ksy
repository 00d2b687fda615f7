# bytes: 03 3b3a39 5f 0b 0c 789c4b4c4a0600024d0127 2c 20 744040
# values: {masked: "616063", key: 95, turned: "03", packed: "616263", by_key: "73", turned_left: "01", padded: "61"}
# names: {packed_packed: "", inner_packed: ""}
meta:
  id: processed
seq:
  - {id: len, type: u1}
  - {id: masked, size: len, process: xor(0x5a)}
  - {id: key, type: u1}
  - {id: len_packed, type: u1}
  - {id: turned, size: 1, process: ror(2)}
  - {id: packed, size: len_packed, process: zlib}
  - {id: by_key, size: 1, process: xor(key)}
  - {id: turned_left, size: 1, process: rol(3)}
  - {id: padded, size: 3, pad-right: 0x40, process: xor(0x15)} # the padding goes first
