"""Wiping disks: a real API, real BMCs on loopback, and VMs of the real driver."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from ingot.installer import wiping
from ingot.installer.apiview import ApiView
from ingot.installer.bootstrapvm import NAME
from ingot.installer.destroying import destroy_cluster
from ingot.installer.phase import LIMITS, Phase
from ingot.installer.progress import Listener, Progress
from ingot.installer.vmimages import VmImages
from ingot.installer.wipeoutcome import TRIES, Cleaned
from ingot.installer.wipewaiting import CannotWipe, WipeWait
from ingot.installer.wiping import ROLE, Wiping
from ingot.machine.model import MachineSpec, Power
from ingot.machine.uml.driver import UmlDriver
from tests.integration.installer.destroysite import OLD, Site, site
from tests.integration.installer.test_apiview import HOSTS, add_host, furnish
from tests.integration.kubeapi import KubeApi, kube_api
from tests.integration.lab.redfish_bench import FIRST, SECOND

__all__ = ["site"]  # A fixture.

NAMES = ("cp-0", "cp-1")
AT_HOSTS = "bootstrap [hosts] cleaning the servers' disks"


@dataclass
class Vm:
    """The API of a VM that cleans, and the VM, which says one thing."""

    api: KubeApi
    home: Path
    heard: list[Progress] = field(default_factory=list)

    def wait(self, says: str, **limits: float) -> Cleaned:
        driver = UmlDriver(
            self.home,
            kernel=Path("/bin/true"),
            namespace_prefix=f"ingot-wiping-{os.getpid()}",
            firmware=("/bin/sh", "-c", f'echo "{says}"; exec sleep 600'),
        )
        driver.define(MachineSpec(name=NAME, uuid="", memory_mib=64, disks=(), nics=()))
        known = {**LIMITS, **{Phase(name): most for name, most in limits.items()}}
        view = ApiView(self.api.kubeconfig(), dict.fromkeys(NAMES, ROLE))
        try:
            wait = WipeWait(known, self.heard.append, Progress())
            return asyncio.run(wait.until_clean(driver, view, NAMES))
        finally:
            driver.undefine(NAME)

    def failed(self, name: str, error: str) -> None:
        """Have a host that failed as often as it may."""
        add_host(self.api, name, "deprovisioning", error=error)
        host: dict[str, Any] = self.api.request("GET", f"{HOSTS}/{name}")
        status = {**host["status"], "errorCount": TRIES}
        self.api.request("PUT", f"{HOSTS}/{name}/status", {**host, "status": status})


@pytest.fixture
def vm(tmp_path: Path) -> Iterator[Vm]:
    with kube_api(tmp_path / "api") as api:
        furnish(api)
        yield Vm(api, tmp_path / "machines")


def test_servers_that_are_available_are_clean(vm: Vm) -> None:
    for name in NAMES:
        add_host(vm.api, name, "available")
    assert vm.wait(AT_HOSTS) == Cleaned(frozenset(NAMES))
    assert {host.state for host in vm.heard[-1].hosts} == {"available"}


def test_a_server_that_fails_again_and_again_is_named_and_the_other_is_clean(vm: Vm) -> None:
    add_host(vm.api, "cp-0", "available")
    vm.failed("cp-1", "no DHCP request; power-cycled 2 times for it")
    found = vm.wait(AT_HOSTS)
    assert found.names == {"cp-0"}
    assert list(found.failed) == ["cp-1"]
    assert "no DHCP request" in found.failed["cp-1"]


def test_a_server_that_takes_longer_than_it_may_is_named(vm: Vm) -> None:
    add_host(vm.api, "cp-0", "available")
    add_host(vm.api, "cp-1", "deprovisioning")
    found = vm.wait(AT_HOSTS, hosts=0.0)
    assert found.names == {"cp-0"}
    assert "still deprovisioning" in found.failed["cp-1"]


def test_the_vms_last_word_does_not_make_a_server_clean(vm: Vm) -> None:
    add_host(vm.api, "cp-0", "available")
    add_host(vm.api, "cp-1", "deprovisioning")
    found = vm.wait("bootstrap [complete] done")
    assert found.names == {"cp-0"}
    assert list(found.failed) == ["cp-1"]


def test_a_vm_that_does_not_come_as_far_as_the_servers_is_given_up_with_a_remedy(vm: Vm) -> None:
    with pytest.raises(CannotWipe, match="network took longer") as ended:
        vm.wait("bootstrap [network] waiting for an address", network=0.0)
    assert "ingot destroy cluster --wipe" in ended.value.remedy
    assert "create" not in ended.value.remedy


@contextmanager
def unseen() -> Iterator[Listener]:
    yield lambda _: None


def test_where_the_vm_fails_servers_are_off_the_vm_is_gone_and_it_can_be_gone_on_with(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Everybody answers a ping to an address of loopback; whose VIPs these are is not asked then.
    asked = yaml.safe_load(site.directory.config_file.read_text(encoding="utf-8"))
    asked["platform"]["baremetal"]["loadBalancer"] = {"type": "UserManaged"}
    site.directory.config_file.write_text(yaml.safe_dump(asked), encoding="utf-8")
    site.begin()
    bridge = ["ip", "-n", site.namespace, "link", "add", "provisioning", "type", "bridge"]
    subprocess.run(bridge, check=True)
    image = tmp_path / "disk.img"
    image.write_bytes(bytes(1 << 20))
    monkeypatch.setenv("INGOT_NODE_IMAGE", str(image))
    # Building the real ones takes half an hour, and this VM is not to boot.
    monkeypatch.setattr(wiping, "vm_images", lambda *_: VmImages(image, image))
    lines: list[str] = []
    ended = destroy_cluster(
        site.directory,
        say=lines.append,
        wiping=Wiping(site.directory, {**LIMITS, Phase.BOOTSTRAP_VM: 0.0}, unseen),
    )
    assert list(ended.failed) == ["disks"]
    assert "bootstrap-vm took longer" in ended.failed["disks"]
    assert ended.wiped == frozenset()
    assert ended.files is None
    assert site.driver.machines() == ()
    assert set(site.power().values()) == {Power.OFF}
    assert {f"{name}: switched off" for name in (FIRST, SECOND, OLD)} <= set(lines)
    kubeconfig = site.directory.hidden / "wipe/kubeconfig"
    assert stat.S_IMODE(kubeconfig.stat().st_mode) == 0o600
    assert not (site.directory.hidden / "machines/config-2.iso").exists()

    again = site.run("destroy", "cluster")
    assert again.returncode == 0, again.stderr
    assert not kubeconfig.exists()
