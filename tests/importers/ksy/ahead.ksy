# bytes: 02 0e0f11 02 0002 ffff 04 61006200 aabbcc
# values: {count: 2, parts: [{ofs: 14, ofs_of_next: 15, body: aa}, {ofs: 15, ofs_of_next: 17, body: bbcc}, {ofs: 17, ofs_of_next: 2}], table: {num: 2, entries: [{ofs_name: 0, name: a}, {ofs_name: 2, name: b}], filler: ffff, len: 4, names: {data: "61006200"}}}
# names: {parts.ofs_of_next: ""}
meta:
  id: ahead
seq:
  - {id: count, type: u1}
  - {id: parts, type: part(_index), repeat: expr, repeat-expr: count + 1}
  - {id: table, type: table}
types:
  part:
    params:
      - {id: idx, type: u4}
    seq:
      - {id: ofs, type: u1}
    instances:
      body:
        pos: ofs
        size: _parent.parts[idx + 1].ofs - ofs
        if: idx < _parent.count
  table:
    seq:
      - {id: num, type: u1}
      - {id: entries, type: entry, repeat: expr, repeat-expr: num}
      - {id: filler, size: num}
      - {id: len, type: u1}
      - {id: names, type: area, size: len}
  area:
    seq:
      - {id: data, size-eos: true}
  entry:
    seq:
      - {id: ofs_name, type: u1}
    instances:
      name:
        io: _parent.names._io
        pos: ofs_name
        type: strz
        encoding: ASCII
