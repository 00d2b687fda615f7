# bytes: 04 02 09 00 aabb 0102 11 22 03 05
# values: {pair: aabb, list: [34, 3], last: 5, in_box: 2, box: {first: 170, second: 187, absolute: 4, unread: bb0102}}
meta:
  id: places
  endian: be
seq:
  - {id: ofs_pair, type: u1}
  - {id: len_pair, type: u1}
  - {id: ofs_list, type: u1}
  - {id: filler, type: u1}
  - {id: box, type: box, size: 4}
instances:
  pair:
    pos: ofs_pair
    size: len_pair
  list:
    pos: ofs_list
    type: u1
    repeat: expr
    repeat-expr: 2
  last:
    pos: _io.size - 1
    type: u1
  in_box:
    io: box._io
    pos: 3
    type: u1
types:
  box:
    seq:
      - {id: first, type: u1}
    instances:
      second:
        pos: 1
        type: u1
      absolute:
        io: _root._io
        pos: 0
        type: u1
