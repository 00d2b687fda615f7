"""Messages of HTTP/1.1 that one end of a connection sends, parsed from its bytes as they arrive (RFC 9112)."""

import re
from typing import Literal, NamedTuple

LINE = 1 << 16
"""The most bytes of a line, and of a head, as in ``http.client``."""
_FIELDS = 100
"""The most fields of a head, as in ``http.client``."""

_METHOD, _TARGET = rb"[A-Z][A-Z-]{2,19}", rb"[!-\xff]{1,8000}"
_REQUEST = re.compile(_METHOD + b" " + _TARGET + rb" HTTP/1\.[01]\r?\n")
_RESPONSE = re.compile(rb"HTTP/1\.[01] [1-5][0-9]{2}(?: [^\r\n]{0,200}+)?\r?\n")
_CHUNK = rb"\r\n[0-9A-Fa-f]{1,16}[ \t]*(?:;[^\r\n]{0,999})?\r\n"
_SIZE = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\n]*)?\r?\n")
_FIELD = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*:[^\n]*")
_FOLDED = re.compile(rb"[ \t][^\n]*")
"""A line that continues the field before it."""
_END = re.compile(rb"\n\r?\n")
_VERSION = b"HTTP/1."
_BODILESS = re.compile(rb"HTTP/\S+ (?:1\d\d|204|304)\b")
"""The first line of a response that never has a body."""
_HTTP_ITSELF = ("message/http", "application/http")
"""Types of bodies that may begin as a response does."""


_LINES = {False: _REQUEST, True: _RESPONSE}
_LINE_BEGINS = {
    False: re.compile(
        rb"[A-Z][A-Z-]{0,19}\Z|" + _METHOD + rb" (?:" + _TARGET + rb"(?: (?:H|HT|HTT|HTTP|HTTP/[01.]{0,3}\r?))?)?\Z"
    ),
    True: re.compile(rb"(?:H|HT|HTT|HTTP|HTTP/|HTTP/1)\Z|HTTP/1\.[^\r\n]*\r?\Z"),
}
"""The possible beginnings of a first line, by whether it is a server's."""
_CHUNK_BEGINS = re.compile(rb"\r(?:\n(?:[0-9A-Fa-f]{1,16}[ \t]*(?:;[^\r\n]{0,999})?\r?)?)?\Z")
_NEXT = {
    (of_server, in_chunks): re.compile(line.pattern + (b"|" + _CHUNK if in_chunks else b""))
    for of_server, line in _LINES.items()
    for in_chunks in (False, True)
}
_NEAR = 4096
"""So much of a line is waited for where it is not known whether it is one."""


class MessageHead(NamedTuple):
    """The head of a message: its first line, and its fields, whose names are in lower case."""

    line: bytes
    fields: dict[str, str]


class BodyData(NamedTuple):
    """Bytes of a body, and where they begin among all that the end sends."""

    begin: int
    data: memoryview


class BodyEnd(NamedTuple):
    """A body ends."""


class _FieldError(ValueError):
    """No head begins there, because the line at ``at`` is not a field."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.at = at


class HeadError(ValueError):
    """A message that cannot be parsed, with the wrong bytes and where they begin."""

    def __init__(self, reason: str, begin: int, data: bytes) -> None:
        super().__init__(reason)
        self.begin = begin
        self.data = data


MessageState = Literal["start", "fixed", "open", "size", "chunk", "chunk end", "trailers", "lost"]


class Messages:
    """The messages of a server, or of a client. Bytes are put in, and ``next`` takes out complete events.

    If the body of a response begins with another response, there is no body: the request was HEAD. If no message
    begins, the bytes are data up to the next head. ``bare`` chunked bodies may also begin where a response could.
    """

    __slots__ = ("at", "bare", "buffer", "fresh", "in_chunks", "left", "of_server", "position", "state")

    def __init__(self, *, of_server: bool, lost: bool = False, bare: bool = False) -> None:
        self.of_server = of_server
        self.bare = bare
        self.buffer = b""
        self.position = 0
        """Where the buffer begins among all that the end sends."""
        self.at = 0
        """Where in the buffer the next event begins."""
        self.state: MessageState = "lost" if lost else "start"
        self.left = 0
        """How many bytes of a body, or of a chunk, are still to come."""
        self.in_chunks = lost
        """Whether the next chunk of a body may be found where the way was lost."""
        self.fresh = False
        """Whether a body of a server begins, which may turn out to be none."""

    def put(self, data: bytes, position: int = 0) -> None:
        """Take more bytes. Those that follow nothing that is waiting begin at ``position``."""
        rest = self.buffer[self.at :]
        self.buffer, self.position, self.at = rest + data, self.position + self.at if rest else position, 0

    def next(self, *, final: bool = False) -> MessageHead | BodyData | BodyEnd | None:
        """What comes next, or None without enough bytes. Bytes that may be part of a head are data where they are the
        ``final`` ones.

        Raises ``HeadError``, after which the way is lost.
        """
        while True:
            before = self.state, self.at
            try:
                found = self._next(final=final)
            except ValueError as error:
                raise self._broken(str(error)) from None
            if found is not None or before == (self.state, self.at):
                return found

    def lose(self, missing: int | None) -> bool:
        """Go on after a gap of so many bytes, or of as many as nobody knows: whether what follows is of this body."""
        is_inside = missing is not None and self.state in ("fixed", "chunk") and missing <= self.left
        goes_on = (is_inside or self.state == "open") and not self.fresh
        if not goes_on:
            self.in_chunks = self.state not in ("start", "fixed", "open") and (self.state != "lost" or self.in_chunks)
            self.state = "lost"
        self.left -= (missing or 0) if is_inside else 0
        self.buffer, self.at, self.fresh = b"", 0, False
        return goes_on

    def _next(self, *, final: bool) -> MessageHead | BodyData | BodyEnd | None:
        if self.fresh and (found := self._refuted(final=final)) is not False:
            return found
        match self.state:
            case "start":
                return self._start()
            case "fixed" | "chunk" | "open":
                return self._body()
            case "lost":
                return self._lost(final=final)
            case _:
                return self._line()

    def _refuted(self, *, final: bool) -> BodyEnd | Literal[False] | None:
        """The end of a body of which the next response shows that it is none; None where nobody knows yet."""
        first = self.buffer[self.at : self.at + len(_VERSION)]
        if not _VERSION.startswith(first):
            self.fresh = False
            return False
        if len(first) < len(_VERSION):
            self.fresh = not (first and final)
            return None if self.fresh else False
        self.state, self.fresh = "start", False
        return BodyEnd()

    def _start(self) -> MessageHead | None:
        """The head of a message."""
        while not self.bare and self.buffer[self.at : self.at + 1] in (b"\r", b"\n"):
            self.at += 1
        if self.at == len(self.buffer):
            return None
        if not self._may_begin(self.at):
            self.state, self.in_chunks = "size" if self.bare else "lost", False
            return None
        if (found := self._head_at(self.at)) is None:
            return None
        head, stop = found
        self.state, self.left = self._framing(head)
        kind = head.fields.get("content-type", "").lower()
        self.fresh = self.of_server and self.state != "start" and not kind.startswith(_HTTP_ITSELF)
        self.at = stop
        return head

    def _may_begin(self, at: int) -> bool:
        """Whether a first line begins there, as far as it has arrived."""
        line = self.buffer[at : self.buffer.find(b"\n", at) + 1 or at + LINE]
        pattern = _LINES if line.endswith(b"\n") else _LINE_BEGINS
        return bool(pattern[self.of_server].match(line))

    def _head_at(self, at: int) -> tuple[MessageHead, int] | None:
        """The head that begins there, and where it ends; None if that is not known yet. Raises ``_FieldError``."""
        lines: list[bytes] = []
        begin = at
        while stop := self.buffer.find(b"\n", begin, at + LINE) + 1:
            line = self.buffer[begin:stop].rstrip(b"\r\n")
            if lines and not line:
                return MessageHead(lines[0], _fields(lines[1:])), stop
            if lines and not (_FIELD.fullmatch(line) or (_FOLDED.fullmatch(line) and len(lines) > 1)):
                raise _FieldError(f"a field of a head expected, found {line[:20]!r}", begin)
            if len(lines) > _FIELDS:
                raise _FieldError(f"a head of at most {_FIELDS} fields expected", begin)
            lines.append(line)
            begin = stop
        if len(self.buffer) - at > LINE:
            first = self.buffer[at : at + 20]
            raise _FieldError(f"a head of at most {LINE} bytes expected, found {first!r} and more", begin)
        return None

    def _framing(self, head: MessageHead) -> tuple[MessageState, int]:
        """Where the bytes of a body are (RFC 9112, 6.3)."""
        line, fields = head
        length, coding = fields.get("content-length"), fields.get("transfer-encoding", "").lower()
        if self.of_server and _BODILESS.match(line):
            return ("open" if line[9:12] == b"101" else "start"), 0
        if coding == "chunked":
            return "size", 0
        if coding not in ("", "identity"):
            raise ValueError(f"a body in chunks alone expected, found Transfer-Encoding: {coding}")
        if length is None:
            return ("open" if self.of_server else "start"), 0
        size, *others = {each.strip() for each in length.split(",")}  # one that came twice is one (RFC 9110, 8.6)
        if others or not re.fullmatch("[0-9]{1,20}", size):
            raise ValueError(f"the length of a body expected, found Content-Length: {length[:20]}")
        return ("fixed" if int(size) else "start"), int(size)

    def _body(self) -> BodyData | BodyEnd | None:
        """Bytes of a body, or its end."""
        if self.state != "open" and not self.left:
            self.state = "start" if self.state == "fixed" else "chunk end"
            return BodyEnd() if self.state == "start" else None
        size = len(self.buffer) - self.at
        return self._data(size if self.state == "open" else min(self.left, size))

    def _data(self, size: int) -> BodyData | None:
        """The next bytes as data."""
        if not size:
            return None
        found = BodyData(self.position + self.at, memoryview(self.buffer)[self.at : self.at + size])
        self.at += size
        self.left = max(0, self.left - size)
        return found

    def _line(self) -> BodyEnd | None:
        """Reads a line between chunks. Raises ``ValueError``."""
        stop = self.buffer.find(b"\n", self.at, self.at + LINE) + 1
        line = self.buffer[self.at : stop or self.at + LINE]
        if not stop and len(line) == LINE:
            raise ValueError(f"a line of at most {LINE} bytes expected, found {line[:20]!r} and more")
        if self.state == "size":
            size = _SIZE.match(line if stop else line.removesuffix(b"\r") + b"\n")
            if line and not size and line != b"\r":
                raise ValueError(f"the size of a chunk expected, found {line[:20]!r}")
            if stop and size:
                self.left = int(size[1], 16)
                self.state = "chunk" if self.left else "trailers"
        elif self.state == "chunk end":
            if line not in (b"\r\n", b"\n", b"\r", b""):
                raise ValueError(f"the end of a chunk expected, found {line[:20]!r}")
            self.state = "size" if stop else "chunk end"
        elif stop and not line.strip():
            self.state, self.at = "start", stop
            return BodyEnd()
        if stop:
            self.at = stop
        return None

    def _lost(self, *, final: bool) -> BodyData | BodyEnd | None:
        """Bytes up to the next message or chunk; before a message, the end of the body."""
        size = len(self.buffer) if final else self._certain()
        at = self._found(self.at)
        if at is not None and not (final and self._head_ends(at) is None):
            size = at
        if size > self.at:
            return self._data(size - self.at)
        if at is None or at > self.at:
            return None
        if self.buffer[at : at + 1] == b"\r":
            self.state, self.at = "size", at + 2
            return None
        if self._head_ends(at) is None:
            return None
        self.state = "start"
        return BodyEnd()

    def _found(self, at: int) -> int | None:
        """Where the next chunk begins, or the next message, as far as its head is there."""
        while found := _NEXT[self.of_server, self.in_chunks].search(self.buffer, at):
            try:
                self._head_ends(found.start())
            except _FieldError as error:
                at = error.at  # anything that begins before that contains this line as well
            else:
                return found.start()
        return None

    def _head_ends(self, at: int) -> int | None:
        """Where the head, or the first line of the chunk, ends that begins there; as ``_head_at``."""
        if self.buffer[at : at + 1] == b"\r":
            return self.buffer.index(b"\n", at + 2)
        if (found := self._head_at(at)) is None:
            return None
        head, stop = found
        try:
            self._framing(head)
        except ValueError as error:
            raise _FieldError(str(error), stop) from None
        return stop

    def _certain(self) -> int:
        """Up to where the buffer has no beginning of a first line, or of a chunk."""
        near = max(self.at, len(self.buffer) - _NEAR)
        line = _LINE_BEGINS[self.of_server].search(self.buffer, max(near, self.buffer.rfind(b"\n", near) + 1))
        chunk = _CHUNK_BEGINS.search(self.buffer, near) if self.in_chunks else None
        return min((each.start() for each in (line, chunk) if each), default=len(self.buffer))

    def _broken(self, reason: str) -> HeadError:
        """What is wrong with the next line, or with the next head, from whose end on the way is lost."""
        end = _END.search(self.buffer, self.at, self.at + LINE) if self.state == "start" else None
        line = self.buffer.find(b"\n", self.at, self.at + LINE) + 1
        stop = end.end() if end else line if line and self.state != "start" else min(len(self.buffer), self.at + LINE)
        error = HeadError(reason, self.position + self.at, self.buffer[self.at : stop])
        self.in_chunks = self.state != "start"
        self.at, self.state, self.fresh = stop, "lost", False
        return error


def begins(first: bytes) -> bool | None:
    """Whether a server begins with these bytes, or a client; None if they are not HTTP."""
    line = first[: first.find(b"\n") + 1 or LINE]
    for of_server, least in ((True, len("HTTP/1.1 2")), (False, len("GET /"))):
        known = _LINES if line.endswith(b"\n") else _LINE_BEGINS
        if len(line) >= least and known[of_server].match(line):
            return of_server
    return None


def _fields(lines: list[bytes]) -> dict[str, str]:
    """The fields of a head, by their names in lower case."""
    found: dict[str, str] = {}
    name = ""
    for line in lines:
        text = line.decode("latin-1")
        if line[:1] in (b" ", b"\t"):
            found[name] += f" {text.strip()}"
            continue
        key, _, value = text.partition(":")
        name = key.strip().lower()
        found[name] = f"{found[name]}, {value.strip()}" if name in found else value.strip()
    return found
