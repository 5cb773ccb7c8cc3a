"""Ignition's own validator, of the version that nodes have, takes our configs."""

from __future__ import annotations

import json
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.assets.nodeconfig import control_plane_config, worker_config
from ingot.osimage.debian import node_debian
from tests.unit.assets.clusters import (
    PAYLOAD,
    SSH_KEY,
    Tree,
    bootstrap_ign,
    cluster,
    install_files,
)

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="a Debian root is only made by root")

PROGRAM = "./usr/bin/ignition-validate"


@pytest.fixture(scope="module")
def validator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ignition")
    root = make(Store(), [node_debian()], Silent())[-1].artefact.path / "root.tar"
    with tarfile.open(root) as tar:
        tar.extract(PROGRAM, folder, filter="data")
    return folder / PROGRAM


def everything(tree: Tree) -> None:
    """Ask for all that adds something to a machine."""
    tree["sshKey"] = SSH_KEY
    tree["proxy"] = {"httpProxy": "http://proxy:3128", "httpsProxy": "http://proxy:3128"}
    tree["additionalTrustBundle"] = "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n"
    tree["platform"]["baremetal"]["additionalNTPServers"] = ["192.0.2.1"]


@pytest.mark.parametrize("sample", ["managed", "unmanaged", "virtualmedia", "dual-stack"])
def test_configs_are_valid(validator: Path, tmp_path: Path, sample: str) -> None:
    config = cluster(sample, change=everything)
    files = install_files(config)
    configs = {
        "bootstrap.ign": json.dumps(bootstrap_ign(config, files)).encode(),
        "control-plane.ign": control_plane_config(config, PAYLOAD, files),
        "worker.ign": worker_config(config, PAYLOAD),
        "pointer.ign": files[f"hosts/{config.baremetal.hosts[0].name}.ign"],
    }
    for name, content in configs.items():
        path = tmp_path / name
        path.write_bytes(content)
        ran = subprocess.run(
            [validator, path], capture_output=True, text=True, timeout=30, check=False
        )
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", ""), name


def test_the_validator_would_notice(validator: Path, tmp_path: Path) -> None:
    wrong = json.loads(worker_config(cluster(), PAYLOAD))
    wrong["storage"]["files"][0]["path"] = "not/absolute"
    (tmp_path / "wrong.ign").write_text(json.dumps(wrong))
    ran = subprocess.run([validator, tmp_path / "wrong.ign"], capture_output=True, check=False)
    assert ran.returncode != 0
