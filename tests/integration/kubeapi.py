"""A private Kubernetes API: real etcd and real kube-apiserver on loopback, gone with its block.

It is up within a few seconds because etcd does not wait for the disk and no controller runs. A
request proves itself by a token; one user may do everything, another nothing.
"""

from __future__ import annotations

import json
import os
import signal
import ssl
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import IO

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.payload.binaries import etcd, kubernetes
from tests.e2e.site import eventually
from tests.ports import free_port

__all__ = [
    "ADMIN_TOKEN",
    "NOBODY_TOKEN",
    "STARTS_WITHIN",
    "TOKENS",
    "KubeApi",
    "binaries",
    "free_port",
    "kube_api",
    "make_certificate",
]

ADMIN_TOKEN = "admin-token"
NOBODY_TOKEN = "nobody-token"
TOKENS = f"{ADMIN_TOKEN},admin,1,system:masters\n{NOBODY_TOKEN},nobody,2\n"

STARTS_WITHIN = 90.0
"""Seconds; four are usual, but a loaded machine has fewer to give."""


@dataclass
class KubeApi:
    """A running API server with its store.

    Attributes:
        folder: where everything of it is: data, certificates, logs.
        port: where it listens, also after a restart.
    """

    folder: Path
    binaries: dict[str, Path]
    port: int
    etcd_port: int
    _running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    @property
    def ca(self) -> Path:
        """The certificate of the server, which signed itself."""
        return self.folder / "api.crt"

    def kubeconfig(self, token: str = ADMIN_TOKEN) -> Path:
        """Write a kubeconfig for one of the two users, and return where."""
        path = self.folder / f"kubeconfig-{token}"
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "test",
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
            "clusters": [
                {
                    "name": "test",
                    "cluster": {"server": self.url, "certificate-authority": str(self.ca)},
                }
            ],
            "users": [{"name": "test", "user": {"token": token}}],
        }
        path.write_text(json.dumps(content), encoding="utf-8")
        return path

    def request(self, method: str, path: str, body: object = None) -> dict[str, object]:
        """Ask by other means than the client under test."""
        asked = urllib.request.Request(  # noqa: S310 - always https
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {ADMIN_TOKEN}", "Content-Type": "application/json"},
        )
        context = ssl.create_default_context(cafile=self.ca)
        with urllib.request.urlopen(asked, context=context, timeout=30) as answer:  # noqa: S310
            content = answer.read()
        found: dict[str, object] = json.loads(content) if content[:1] == b"{" else {}
        return found

    def install(self, definition: dict[str, object]) -> None:
        """Create a CustomResourceDefinition, and wait until its kind is served."""
        self.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
        spec = definition["spec"]
        assert isinstance(spec, dict)
        path = f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"
        eventually(lambda: self._answers(path), within=STARTS_WITHIN, every=0.05)

    def start_etcd(self) -> None:
        """Start the store, and wait until it answers."""
        url = f"http://127.0.0.1:{self.etcd_port}"
        self._start(
            "etcd",
            f"--data-dir={self.folder / 'data'}",
            f"--listen-client-urls={url}",
            f"--advertise-client-urls={url}",
            f"--listen-peer-urls=http://127.0.0.1:{free_port()}",
            "--unsafe-no-fsync",
            "--log-level=error",
        )

    def start_api(self) -> None:
        """Start the API server, and wait until it is ready."""
        key, certificate = self.folder / "api.key", self.ca
        self._start(
            "kube-apiserver",
            f"--etcd-servers=http://127.0.0.1:{self.etcd_port}",
            "--bind-address=127.0.0.1",
            f"--secure-port={self.port}",
            f"--tls-cert-file={certificate}",
            f"--tls-private-key-file={key}",
            f"--token-auth-file={self.folder / 'tokens.csv'}",
            "--authorization-mode=RBAC",
            "--service-cluster-ip-range=10.96.0.0/24",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={certificate}",
            f"--service-account-signing-key-file={key}",
            "--disable-admission-plugins=ServiceAccount",
            "--event-ttl=1h",
        )
        eventually(lambda: self._answers("/readyz"), within=STARTS_WITHIN, every=0.05)
        eventually(lambda: self._answers("/api/v1/namespaces/default"), within=STARTS_WITHIN)

    def kill_api(self) -> None:
        """End the API server as a power cut does."""
        self._end("kube-apiserver")

    def ensure_api(self) -> None:
        """Start the API server if a test has ended it."""
        if "kube-apiserver" not in self._running:
            self.start_api()

    def pause_api(self) -> None:
        """Let the API server accept connections and say nothing."""
        self._running["kube-apiserver"].send_signal(signal.SIGSTOP)

    def resume_api(self) -> None:
        """Let a paused API server go on."""
        self._running["kube-apiserver"].send_signal(signal.SIGCONT)

    def compact(self) -> None:
        """Make the store forget everything but the present."""
        control = [str(self.binaries["etcdctl"]), f"--endpoints=127.0.0.1:{self.etcd_port}"]
        told = subprocess.run(
            [*control, "get", "none", "-w", "json"], check=True, capture_output=True, timeout=30
        )
        revision = json.loads(told.stdout)["header"]["revision"]
        subprocess.run(
            [*control, "compact", str(revision)], check=True, capture_output=True, timeout=30
        )

    def end(self) -> None:
        """End both; nothing of them runs when this returns."""
        for name in list(self._running):
            self._end(name)

    def _start(self, program: str, *arguments: str) -> None:
        with (self.folder / f"{program}.log").open("ab") as log:
            self._running[program] = _started(self.binaries[program], arguments, log)

    def _end(self, program: str) -> None:
        process = self._running.pop(program)
        process.kill()
        process.wait(30)

    def _answers(self, path: str) -> bool:
        for name, process in self._running.items():
            if process.poll() is not None:
                log = (self.folder / f"{name}.log").read_text(errors="replace")
                raise AssertionError(f"{name} ended:\n{log[-3000:]}")
        try:
            self.request("GET", path)
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False
        return True


@contextmanager
def kube_api(folder: Path) -> Iterator[KubeApi]:
    """Run a Kubernetes API until the end of the block."""
    folder.mkdir(parents=True, exist_ok=True)
    make_certificate(folder)
    (folder / "tokens.csv").write_text(TOKENS, encoding="utf-8")
    api = KubeApi(folder, binaries(), free_port(), free_port())
    try:
        api.start_etcd()
        api.start_api()
        yield api
    finally:
        api.end()


def binaries() -> dict[str, Path]:
    """Return where the programs are, built if they are not there."""
    made = make(Store(), [etcd(), kubernetes()], Silent())
    return {path.name: path for one in made for path in one.artefact.path.iterdir()}


def make_certificate(folder: Path) -> None:
    """Write a certificate for loopback that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kube-apiserver")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "api.crt").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "api.key").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )


def _started(program: Path, arguments: tuple[str, ...], log: IO[bytes]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [program, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        env={**os.environ, "GOMAXPROCS": "2"},
    )
