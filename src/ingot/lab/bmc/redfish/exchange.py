"""Requests and answers on one connection, between HTTP and WSGI.

Werkzeug's own server is not used: it ends every connection after one answer. The standard library's
handler does keep-alive well, and what it lacks for WSGI is short. A request is read whole before it
is answered, and an answer is made whole before it is sent: both are small, and a client that is
slow at either holds up nobody but itself.
"""

from __future__ import annotations

import io
import logging
import socket
import sys
import time
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from ingot.lab.bmc.redfish.gate import CONNECTION
from ingot.lab.bmc.redfish.holds import ClientLeft
from ingot.lab.bmc.redfish.refusal import error_text

if TYPE_CHECKING:
    from _typeshed import OptExcInfo
    from _typeshed.wsgi import WSGIApplication, WSGIEnvironment

__all__ = ["ACCESS", "Exchange", "Site"]

ACCESS = logging.getLogger("ingot.lab.bmc.redfish")
"""Who asked what: host, client, method, path, status, time. Never a header or a body."""

IDLE_SECONDS = 60
LARGEST_REQUEST = 1024 * 1024
"""A certificate or a page of BIOS settings is far below; images are fetched, not sent."""

_UNPRINTABLE = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}


@dataclass(frozen=True, slots=True)
class Site:
    """Who answers."""

    host: str
    application: WSGIApplication


class _Unreadable(Exception):  # noqa: N818 - it says what was seen
    """A request whose end cannot be found."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class Exchange(BaseHTTPRequestHandler):
    """Serves one connection until either side has enough."""

    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    wbufsize = -1  # head and body leave together
    disable_nagle_algorithm = True

    def __init__(self, connection: socket.socket, client: tuple[str, int], site: Site) -> None:
        self._site = site
        self._status = 0
        # The handler keeps the third argument, and asks nothing of it.
        super().__init__(connection, client, site)  # type: ignore[arg-type]

    def answer(self) -> None:
        """Answer the request that was just read."""
        began = time.monotonic()
        self._status = 0
        try:
            self._answer()
        except ClientLeft:
            self.close_connection = True
        finally:
            path = urlsplit(self.path).path.translate(_UNPRINTABLE)
            spent = round((time.monotonic() - began) * 1000)
            ACCESS.info(
                "%s %s %s %s %s %d ms",
                self._site.host,
                self.client_address[0],
                self.command,
                path,
                self._status or "-",
                spent,
            )

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = answer  # noqa: N815

    def version_string(self) -> str:
        """Return what the server calls itself."""
        return "Ingot-BMC"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name above
        """Say nothing: `answer` has its own line."""

    def _answer(self) -> None:
        try:
            body = self._read_body()
        except _Unreadable as e:
            # What follows on the connection is not known to be a request any more.
            self.close_connection = True
            self._send(
                e.status, [("Content-Type", "application/json")], error_text(e.status.phrase)
            )
            return
        self._send(*self._call(self._environ(body)))

    def _read_body(self) -> bytes:
        if "Transfer-Encoding" in self.headers:
            raise _Unreadable(HTTPStatus.LENGTH_REQUIRED)
        word = self.headers.get("Content-Length", "0")
        if not (word.isascii() and word.isdigit()):
            raise _Unreadable(HTTPStatus.BAD_REQUEST)
        if int(word) > LARGEST_REQUEST:
            raise _Unreadable(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        body = self.rfile.read(int(word))
        if len(body) != int(word):
            raise ClientLeft
        return body

    def _environ(self, body: bytes) -> WSGIEnvironment:
        address = urlsplit(self.path)
        own = self.connection.getsockname()
        environ: WSGIEnvironment = {
            "REQUEST_METHOD": self.command,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote(address.path, "latin-1"),
            "QUERY_STRING": address.query,
            "SERVER_NAME": own[0],
            "SERVER_PORT": str(own[1]),
            "SERVER_PROTOCOL": self.request_version,
            "REMOTE_ADDR": self.client_address[0],
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "https",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
            CONNECTION: self.connection,
        }
        if "Content-Type" in self.headers:
            environ["CONTENT_TYPE"] = self.headers["Content-Type"]
        for key, value in self.headers.items():
            name = "HTTP_" + key.upper().replace("-", "_")
            # Otherwise X_Auth_Token would be taken for X-Auth-Token.
            if "_" not in key and name not in {"HTTP_CONTENT_TYPE", "HTTP_CONTENT_LENGTH"}:
                environ[name] = f"{environ[name]},{value}" if name in environ else value
        return environ

    def _call(self, environ: WSGIEnvironment) -> tuple[HTTPStatus, list[tuple[str, str]], bytes]:
        head: list[tuple[HTTPStatus, list[tuple[str, str]]]] = []
        written: list[bytes] = []

        def start_response(
            status: str, headers: list[tuple[str, str]], _: OptExcInfo | None = None
        ) -> object:
            head.append((HTTPStatus(int(status[:3])), headers))
            return written.append

        try:
            answer = self._site.application(environ, start_response)  # type: ignore[arg-type]
            body = b"".join([*written, *answer])
            status, headers = head[-1]
        except ClientLeft:
            raise
        except Exception:  # noqa: BLE001 - logged with its trace
            # The last line of defence: the client sees a broken BMC, and the log says why.
            ACCESS.exception("%s: a request failed", self._site.host)
            status = HTTPStatus.INTERNAL_SERVER_ERROR
            return status, [("Content-Type", "application/json")], error_text(status.phrase)
        return status, headers, body

    def _send(self, status: HTTPStatus, headers: list[tuple[str, str]], body: bytes) -> None:
        self._status = status.value
        self.send_response(status.value, status.phrase)
        bodiless = status in {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}
        for key, value in headers:
            if key.lower() not in {"content-length", "connection", "server", "date"}:
                self.send_header(key, value)
        if not bodiless:
            # The answer to HEAD has no body, and the length of the one that GET would have.
            given = {key.lower(): value for key, value in headers}.get("content-length")
            length = given if self.command == "HEAD" else None
            self.send_header("Content-Length", length or str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if body and not bodiless and self.command != "HEAD":
            self.wfile.write(body)
