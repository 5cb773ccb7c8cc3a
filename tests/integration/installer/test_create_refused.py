"""`ingot create cluster` as a real process, where a BMC does not let it in: nothing is made."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from ingot.config.sample import sample
from ingot.machine import namespaces
from ingot.machine.model import Power
from tests.e2e.lab import INGOT
from tests.integration.lab.redfish_bench import FIRST, PASSWORD, SECOND, USER, Bench, bench

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

NAMESPACE = f"ingot-refused-{os.getpid()}"


@contextmanager
def network() -> Iterator[None]:
    subprocess.run(["ip", "netns", "add", NAMESPACE], check=True)
    try:
        for bridge in ("baremetal", "provisioning"):
            made = ("ip", "-n", NAMESPACE, "link", "add", bridge, "type", "bridge")
            subprocess.run(made, check=True)
        yield
    finally:
        namespaces.delete(NAMESPACE)


@pytest.fixture
def rack(tmp_path: Path) -> Iterator[Bench]:
    with network(), bench(tmp_path / "redfish") as made:
        yield made


def written(folder: Path, rack: Bench, passwords: dict[str, str]) -> Path:
    """Write an install-config of two servers with these passwords."""
    content = yaml.safe_load(sample("managed"))
    platform = content["platform"]["baremetal"]
    kernel = f"netns={NAMESPACE}&kernel={INGOT}"
    platform["libvirtURI"] = f"uml://{folder / 'machines'}?{kernel}"
    content["compute"][0]["replicas"] = 0
    content["controlPlane"]["replicas"] = 1
    platform["hosts"] = [
        {
            "name": name,
            "role": "master" if number == 0 else "worker",
            "bootMACAddress": f"52:54:00:00:00:{number:02x}",
            "bmc": {
                "address": rack.url(name, rack.system_path(name)).replace("https", "redfish", 1),
                "username": USER,
                "password": password,
                "disableCertificateVerification": True,
            },
        }
        for number, (name, password) in enumerate(passwords.items())
    ]
    folder.mkdir(mode=0o700)
    (folder / "install-config.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    return folder


def created(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [INGOT, "create", "cluster", "--dir", folder],
        env={**os.environ, "INGOT_STATE": str(folder.parent / "state")},
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_servers_whose_bmcs_refuse_the_password_are_named_before_anything_is_made(
    tmp_path: Path, rack: Bench
) -> None:
    secret = "a-wrong-secret"
    folder = written(tmp_path / "install", rack, {FIRST: secret, SECOND: PASSWORD})
    done = created(folder)
    assert done.returncode == 4, done.stderr
    assert f"host {FIRST}: " in done.stderr
    assert "refuses the user name or password" in done.stderr
    assert "bmc.password" in done.stderr
    assert SECOND not in done.stderr
    assert secret not in done.stdout + done.stderr
    assert not (folder / "auth").exists()
    assert not (folder / "machines").exists()
    assert {machine.power for machine in rack.driver.all.values()} == {Power.OFF}
