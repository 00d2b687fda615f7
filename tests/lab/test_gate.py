"""Who is let in to the page."""

import asyncio
from typing import Any

import pytest

from wireloom_generator.lab.gate import AsgiEvent, AsgiScope, Gate, Receive, Send

HOST = (b"host", b"127.0.0.1:8000")


async def _app(scope: AsgiScope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})


def _asked(kind: str, path: str, *headers: tuple[bytes, bytes]) -> list[dict[str, Any]]:
    """The answer to a request or a connection."""
    sent: list[dict[str, Any]] = []

    async def send(event: AsgiEvent) -> None:
        sent.append(dict(event))

    async def receive() -> AsgiEvent:
        return {"type": f"{kind}.connect"}

    scope: AsgiScope = {"type": kind, "path": path, "headers": list(headers)}
    asyncio.run(Gate(_app, "secret", 8000)(scope, receive, send))
    return sent


@pytest.mark.parametrize("path", ["/", "/secre", "/secrets", "/other/secret/", "//secret/", "/%73ecret/"])
def test_an_address_without_the_token_is_forbidden(path: str) -> None:
    assert _asked("http", path, HOST)[0]["status"] == 403


@pytest.mark.parametrize("path", ["/secret", "/secret/", "/secret/assets/lab.js"])
def test_an_address_with_the_token_is_not(path: str) -> None:
    assert _asked("http", path, HOST)[0]["status"] == 200


@pytest.mark.parametrize(
    "host", [b"evil.example:8000", b"127.0.0.1", b"127.0.0.1:8001", b"127.0.0.1.evil.example:8000", b""]
)
def test_another_host_is_forbidden(host: bytes) -> None:
    assert _asked("http", "/secret/", (b"host", host))[0]["status"] == 403


def test_this_machine_has_two_names() -> None:
    assert _asked("http", "/secret/", (b"host", b"localhost:8000"))[0]["status"] == 200


def test_pages_from_elsewhere_are_forbidden() -> None:
    assert _asked("http", "/secret/", HOST, (b"origin", b"http://evil.example"))[0]["status"] == 403
    assert _asked("http", "/secret/", HOST, (b"origin", b"http://127.0.0.1:8000"))[0]["status"] == 200


def test_a_connection_without_the_token_is_closed() -> None:
    path = "/_nicegui_ws/socket.io/"
    assert _asked("websocket", path, HOST) == [{"type": "websocket.close", "code": 1008}]
    assert _asked("websocket", f"/secret{path}", HOST, (b"origin", b"http://evil.example"))[0]["code"] == 1008
    assert _asked("websocket", f"/secret{path}", HOST)[0]["status"] == 200


def test_answers_let_nothing_come_from_elsewhere() -> None:
    headers = dict(_asked("http", "/secret/", HOST)[0]["headers"])
    assert headers[b"content-security-policy"].startswith(b"default-src 'none';")
    assert b"http:" not in headers[b"content-security-policy"]
    assert headers[b"referrer-policy"] == b"no-referrer"
