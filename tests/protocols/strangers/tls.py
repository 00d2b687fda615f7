"""TLS as OpenSSL and Scapy write it, and as Scapy reads it."""

import ssl
from collections.abc import Iterator
from random import Random
from typing import Any

from scapy.layers.tls.all import (
    TLS,
    TLSAlert,
    TLSApplicationData,
    TLSCertificate,
    TLSChangeCipherSpec,
    TLSClientHello,
    TLSServerHello,
    TLSServerHelloDone,
)
from scapy.layers.tls.extensions import TLS_Ext_ALPN as Protocols
from scapy.layers.tls.extensions import TLS_Ext_ServerName, TLS_Ext_SupportedGroups
from scapy.layers.tls.extensions import TLS_Ext_SupportedVersion_CH as Versions
from scapy.packet import Packet

from protocols.strangers import Capture


def captures() -> Iterator[Capture]:
    """What clients and servers begin with, and what else is not encrypted."""
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        data = _hello(version)
        yield Capture(f"OpenSSL, {version.name}", data, (_read(data),))
    for name, data in zip(("server", "client"), _conversation(), strict=True):
        yield Capture(f"OpenSSL, {name}", data, tuple(map(_read, _records(data))))
    hello = TLSClientHello(gmt_unix_time=5, random_bytes=b"r" * 28, sid=b"", ciphers=[0x000A, 0x002F], ext=[])
    answer = TLSServerHello(version=0x0303, gmt_unix_time=5, random_bytes=b"s" * 28, sid=b"abc", cipher=0x002F, ext=[])
    plain = [
        TLS(type=22, version=0x0301, msg=[hello]),
        TLS(type=22, version=0x0303, msg=[answer, TLSCertificate(), TLSServerHelloDone()]),
        TLS(type=20, msg=[TLSChangeCipherSpec()]),
        TLS(type=21, msg=[TLSAlert(level=2, descr=40)]),
        TLS(type=23, msg=[TLSApplicationData(data=b"secret")]),
    ]
    yield Capture("Scapy", b"".join(map(bytes, plain)), tuple(_read(bytes(record)) for record in plain))


def _hello(version: ssl.TLSVersion) -> bytes:
    """The first bytes that an OpenSSL client sends."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.maximum_version = version
    context.set_alpn_protocols(["h2", "http/1.1"])
    sent = ssl.MemoryBIO()
    _go_on(context.wrap_bio(ssl.MemoryBIO(), sent, server_hostname="host.example.org"))
    return sent.read()


def _conversation() -> tuple[bytes, bytes]:
    """What an OpenSSL server and a client send each other until they encrypt it; neither needs a certificate."""
    contexts = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for context in contexts:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        context.set_ciphers("AECDH-AES128-SHA:@SECLEVEL=0")
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = contexts[0].wrap_bio(to_server, to_client, server_side=True)
    client = contexts[1].wrap_bio(to_client, to_server)
    _go_on(client)
    _go_on(server)
    answer = to_client.read()
    to_client.write(answer)
    _go_on(client)
    *plain, _ = _records(to_server.read())
    return answer, b"".join(plain)


def _go_on(side: ssl.SSLObject) -> None:
    """Let it send what it can without an answer."""
    try:
        side.do_handshake()
    except ssl.SSLWantReadError:
        return
    raise AssertionError("nobody has answered")


def _records(data: bytes) -> list[bytes]:
    """The records, by their lengths."""
    found = []
    while data:
        size = 5 + int.from_bytes(data[3:5], "big")
        found.append(data[:size])
        data = data[size:]
    return found


def _read(data: bytes) -> dict[str, Any]:
    """What Scapy reads in a record."""
    record = TLS(data)
    message = record.msg[0]
    match message:
        case TLSChangeCipherSpec():
            own = {"change_cipher_spec": {"type": 1}}
        case TLSAlert():
            own = {"alert": {"variant": "plain", "level": message.level, "description": message.descr}}
        case TLSApplicationData():
            own = {"application_data": {"encrypted_record": bytes(message)}}
        case _:
            own = {"handshake": {"messages": list(map(_handshake, record.msg))}}
    return {"content_type": record.type, "legacy_record_version": record.version, "length": record.len, **own}


def _handshake(message: Packet) -> dict[str, Any]:
    """A handshake message; Scapy leaves those raw that depend on what was agreed on."""
    data = bytes(message)
    match message:
        case TLSClientHello():
            own = {"client_hello": _client_hello(message)}
        case TLSServerHello():
            own = {"server_hello": _server_hello(message)}
        case TLSCertificate():
            own = {"certificates": [certificate.der for _, certificate in message.certs]}
        case _:
            own = {"data": data[4:]}
    return {"msg_type": data[0], "msg_length": int.from_bytes(data[1:4], "big"), **own}


def _client_hello(hello: Packet) -> dict[str, Any]:
    extensions = [_extension(each) for each in hello.ext or ()]
    return {
        "legacy_version": hello.version,
        "random": hello.gmt_unix_time.to_bytes(4, "big") + hello.random_bytes,
        "legacy_session_id": hello.sid,
        "cipher_suites": list(hello.ciphers),
        "legacy_compression_methods": bytes(hello.comp),
        "extension_list": {"extensions_size": hello.extlen, "extensions": extensions} if extensions else None,
    }


def _server_hello(hello: Packet) -> dict[str, Any]:
    extensions = [{"extension_type": each.type, "data": bytes(each)[4:]} for each in hello.ext or ()]
    return {
        "legacy_version": hello.version,
        "random": hello.gmt_unix_time.to_bytes(4, "big") + hello.random_bytes,
        "legacy_session_id_echo": hello.sid,
        "cipher_suite": hello.cipher,
        "legacy_compression_method": hello.comp[0],
        "extension_list": {"extensions_size": hello.extlen, "extensions": extensions} if extensions else None,
    }


def _extension(extension: Packet) -> dict[str, Any]:
    found: dict[str, Any] = {"extension_type": extension.type, "extension_size": extension.len or 0}
    match extension:
        case TLS_Ext_ServerName(servernames=names):
            found["server_names"] = [{"name_type": 0, "host_name": name.servername.decode()} for name in names]
        case TLS_Ext_SupportedGroups(groups=groups):
            found["named_groups"] = list(groups)
        case Protocols(protocols=names):
            found["protocol_names"] = [name.protocol.decode() for name in names]
        case Versions(versions=versions):
            found["supported_versions"] = list(versions)
    return found


NAMES = ("a.example", "xn--grn-hoa.example.org", None)
GROUPS = ("prime256v1", "secp384r1", "X25519")


def varied(random: Random) -> Iterator[Capture]:
    """Records of clients of many settings, of conversations in one record or in pieces as small as a byte, alerts, and
    what is encrypted.
    """
    while True:
        match random.randrange(4):
            case 0:
                data = _any_hello(random)
                yield Capture("hello", data, (_read(data),))
            case 1:
                handshake = random.choice((_any_hello(random), *_conversation()))
                parts = _records(_pieces(random, b"".join(record[5:] for record in _records(handshake))))
                yield Capture(
                    "pieces", b"".join(parts), tuple({"length": len(part) - 5, "content_type": 22} for part in parts)
                )
            case 2:
                alert = bytes(
                    TLS(
                        type=21,
                        version=random.choice((0x0301, 0x0303)),
                        msg=[TLSAlert(level=random.choice((1, 2)), descr=random.randrange(121))],
                    )
                )
                yield Capture("alert", alert, (_read(alert),))
            case _:
                kind, size = random.choice((20, 21, 23)), random.choice((1, 2, 40, 16384 + 2048))
                content = b"\1" if kind == 20 else random.randbytes(size)
                record = bytes([kind]) + b"\3\3" + len(content).to_bytes(2, "big") + content
                yield Capture("encrypted", record, ({"content_type": kind, "length": len(content)},))


def _pieces(random: Random, messages: bytes) -> bytes:
    """Messages in records of at most so many bytes each."""
    size = random.choice((1, 2, 3, 64, 1000, 16384))
    parts = [messages[at : at + size] for at in range(0, len(messages), size)]
    return b"".join(b"\x16\3\1" + len(part).to_bytes(2, "big") + part for part in parts)


def _any_hello(random: Random) -> bytes:
    """The first bytes that an OpenSSL client of some settings sends."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.maximum_version = random.choice((ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3))
    context.set_ciphers(random.choice(("ALL:@SECLEVEL=0", "ECDHE+AESGCM", "HIGH", "AES128-SHA")))
    context.options |= random.choice((0, ssl.OP_NO_TICKET))
    if random.random() < 0.5:
        context.set_alpn_protocols(random.sample(["h2", "http/1.1", "x" * 255, "mqtt"], 2))
    if random.random() < 0.5:
        context.set_ecdh_curve(random.choice(GROUPS))
    sent = ssl.MemoryBIO()
    _go_on(context.wrap_bio(ssl.MemoryBIO(), sent, server_hostname=random.choice(NAMES)))
    return sent.read()
