"""What a VM is given that wipes disks: kubeadm starts from it, and a real API server takes it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from ingot.assets.kubernetespki import FOLDER
from ingot.assets.wipeconfig import wipe_assets
from ingot.pki.credential import Credential
from tests.integration.assets.test_kubeadm import told, written
from tests.integration.kubeapi import KubeApi, binaries, kube_api
from tests.unit.assets.clusters import PAYLOAD, cluster, counting, on_machine

METAL3 = "namespaces/metal3"
PATHS = {
    "BareMetalHost": f"/apis/metal3.io/v1alpha1/{METAL3}/baremetalhosts",
    "Namespace": "/api/v1/namespaces",
    "Secret": f"/api/v1/{METAL3}/secrets",
}


@pytest.fixture
def api(tmp_path: Path) -> Iterator[KubeApi]:
    with kube_api(tmp_path / "kubeapi") as started:
        yield started


def on_vm(sample: str) -> dict[str, bytes]:
    made = wipe_assets(cluster(sample), PAYLOAD, random=counting(), now=datetime.now(UTC))
    return on_machine(json.loads(made.ignition))


@pytest.mark.skipif(os.geteuid() != 0, reason="kubeadm wants to be root")
def test_kubeadm_needs_one_authority_and_makes_the_others(tmp_path: Path) -> None:
    given = {path: one for path, one in on_vm("managed").items() if path.startswith(FOLDER)}
    pki = tmp_path / "pki"
    pki.mkdir()
    for path, content in given.items():
        (pki / Path(path).relative_to(FOLDER)).write_bytes(content)
    config = written(tmp_path, "managed")
    told(binaries()["kubeadm"], "init", "phase", "certs", "all", f"--config={config}")
    authority = given[f"{FOLDER}/ca.crt"]
    assert (pki / "ca.crt").read_bytes() == authority
    assert Credential((pki / "apiserver.crt").read_bytes(), b"").is_signed_by(authority)
    for made in ("sa.key", "front-proxy-ca.key", "etcd/ca.key"):
        assert (pki / made).exists(), made


@pytest.mark.parametrize("sample", ["managed", "virtualmedia"])
def test_all_that_is_applied_is_taken(api: KubeApi, sample: str) -> None:
    files = on_vm(sample)
    hosts = 0
    for name in sorted(one for one in files if one.startswith("/etc/ingot/manifests/")):
        for one in yaml.safe_load_all(files[name]):
            if one["kind"] == "CustomResourceDefinition":
                api.install(one)
                continue
            path = f"{PATHS[one['kind']]}?fieldValidation=Strict"
            kept: dict[str, Any] = api.request("POST", path, one)
            if one["kind"] == "BareMetalHost":
                hosts += 1
                assert kept["metadata"]["annotations"] == one["metadata"]["annotations"]
    assert hosts == len(cluster(sample).baremetal.hosts)
