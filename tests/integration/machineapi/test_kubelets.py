"""The certificate that a kubelet shows who calls it, over real connections."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from ingot.machineapi.approving.kubelet import Kubelets
from ingot.machineapi.approving.serving import Served
from tests.integration.kube.widgets import awaited
from tests.ports import free_port

HERE = "127.0.0.1"
WHOLE = timedelta(days=1)


class Authority:
    """Signs certificates, as the cluster's does."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.file = folder / f"{name}.crt"
        own = self._builder(self.name, self.key, WHOLE)
        own = own.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        self.file.write_bytes(_pem(own.sign(self.key, hashes.SHA256())))

    def signed(self, name: str, *, lasts: timedelta = WHOLE) -> Path:
        """Return a file with a certificate for this machine, and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = self._builder(subject, key, lasts).add_extension(
            x509.SubjectAlternativeName([x509.DNSName("N1"), x509.IPAddress(ip_address(HERE))]),
            critical=False,
        )
        path = self.folder / f"{x509.random_serial_number()}.pem"
        path.write_bytes(
            _pem(builder.sign(self.key, hashes.SHA256()))
            + key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return path

    def _builder(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, lasts: timedelta
    ) -> x509.CertificateBuilder:
        end = datetime.now(UTC) + lasts
        return (
            x509.CertificateBuilder(
                self.name, subject, key.public_key(), x509.random_serial_number()
            )
            .not_valid_before(end - 3 * WHOLE)
            .not_valid_after(end)
        )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


@asynccontextmanager
async def kubelet(certificate: Path) -> AsyncIterator[int]:
    """Run what greets with a certificate; return its port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    async def greet(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with await asyncio.start_server(greet, HERE, 0, ssl=context) as server:
        yield server.sockets[0].getsockname()[1]


@pytest.fixture
def cluster(tmp_path: Path) -> Authority:
    return Authority(tmp_path, "cluster")


@awaited()
async def test_the_certificate_of_a_node_is_seen(cluster: Authority) -> None:
    async with kubelet(cluster.signed("system:node:n1")) as port:
        found = await Kubelets(cluster.file, port).served("n1", [HERE])
    assert found == Served(frozenset({"n1", HERE}))


@awaited()
async def test_the_certificate_of_another_node_does_not_count(cluster: Authority) -> None:
    async with kubelet(cluster.signed("system:node:n2")) as port:
        assert await Kubelets(cluster.file, port).served("n1", [HERE]) is None


@awaited()
async def test_a_certificate_of_another_authority_does_not_count(
    cluster: Authority, tmp_path: Path
) -> None:
    async with kubelet(Authority(tmp_path, "other").signed("system:node:n1")) as port:
        assert await Kubelets(cluster.file, port).served("n1", [HERE]) is None


@awaited()
async def test_a_certificate_that_has_expired_does_not_count(cluster: Authority) -> None:
    old = cluster.signed("system:node:n1", lasts=timedelta(seconds=-1))
    async with kubelet(old) as port:
        assert await Kubelets(cluster.file, port).served("n1", [HERE]) is None


@awaited()
async def test_a_kubelet_that_is_not_there_shows_nothing(cluster: Authority) -> None:
    assert await Kubelets(cluster.file, free_port()).served("n1", [HERE]) is None


@awaited()
async def test_what_does_not_speak_tls_shows_nothing(cluster: Authority) -> None:
    async def rude(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-x\r\n")
        writer.close()

    async with await asyncio.start_server(rude, HERE, 0) as server:
        port = server.sockets[0].getsockname()[1]
        assert await Kubelets(cluster.file, port).served("n1", [HERE]) is None
