"""kubeadm takes our configuration, and signs with our authorities."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from ingot.assets.kubeadm import init_documents
from ingot.assets.kubernetespki import FOLDER, pki_files
from ingot.pki.credential import Credential
from tests.integration.kubeapi import binaries
from tests.unit.assets.clusters import PAYLOAD, cluster, install_files

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="kubeadm wants to be root")

SAMPLES = ("managed", "virtualmedia", "dual-stack")


@pytest.fixture(scope="module")
def kubeadm() -> Path:
    return binaries()["kubeadm"]


def written(folder: Path, sample: str) -> Path:
    """Write the configuration with what only a machine knows, and return where."""
    documents = list(init_documents(cluster(sample), PAYLOAD))
    for one in documents:
        if one["kind"] == "InitConfiguration":
            one["localAPIEndpoint"] = {"advertiseAddress": "192.0.2.9"}
            one["nodeRegistration"]["name"] = "rack1-bootstrap"
        if one["kind"] == "ClusterConfiguration":
            one["certificatesDir"] = str(folder / "pki")
    path = folder / "kubeadm.yaml"
    path.write_text(yaml.safe_dump_all(documents), encoding="utf-8")
    return path


def told(*command: str | Path) -> str:
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


@pytest.mark.parametrize("sample", SAMPLES)
def test_kubeadm_finds_nothing_wrong(kubeadm: Path, tmp_path: Path, sample: str) -> None:
    said = told(kubeadm, "config", "validate", f"--config={written(tmp_path, sample)}")
    assert "warning" not in said.lower()


@pytest.mark.parametrize("sample", SAMPLES)
def test_kubeadm_signs_with_our_authorities(kubeadm: Path, tmp_path: Path, sample: str) -> None:
    files = install_files(cluster(sample), now=datetime.now(UTC))
    for one in pki_files(files):
        path = tmp_path / "pki" / Path(one.path).relative_to(FOLDER)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(one.content)
    told(kubeadm, "init", "phase", "certs", "all", f"--config={written(tmp_path, sample)}")
    made = tmp_path / "pki"
    assert (made / "ca.crt").read_bytes() == files["tls/ca.crt"]
    served = Credential.read(
        (made / "apiserver.crt").read_bytes(), (made / "apiserver.key").read_bytes()
    )
    assert served.is_signed_by(files["tls/ca.crt"])
    vips = map(str, cluster(sample).baremetal.api_vips)
    assert served.covers([*vips, f"api-int.{cluster(sample).cluster_domain}", "127.0.0.1"])
    etcd = Credential((made / "etcd/server.crt").read_bytes(), b"")
    assert etcd.is_signed_by(files["tls/etcd-ca.crt"])
    proxy = Credential((made / "front-proxy-client.crt").read_bytes(), b"")
    assert proxy.is_signed_by(files["tls/front-proxy-ca.crt"])
