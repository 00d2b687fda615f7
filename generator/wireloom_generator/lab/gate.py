"""Who is let in: requests to this machine by its own names, whose address begins with a secret of this run."""

import hmac
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

AsgiScope = MutableMapping[str, Any]
AsgiEvent = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[AsgiEvent]]
Send = Callable[[AsgiEvent], Awaitable[None]]
App = Callable[[AsgiScope, Receive, Send], Awaitable[None]]

HOST = "127.0.0.1"


class Gate:
    """An ASGI application in front of another.

    It refuses requests and connections whose path does not begin with the ``token``, or that name another host: a name
    that somebody else lets point to this machine. A page from elsewhere has another origin, and is refused as well.
    Answers forbid the browser to load anything from elsewhere.
    """

    def __init__(self, app: App, token: str, port: int) -> None:
        self.app = app
        self.token = token.encode()
        self.hosts = {f"{name}:{port}".encode() for name in (HOST, "localhost")}
        self.headers = [(name.encode(), value.encode()) for name, value in _headers(port)]

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or self.admits(scope):
            await self.app(scope, receive, self._guarded(send))
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        else:
            said = b"This page needs the whole address that the lab printed.\n"
            headers = [(b"content-type", b"text/plain; charset=utf-8"), *self.headers]
            await send({"type": "http.response.start", "status": 403, "headers": headers})
            await send({"type": "http.response.body", "body": said})

    def admits(self, scope: AsgiScope) -> bool:
        """Whether a request or a connection may pass."""
        first = str(scope["path"]).removeprefix("/").partition("/")[0]
        headers = dict(scope["headers"])
        host, origin = headers.get(b"host", b""), headers.get(b"origin")
        is_ours = host in self.hosts and origin in (None, b"http://" + host)
        return is_ours and hmac.compare_digest(first.encode(), self.token)

    def _guarded(self, send: Send) -> Send:
        async def guarded(event: AsgiEvent) -> None:
            if event["type"] == "http.response.start":
                event["headers"] = [*event.get("headers", ()), *self.headers]
            await send(event)

        return guarded


def _headers(port: int) -> Iterable[tuple[str, str]]:
    policy = {
        "default-src": "'none'",
        "script-src": "'self' 'unsafe-inline' 'unsafe-eval'",  # as the framework's page has scripts in it
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data:",
        "font-src": "'self' data:",
        "connect-src": f"'self' ws://{HOST}:{port} ws://localhost:{port}",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }
    yield "content-security-policy", "; ".join(f"{name} {value}" for name, value in policy.items())
    yield "cross-origin-resource-policy", "same-origin"
    yield "referrer-policy", "no-referrer"
    yield "x-content-type-options", "nosniff"
