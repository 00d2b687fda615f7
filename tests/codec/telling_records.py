"""Records that tell parameters of those behind them, and some that do not."""


def record(kind: int, body: bytes) -> bytes:
    return bytes([0x5A, kind, len(body)]) + body


def hello(*features: int) -> bytes:
    return record(1, bytes(features))


def settings(sign: int) -> bytes:
    return record(2, bytes([sign]))


NARROW, WIDE = record(3, bytes.fromhex("0005 ff")), record(3, bytes.fromhex("00000006 ff"))
NOTE = record(4, b"as it was said")
REFUSED = record(1, b"")
