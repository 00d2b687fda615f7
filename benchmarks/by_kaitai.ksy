# The mutations of benchmarks/specs/mutations for Kaitai Struct's compiler.
meta:
  id: mutations
  endian: be
  encoding: UTF-8
seq:
  - id: frames
    type: mutation
    repeat: eos
types:
  mutation:
    seq:
      - {id: magic, type: u1, valid: 0x80}
      - {id: opcode, type: u1, valid: 0x57}
      - {id: key_length, type: u2}
      - {id: extras_length, type: u1, valid: 31}
      - {id: datatype, type: u1}
      - {id: vbucket, type: u2}
      - {id: total_body_length, type: u4}
      - {id: opaque, type: u4}
      - {id: cas, type: u8}
      - {id: by_seqno, type: u8}
      - {id: rev_seqno, type: u8}
      - {id: flags, type: u4}
      - {id: expiration, type: u4}
      - {id: lock_time, type: u4}
      - {id: metadata_length, type: u2}
      - {id: nru, type: u1}
      - {id: key, type: str, size: key_length}
      - {id: value, size: total_body_length - extras_length - key_length}
