"""The lab as a server: bound to this machine alone, behind its gate, until it is interrupted."""

import gc
import secrets
import socket
from collections.abc import Callable
from importlib.resources import files

import uvicorn
from fastapi import FastAPI
from nicegui import app, ui

from wireloom_generator.lab.gate import HOST, Gate
from wireloom_generator.lab.page import Page
from wireloom_generator.lab.session import Session


def serve(session: Callable[[], Session], port: int, opened: Callable[[str], None]) -> None:
    """Serve the lab until it is interrupted, with a new ``session`` for each page.

    ``opened`` gets the address once it is known. With port 0, any free one is taken. Raises ``OSError``.
    """
    gc.enable()  # which the compiler has turned off, as it ends soon everywhere else
    listening = socket.create_server((HOST, port))
    port = listening.getsockname()[1]
    token = secrets.token_urlsafe(24)
    pages: dict[str, Page] = {}

    @ui.page("/", title="Wireloom lab", dark=None)
    def lab() -> None:
        page = Page(session())
        page.build()
        for other in pages.values():
            other.retire()
        pages[page.client.id] = page
        page.client.on_delete(lambda: pages.pop(page.client.id).close())

    @app.get("/records/{page}")
    def records(page: str, start: int, stop: int) -> dict[str, object]:
        found = pages.get(page)
        return {"rows": [], "total": 0} if found is None else found.rows(start, stop)

    @app.on_shutdown
    def close() -> None:
        for page in pages.values():
            page.close()

    app.add_static_files("/assets", str(files("wireloom_generator.lab").joinpath("assets")))
    app.add_static_files("/inspection", str(files("wireloom.inspection")))
    outer = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    ui.run_with(outer, mount_path=f"/{token}", tailwind=False, show_welcome_message=False, gzip_middleware_factory=None)
    server = uvicorn.Server(uvicorn.Config(Gate(outer, token, port), log_level="warning", timeout_graceful_shutdown=1))
    opened(f"http://{HOST}:{port}/{token}/")
    with listening:
        server.run(sockets=[listening])
