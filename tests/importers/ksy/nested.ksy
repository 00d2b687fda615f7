# bytes: 02 04 05 aabb cc dd 01
# values: {version: 2, header: {len: 4, first: {sum: 5, body: aabb, double: 14}}, data: {mark: 204, version_too: 206}, tail: {mark: 221, version_too: 223}, tail_unread: "01"}
meta:
  id: nested
  endian: be
seq:
  - {id: version, type: u1}
  - {id: header, type: header(version + 2)}
  - {id: data, type: data}
  - {id: tail, type: data, size: header.len - 2}
types:
  header:
    params:
      - {id: most, type: u1}
    seq:
      - {id: len, type: u1, valid: {max: most}}
      - {id: first, type: inner}
    types:
      inner:
        seq:
          - {id: sum, type: u1, valid: {expr: _ == _parent.len + 1}}
          - {id: body, size: _root.version}
        instances:
          double:
            value: sum * 2 + _parent.most
  data:
    seq:
      - {id: mark, type: u1}
    instances:
      version_too:
        value: _root.version + mark
