"""A config server: HTTPS by an authority of its own, one config, told to those who send a token."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Thread

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.e2e.site import GATEWAY, Site

PORT = 22623
TOKEN_HEADER = "X-Ingot-Token"


class Authority:
    """A certificate authority and one certificate of it, for the site's own address."""

    def __init__(self, folder: Path) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])
        own = _certificate(name, name, key.public_key()).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        self.certificate = _pem(own.sign(key, hashes.SHA256()))
        server_key = ec.generate_private_key(ec.SECP256R1())
        server_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, GATEWAY)])
        server = _certificate(server_name, name, server_key.public_key()).add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address(GATEWAY))]), critical=False
        )
        self.chain = folder / "server.pem"
        self.chain.write_text(
            _pem(server.sign(key, hashes.SHA256()))
            + server_key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            ).decode(),
            encoding="utf-8",
        )


def _certificate(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
    )


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


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
