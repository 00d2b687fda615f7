# bytes: 09 01 02aa 03bbcc
# values: {unit: 9, items: [{value_start: "", value: {size: 1, data: "01"}}, {value_start: "", value: {size: 2, data: 02aa}}, {value_start: "", value: {size: 3, data: 03bbcc}}]}
# names: {items.value: r, items.value_start: ""}
meta:
  id: placed_items
seq:
  - {id: unit, type: u1}
  - {id: items, type: item(_io.pos), repeat: eos}
types:
  item:
    params:
      - {id: place, type: u4}
    seq:
      - {id: data, size: size}
    instances:
      size:
        pos: place
        type: u1
