"""A client of the language server, which speaks its protocol to a process of its own."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class LanguageClient:
    """What an editor does: it sends requests and notifications, and waits for answers and for what it is told."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.told: list[dict[str, Any]] = []
        self.count = 0

    def request(self, method: str, **params: Any) -> Any:
        """The result of a request. Raises ``RuntimeError`` with the message of an error."""
        self.count += 1
        self._send({"id": self.count, "method": method, "params": params})
        while "id" not in (answer := self._receive()) or "method" in answer:
            self.told.append(answer)
        if "error" in answer:
            raise RuntimeError(answer["error"]["message"])
        return answer["result"]

    def notify(self, method: str, **params: Any) -> None:
        self._send({"method": method, "params": params})

    def diagnostics(self, path: Path) -> list[dict[str, Any]]:
        """The next problems that are published for a file."""
        while True:
            for told in self.told:
                if told.get("method") == "textDocument/publishDiagnostics" and told["params"]["uri"] == path.as_uri():
                    self.told.remove(told)
                    found: list[dict[str, Any]] = told["params"]["diagnostics"]
                    return found
            self.told.append(self._receive())

    def open(self, path: Path, text: str) -> None:
        document = {"uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": text}
        self.notify("textDocument/didOpen", textDocument=document)

    def change(self, path: Path, text: str) -> None:
        self.count += 1
        document = {"uri": path.as_uri(), "version": self.count}
        self.notify("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(f"Content-Length: {len(data)}\r\n\r\n".encode() + data)
        self.process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.decode().partition(":")
            length = int(value) if name == "Content-Length" else length
        assert length, "the server has ended"
        found: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return found


@contextmanager
def language_client(root: Path) -> Iterator[LanguageClient]:
    """A client of a server that has been initialized for a folder."""
    command = [sys.executable, "-m", "wireloom", "lsp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        client = LanguageClient(process)
        try:
            client.request("initialize", processId=None, rootUri=root.as_uri(), capabilities={})
            client.notify("initialized")
            yield client
            client.request("shutdown")
            client.notify("exit")
        finally:
            process.kill()
