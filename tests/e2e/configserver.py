"""A config server: HTTPS by an authority of its own, one config, told to those who send a token."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from ingot.pki.authority import Authority as SigningAuthority
from ingot.pki.term import Term
from tests.e2e.site import GATEWAY, Site

PORT = 22623
TOKEN_HEADER = "X-Ingot-Token"


class Authority:
    """A certificate authority and one certificate of it, for the site's own address."""

    def __init__(self, folder: Path) -> None:
        day = timedelta(days=1)
        term = Term.since(datetime.now(UTC), day, skew=day)
        signing = SigningAuthority.made("test authority", term)
        self.certificate = signing.certificate.decode()
        server = signing.server(GATEWAY, [GATEWAY], term)
        self.chain = folder / "server.pem"
        self.chain.write_bytes(server.certificate + server.key)


@contextmanager
def serving(site: Site, authority: Authority, *, token: str, config: str) -> Iterator[list[str]]:
    """Serve a config at /config; the list grows by the path of each request that had the token."""
    served: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.headers.get(TOKEN_HEADER) != token:
                self.send_error(HTTPStatus.FORBIDDEN)
                return
            served.append(self.path)
            self.send_response(HTTPStatus.OK)
            self.end_headers()
            self.wfile.write(config.encode())

        def log_message(self, *_: object) -> None:
            """Stay quiet."""

    server = ThreadingHTTPServer(("", 0), Handler, bind_and_activate=False)
    server.socket.close()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority.chain)
    server.socket = context.wrap_socket(site.listening(PORT), server_side=True)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
