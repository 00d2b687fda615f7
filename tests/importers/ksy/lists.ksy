# bytes: 03 010203 02 6100 6200 05 06 00 02 0a 0b 00 07 ff 08 09 0c
# values: {count: 3, bytes: [1, 2, 3], words: [a, b], numbers: [{value: 5}, {value: 6}, {value: 0}], kinds: [{value: 2, value_name: two}], items: [{tag: 10, value: 11}, {tag: 0, value: 7}], more: [{tag: 255, value: 8}, {tag: 9, value: 12}], last_value: 3, first_word: a, second: 13}
# names: {numbers.value: "r", kinds.value: "r"}
meta:
  id: lists
  encoding: UTF-8
seq:
  - {id: count, type: u1}
  - {id: bytes, type: u1, repeat: expr, repeat-expr: count}
  - {id: len_words, type: u1}
  - {id: words, type: strz, repeat: expr, repeat-expr: len_words}
  - {id: numbers, type: u1, repeat: until, repeat-until: _ == 0}
  - {id: kinds, type: u1, enum: kind, repeat: expr, repeat-expr: 1}
  - {id: items, type: item, repeat: until, repeat-until: _.tag == 0}
  - {id: more, type: item, repeat: eos}
instances:
  last_value:
    value: bytes.last
  first_word:
    value: words.first
  second:
    value: bytes[1] + items[0].value
types:
  item:
    seq:
      - {id: tag, type: u1}
      - {id: value, type: u1}
enums:
  kind:
    2: two
