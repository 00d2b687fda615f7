# bytes: 83 07 aabb 02 6100 cc 01 6200 01 6300
# values: {has_more: true, kind: 3, more: 7, save_body: null, ofs_body: 2, first_of_body: 170, is_behind: false, chunks: [{save_start_start: "", len: 2, name: a, padding: cc, start: 4, again: 2}, {save_start_start: "", len: 1, name: b, padding: "", start: 8, again: 1}, {save_start_start: "", len: 1, name: c, padding: "", start: 11, again: 1}]}
# names: {has_more_start: "", save_body_start: "", chunks.save_start_start: ""}
meta:
  id: marks
seq:
  - {id: has_more, type: b1}
  - {id: kind, type: b7}
  - {id: more, type: u1, if: has_more}
  - {id: save_body, size: 0, if: ofs_body < 0 or is_behind}
  - {id: body, size: 2}
  - {id: chunks, type: chunk, repeat: eos}
instances:
  ofs_body:
    value: _io.pos
  is_behind:
    value: _io.eof
  first_of_body:
    pos: ofs_body
    type: u1
types:
  chunk:
    seq:
      - {id: save_start, size: 0, if: start < 0}
      - {id: len, type: u1}
      - {id: name, type: strz, encoding: ASCII}
      - {id: padding, size: len - name.length}
    instances:
      start:
        value: _io.pos
      again:
        pos: start
        type: u1
