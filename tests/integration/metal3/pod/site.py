"""A machine that the metal3 pod runs on: a network of its own, its files, an API server."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.ironic.access import Access, Credentials, Tls
from ingot.machine import namespaces
from ingot.metal3.pod.podspec import Sources, pod_spec
from ingot.metal3.pod.settings import Settings, parse
from ingot.payload.pythontree import TREE, ingot_tree
from tests.integration.ironic.root import unpacked_root
from tests.integration.kubeapi import (
    ADMIN_TOKEN,
    TOKENS,
    KubeApi,
    binaries,
    free_port,
    make_certificate,
)
from tests.integration.metal3.pod.runtime import PodRuntime
from tests.integration.metal3.served import manifests

IMAGE = "ingot.local/metal3:test"
OWN = "172.22.0.2"
MAC = "52:54:00:22:00:02"
USER, PASSWORD = "ironic-user", "right horse"
DISK = b"an image of a disk, as far as it matters here\n" * 1000

SETTINGS: dict[str, Any] = {
    "mode": "Managed",
    "provisioningIp": OWN,
    "interfaceMac": MAC,
    "dhcp": {"first": "172.22.0.10", "last": "172.22.0.99", "network": "172.22.0.0/24"},
    "allowedMacs": ["52:54:00:00:00:01"],
    "sshKeys": ["ssh-ed25519 AAAAC3Nz someone@somewhere"],
    "ntp": [OWN],
}


@dataclass(frozen=True)
class PodSite:
    """The machine, with the pod's specification."""

    namespace: str
    folder: Path
    settings: Settings
    runtime: PodRuntime

    @property
    def shared(self) -> Path:
        return self.folder / "shared"

    @property
    def ca(self) -> Path:
        return self.folder / "given/ca.crt"

    @property
    def access(self) -> Access:
        """Ironic, as somebody on the provisioning network reaches it."""
        return Access(
            f"https://{OWN}:{self.settings.ports.api}",
            Credentials(USER, PASSWORD),
            Tls(ca_file=self.ca),
        )


def image_root(folder: Path) -> Path:
    """Return the root of the metal3 image with Ingot in it, as it is now."""
    root = unpacked_root(folder)
    tree = ingot_tree()
    made = make(Store(), [tree], Silent())[-1].artefact.path / TREE
    subprocess.run(["tar", "--extract", "--file", made, "--directory", root], check=True)
    return root


@contextmanager
def pod_site(root: Path, folder: Path) -> Iterator[PodSite]:
    """Make a machine with all that the pod is given; it is gone afterwards."""
    name = f"ingot-pod-{os.getpid()}"
    settings = parse(json.dumps(SETTINGS))
    for place in ("shared", "scratch", "given", "media"):
        (folder / place).mkdir()
    _write_given(folder / "given")
    for file, content in {"disk.img": DISK, "kernel": b"a kernel", "initrd": b"a ramdisk"}.items():
        (folder / "media" / file).write_bytes(content)
    runtime = PodRuntime(
        pod_spec(settings, image=IMAGE, sources=Sources.bootstrap()),
        root,
        {
            "shared": folder / "shared",
            "scratch": folder / "scratch",
            "given": folder / "given",
            "media": folder / "media",
            "kubeconfig": folder / "kubeconfig",
        },
        name,
        folder,
    )
    try:
        _make_network(name)
        yield PodSite(name, folder, settings, runtime)
    finally:
        namespaces.delete(name)
        shutil.rmtree(folder / "shared")


@contextmanager
def api_on(site: PodSite) -> Iterator[KubeApi]:
    """Run an API server on the machine's network, with our definitions and a kubeconfig."""
    folder = site.folder / "kube"
    folder.mkdir()
    make_certificate(folder)
    (folder / "tokens.csv").write_text(TOKENS, encoding="utf-8")
    api = KubeApi(folder, binaries(), free_port(), free_port())
    with ExitStack() as stack:
        stack.callback(api.end)

        def start() -> None:
            api.start_etcd()
            api.start_api()
            for definition in manifests():
                api.install(definition)
            body = {"metadata": {"name": "metal3"}}
            api.request("POST", "/api/v1/namespaces", body)

        namespaces.inside(site.namespace, start)
        _write_kubeconfig(site.folder / "kubeconfig", api)
        yield api


def _make_network(name: str) -> None:
    def ip(*words: str) -> None:
        subprocess.run(["ip", *words], check=True, capture_output=True)

    ip("netns", "add", name)
    ip("-n", name, "link", "set", "lo", "up")
    ip("-n", name, "link", "add", "provision0", "address", MAC, "type", "bridge")
    ip("-n", name, "address", "add", f"{OWN}/24", "dev", "provision0")
    ip("-n", name, "link", "set", "provision0", "up")
    ip("-n", name, "route", "add", "default", "via", "172.22.0.1")  # an API server wants one


def _write_given(folder: Path) -> None:
    (folder / "settings.json").write_text(json.dumps(SETTINGS), encoding="utf-8")
    for file, text in {"username": USER, "password": PASSWORD}.items():
        (folder / file).write_text(f"{text}\n", encoding="utf-8")
    _write_certificates(folder)
    for path in folder.iterdir():
        path.chmod(0o600)


_CA_USAGE = x509.KeyUsage(
    key_cert_sign=True, crl_sign=True, digital_signature=False, content_commitment=False,
    key_encipherment=False, data_encipherment=False, key_agreement=False, encipher_only=False,
    decipher_only=False,
)  # fmt: skip
"""Without it, and without keys' identifiers, the image's Python trusts no CA."""


def _write_certificates(folder: Path) -> None:
    ca_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca_name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "ironic-ca")])
    begin, pem = datetime.now(UTC) - timedelta(days=1), serialization.Encoding.PEM

    signer = x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key())

    def builder(subject: x509.Name, public: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        made = x509.CertificateBuilder(ca_name, subject, public, x509.random_serial_number())
        made = made.not_valid_before(begin).not_valid_after(begin + timedelta(days=2))
        return made.add_extension(signer, critical=False).add_extension(
            x509.SubjectKeyIdentifier.from_public_key(public), critical=False
        )

    ca = builder(ca_name, ca_key.public_key()).add_extension(
        x509.BasicConstraints(ca=True, path_length=0), critical=True
    )
    ca = ca.add_extension(_CA_USAGE, critical=True)
    names = [x509.IPAddress(ip_address(one)) for one in (OWN, "127.0.0.1")]
    server = builder(x509.Name([]), key.public_key()).add_extension(
        x509.SubjectAlternativeName(names), critical=True
    )
    (folder / "ca.crt").write_bytes(ca.sign(ca_key, hashes.SHA256()).public_bytes(pem))
    (folder / "tls.crt").write_bytes(server.sign(ca_key, hashes.SHA256()).public_bytes(pem))
    (folder / "tls.key").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def _write_kubeconfig(path: Path, api: KubeApi) -> None:
    ca = base64.b64encode(api.ca.read_bytes()).decode()
    cluster = {"server": api.url, "certificate-authority-data": ca}
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "test",
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
        "clusters": [{"name": "test", "cluster": cluster}],
        "users": [{"name": "test", "user": {"token": ADMIN_TOKEN}}],
    }
    path.write_text(json.dumps(content), encoding="utf-8")
