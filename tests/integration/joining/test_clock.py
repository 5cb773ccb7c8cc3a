"""Comparing clocks with a server that speaks TLS, whatever its certificate says of time."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from ingot.configserver.joinfile import Source
from ingot.node.joining.clock import difference
from ingot.pki.authority import Authority
from ingot.pki.term import Term

LOOPBACK = "127.0.0.1"
NOW = datetime.now(UTC)
NEAR = timedelta(minutes=1)


class _Handler(BaseHTTPRequestHandler):
    ahead = timedelta()

    def do_GET(self) -> None:
        self.send_response_only(200)
        self.send_header(
            "Date", self.date_time_string((datetime.now(UTC) + self.ahead).timestamp())
        )
        self.send_header("Content-Length", "0")
        self.end_headers()


@contextmanager
def serving(folder: Path, term: Term, *, ahead: timedelta = timedelta()) -> Iterator[Source]:
    """Serve with a certificate of a term, and a clock that is ahead of ours."""
    authority = Authority.made("config-server", term)
    own = authority.server("config-server", [LOOPBACK], term)
    (folder / "tls.crt").write_bytes(own.certificate)
    (folder / "tls.key").write_bytes(own.key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "tls.crt", folder / "tls.key")
    handler = type("_Ahead", (_Handler,), {"ahead": ahead, "log_message": lambda *_: None})
    with HTTPServer((LOOPBACK, 0), handler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            url = f"https://{LOOPBACK}:{server.server_port}/config/worker"
            yield Source(url, "token", authority.certificate.decode())
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    "term",
    [
        Term(NOW - timedelta(days=1), NOW + timedelta(days=1)),
        Term(NOW + timedelta(days=5), NOW + timedelta(days=6)),
        Term(NOW - timedelta(days=6), NOW - timedelta(days=5)),
    ],
    ids=["holds", "does not hold yet", "has expired"],
)
def test_the_difference_is_known_whatever_a_clock_says_of_the_certificate(
    tmp_path: Path, term: Term
) -> None:
    with serving(tmp_path, term, ahead=timedelta(days=1)) as source:
        found = difference(source)
    assert found is not None
    assert abs(found + timedelta(days=1)) < NEAR


def test_a_certificate_of_somebody_else_tells_nothing(tmp_path: Path) -> None:
    term = Term.since(NOW, timedelta(days=1))
    other = Authority.made("another", term).certificate.decode()
    with serving(tmp_path, term) as source:
        assert difference(Source(source.url, "token", other)) is None


def test_where_nobody_answers_nothing_is_known(tmp_path: Path) -> None:
    with serving(tmp_path, Term.since(NOW, timedelta(days=1))) as source:
        pass
    assert difference(source) is None
