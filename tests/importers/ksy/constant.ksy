# bytes: 05 7a
# values: {a: 5, name: ab-cd, size: 5, second: b, half: 0.25, places: 3, plain: AB, word: two, number: -72, biggest: 200, is_long: true, letter: z, is_z: true}
meta:
  id: constant
seq:
  - {id: a, type: u1}
  - {id: letter, type: str, size: 1, encoding: ASCII}
instances:
  name:
    value: '"ab" + "-" + "cd"'
  size:
    value: name.length
  second:
    value: name.substring(1, 2)
  half:
    value: 0.5 * 0.5
  places:
    value: '[3, 200][0]'
  plain:
    value: '[0x41, 0x42].to_s("ASCII")'
  word:
    value: 'true ? "two" : "one"'
  number:
    value: '"-072".to_i'
  biggest:
    value: '[3, 200].max'
  is_long:
    value: size > 4
  is_z:
    value: letter == "abcz".reverse.substring(0, 1)
