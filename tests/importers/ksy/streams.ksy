# bytes: 07 01 03 0a 0b 0c
# values: {head: 7, box: {first: 1, unread: 030a0b0c}, view: {ofs: 3, start: 1, there: 11, all: 5, save_start: ""}}
# names: {view.save_start: "", box.unread: ""}
meta:
  id: streams
seq:
  - {id: head, type: u1}
  - {id: box, type: box, size: 5}
instances:
  view:
    io: box._io
    pos: 1
    type: view
types:
  box:
    seq:
      - {id: first, type: u1}
  view:
    seq:
      - {id: save, size: 0, if: start < 0}
      - {id: ofs, type: u1}
    instances:
      start:
        value: _io.pos
      there:
        pos: ofs
        type: u1
      all:
        value: _io.size
