"""Files come by HTTP and HTTPS, or it is said why not."""

from __future__ import annotations

import io
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from ingot.machine.firmware.download import DownloadFailed, Downloads
from ingot.machine.firmware.web import WebError, receive
from tests.e2e.site import call


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/circle":
            self.send_response(302)
            self.send_header("Location", "/circle")
            self.end_headers()
            return
        body = f"{self.headers['Host']} {self.path}".encode()
        self.send_response(200)
        if self.path != "/unknown-length":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Say nothing."""


@pytest.fixture(params=["http", "https"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return the address of a server, whose certificate nobody vouches for."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        if request.param == "https":
            key, certificate = tmp_path / "key", tmp_path / "certificate"
            call(
                "openssl", "req", "-x509", "-nodes", "-newkey", "ec",
                "-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=elsewhere",
                "-keyout", key, "-out", certificate,
            )  # fmt: skip
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"{request.param}://files.example.com:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def received(url: str) -> str:
    target = io.BytesIO()
    receive(url, target, lambda *_: None, resolve=lambda _: "127.0.0.1", patience=10)
    return target.getvalue().decode()


def test_file_is_asked_for_by_name_at_the_address_of_the_name(url: str) -> None:
    assert received(f"{url}/a?b=c").startswith("files.example.com:")
    assert received(f"{url}/a?b=c").endswith(" /a?b=c")
    assert received(url).endswith(" /")


def test_file_may_have_an_unknown_length(url: str) -> None:
    assert received(f"{url}/unknown-length").endswith(" /unknown-length")


def test_circle_of_redirects_ends(url: str) -> None:
    with pytest.raises(WebError, match="redirected more than 5 times"):
        received(f"{url}/circle")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://127.0.0.1:1/x", "http://127.0.0.1:1/x: .*refused"),
        ("http://me:secret@127.0.0.1:1/x", "^http://127.0.0.1:1/x: "),
        ("ftp://127.0.0.1/x", "cannot fetch by 'ftp'"),
        ("x", "cannot fetch by ''"),
        ("http://boot.example.com/x", "DHCP gave no DNS server"),
        ("http://127.0.0.1:nonsense/x", "http://127.0.0.1:nonsense/x: "),
    ],
)
def test_what_cannot_be_had_says_why(tmp_path: Path, address: str, said: str) -> None:
    downloads = Downloads(tmp_path / "boot", lambda _: None)
    downloads.clear()
    with pytest.raises(DownloadFailed, match=said):
        downloads.fetch(address)
    assert list(downloads.folder.iterdir()) == []
