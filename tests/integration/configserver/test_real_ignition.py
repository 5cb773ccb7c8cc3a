"""Debian's own Ignition follows a pointer to the config server and takes what it gets."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.configserver.ignition import file_in
from ingot.configserver.joinfile import PATH, JoinFacts
from ingot.osimage.debian import node_debian
from tests.e2e.configs import pointer
from tests.integration.configserver.office import ROLE_FILE, Office, token_of

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="a Debian root is only made by root")

IGNITION = "./usr/lib/dracut/modules.d/30ignition/ignition"


@pytest.fixture(scope="module")
def ignition(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("ignition")
    tar = make(Store(), [node_debian()], Silent())[-1].artefact.path / "root.tar"
    subprocess.run(
        ["tar", "--extract", "--file", tar, "--directory", home, "--occurrence=1", IGNITION],
        check=True,
    )
    return home / IGNITION


def fetched(ignition: Path, home: Path, config: object) -> subprocess.CompletedProcess[str]:
    told = home / "pointer.ign"
    told.write_text(json.dumps(config), encoding="utf-8")
    return subprocess.run(
        [ignition, "--platform=file", "--stage=fetch", f"--root={home}",
         f"--config-cache={home / 'cache.json'}", "--log-to-stdout"],
        env={"IGNITION_CONFIG_FILE": str(told), "PATH": os.environ["PATH"]},
        capture_output=True, check=False, text=True, timeout=120,
    )  # fmt: skip


def test_ignition_takes_the_config_of_its_host(
    office: Office, ignition: Path, tmp_path: Path
) -> None:
    config = pointer(
        f"{office.url}/config/master",
        authority=office.authority.read_text(),
        headers={"X-Ingot-Token": token_of(office.control_plane)},
    )
    done = fetched(ignition, tmp_path, config)
    assert done.returncode == 0, done.stdout
    rendered = json.loads((tmp_path / "cache.json").read_text())
    assert file_in(rendered, ROLE_FILE) == "control-plane"
    assert file_in(rendered, "/etc/hostname") == f"{office.control_plane}\n"
    assert JoinFacts.parse(file_in(rendered, PATH) or "").name == office.control_plane


def test_ignition_with_a_wrong_token_gets_nothing(
    office: Office, ignition: Path, tmp_path: Path
) -> None:
    config = pointer(
        f"{office.url}/config/master",
        authority=office.authority.read_text(),
        headers={"X-Ingot-Token": "wrong"},
    )
    done = fetched(ignition, tmp_path, config)
    assert done.returncode != 0
    assert not (tmp_path / "cache.json").exists()
