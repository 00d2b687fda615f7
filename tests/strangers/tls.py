"""TLS as OpenSSL and Scapy write it, and as Scapy reads it."""

import ssl
from collections.abc import Iterator
from typing import Any

from scapy.layers.tls.all import TLS, TLSAlert, TLSApplicationData, TLSChangeCipherSpec, TLSClientHello
from scapy.layers.tls.extensions import TLS_Ext_ALPN as Protocols
from scapy.layers.tls.extensions import TLS_Ext_ServerName, TLS_Ext_SupportedGroups
from scapy.layers.tls.extensions import TLS_Ext_SupportedVersion_CH as Versions
from scapy.packet import Packet

from strangers import Capture


def captures() -> Iterator[Capture]:
    """What clients begin with, and what else is not encrypted."""
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        data = _hello(version)
        yield Capture(f"OpenSSL, {version.name}", data, (_read(data),))
    hello = TLSClientHello(gmt_unix_time=5, random_bytes=b"r" * 28, sid=b"", ciphers=[0x000A, 0x002F], ext=[])
    plain = [
        TLS(type=22, version=0x0301, msg=[hello]),
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
    client = context.wrap_bio(ssl.MemoryBIO(), sent, server_hostname="host.example.org")
    try:
        client.do_handshake()
    except ssl.SSLWantReadError:
        return sent.read()
    raise AssertionError("nobody has answered")


def _read(data: bytes) -> dict[str, Any]:
    """What Scapy reads in a record."""
    record = TLS(data)
    (message,) = record.msg
    match message:
        case TLSClientHello():
            own = {"handshake": _client_hello(message)}
        case TLSChangeCipherSpec():
            own = {"change_cipher_spec": {"type": 1}}
        case TLSAlert():
            own = {"alert": {"variant": "plain", "level": message.level, "description": message.descr}}
        case _:
            own = {"application_data": {"encrypted_record": bytes(message)}}
    return {"content_type": record.type, "legacy_record_version": record.version, "length": record.len, **own}


def _client_hello(hello: Packet) -> dict[str, Any]:
    extensions = [_extension(each) for each in hello.ext or ()]
    return {
        "variant": "client_hello",
        "msg_type": 1,
        "msg_length": hello.msglen,
        "legacy_version": hello.version,
        "random": hello.gmt_unix_time.to_bytes(4, "big") + hello.random_bytes,
        "legacy_session_id": hello.sid,
        "cipher_suites": list(hello.ciphers),
        "legacy_compression_methods": bytes(hello.comp),
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
