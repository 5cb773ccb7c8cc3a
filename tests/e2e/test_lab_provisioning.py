"""Real Ironic and the real agent take hosts of the lab from an empty disk to an image, and back.

One host for each way that a BMC can be spoken to; they go through it side by side.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ingot.lab.plan import BmcKind, HostPlan
from tests.e2e.configs import config, file, login
from tests.e2e.lab import TestLab, created_lab
from tests.e2e.provisioner import Provisioner, running_provisioner
from tests.e2e.site import eventually
from tests.e2e.uml import Hardware

LAB = f"prov{os.getpid()}"
KINDS = tuple(BmcKind)
GREETING = "written by Ignition"


@dataclass
class Story:
    """What became of a host."""

    host: HostPlan
    node: str = ""
    inventory: dict[str, object] = field(default_factory=dict)
    greeting: str = ""
    root_bytes: int = 0
    boots: list[str] = field(default_factory=list)
    """The firmware's words on where it booted from."""
    partitions_after: str = "?"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestLab]:
    folder = tmp_path_factory.mktemp("lab")
    options = ("--control-plane", "3", "--workers", "0", "--driver", "uml", "--bmc", "mixed")
    with created_lab(folder, *options, name=LAB) as created:
        yield created


@pytest.fixture(scope="module")
def provisioner(
    lab: TestLab, hardware: Hardware, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Provisioner]:
    networks = lab.plan.networks
    assert networks.provisioning is not None
    prefixes = tuple(
        str(network.network_address).rpartition(".")[0]
        for network in (networks.provisioning, networks.external)
    )
    with running_provisioner(
        lab.plan.namespace,
        tmp_path_factory.mktemp("provisioner"),
        prefixes=(prefixes[0], prefixes[1]),
        kernel=hardware.kernel,
    ) as running:
        shutil.copyfile(hardware.image, running.images / "disk.img")
        yield running


@pytest.fixture(scope="module")
def checksum(provisioner: Provisioner) -> str:
    with (provisioner.images / "disk.img").open("rb") as image:
        return hashlib.file_digest(image, "sha256").hexdigest()


@pytest.fixture(scope="module")
def stories(
    lab: TestLab, provisioner: Provisioner, hardware: Hardware, checksum: str
) -> Iterator[dict[BmcKind, Future[Story]]]:
    """Begin the stories of all hosts."""
    hosts = {host.bmc.kind: host for host in lab.plan.hosts}
    assert set(hosts) == set(KINDS)
    teller = Teller(lab, provisioner, hardware.key, checksum)
    with ThreadPoolExecutor(len(hosts)) as threads:
        yield {kind: threads.submit(teller.tell, host) for kind, host in hosts.items()}


@dataclass(frozen=True)
class Teller:
    """Takes a host through its life."""

    lab: TestLab
    ironic: Provisioner
    key: Path
    checksum: str

    def tell(self, host: HostPlan) -> Story:
        story = Story(host, node=self.enrolled(host))
        self.provision(story.node, "manage", "manageable", within=120)
        self.provision(story.node, "inspect", "manageable", within=600)
        story.inventory = self.ironic.ask("GET", f"/v1/nodes/{story.node}/inventory")["inventory"]
        self.provision(story.node, "provide", "available", within=600)
        self.deploy(story.node)
        self.wait_for_ssh(host)
        story.greeting = self.ssh(host, "cat /etc/greeting")
        story.root_bytes = int(self.ssh(host, "df --output=size -B1 / | tail -1"))
        self.provision(story.node, "deleted", "available", within=600)
        story.boots = [line for line in self.lab.console(host.name).splitlines() if "boot" in line]
        story.partitions_after = self.partitions(host)
        return story

    def enrolled(self, host: HostPlan) -> str:
        kind = host.bmc.kind
        credentials = {"username": host.bmc.username, "password": host.bmc.password}
        if kind is BmcKind.IPMI:
            driver, boot = "ipmi", "ipxe"
            information: dict[str, object] = {"ipmi_address": str(host.bmc.address)}
            information |= {f"ipmi_{name}": value for name, value in credentials.items()}
        else:
            driver = "redfish"
            boot = "redfish-virtual-media" if kind is BmcKind.REDFISH_VIRTUALMEDIA else "ipxe"
            information = {
                "redfish_address": f"https://{host.bmc.address}",
                "redfish_system_id": f"/redfish/v1/Systems/{host.uuid}",
                "redfish_verify_ca": False,
            }
            information |= {f"redfish_{name}": value for name, value in credentials.items()}
        node = self.ironic.ask(
            "POST",
            "/v1/nodes",
            {
                "name": host.name,
                "driver": driver,
                "boot_interface": boot,
                "driver_info": information,
                "properties": {"capabilities": "boot_mode:bios"},
            },
        )["uuid"]
        port = {"node_uuid": node, "address": host.nics[0].mac}
        self.ironic.ask("POST", "/v1/ports", port)
        return str(node)

    def provision(
        self, node: str, target: str, state: str, *, within: float, **body: object
    ) -> None:
        path = f"/v1/nodes/{node}/states/provision"
        self.ironic.ask("PUT", path, {"target": target, **body})

        def reached() -> bool:
            seen = self.ironic.ask("GET", f"/v1/nodes/{node}")
            said = f"{seen['name']}: {seen['provision_state']}: {seen['last_error']}"
            failed = seen["provision_state"].endswith("failed") or seen["provision_state"] in (
                "error", "enroll",
            )  # fmt: skip
            assert not (failed and seen["last_error"]), f"{said}\n{self.tail(seen['name'])}"
            return bool(seen["provision_state"] == state and seen["target_provision_state"] is None)

        try:
            eventually(reached, within=within, every=2)
        except TimeoutError as late:
            seen = self.ironic.ask("GET", f"/v1/nodes/{node}")
            raise AssertionError(
                f"{target}: {seen['provision_state']}\n{self.tail(seen['name'])}"
            ) from late

    def deploy(self, node: str) -> None:
        self.ironic.ask(
            "PATCH",
            f"/v1/nodes/{node}",
            [
                {
                    "op": "add",
                    "path": "/instance_info",
                    "value": {
                        "image_source": f"{self.ironic.images_url}/disk.img",
                        "image_os_hash_algo": "sha256",
                        "image_os_hash_value": self.checksum,
                        "image_disk_format": "raw",
                    },
                }
            ],
        )
        public = self.key.with_suffix(".pub").read_text(encoding="utf-8").strip()
        ignition = config(
            passwd={"users": [login(public)]},
            storage={"files": [file("/etc/greeting", GREETING)]},
        )
        drive = {"meta_data": {}, "user_data": json.dumps(ignition)}
        self.provision(node, "active", "active", within=900, configdrive=drive)

    def wait_for_ssh(self, host: HostPlan) -> None:
        try:
            eventually(
                lambda: self.lab.ssh(host.name, self.key, "true").returncode == 0, within=240
            )
        except TimeoutError as late:
            raise AssertionError(f"no SSH\n{self.tail(host.name)}") from late

    def ssh(self, host: HostPlan, command: str) -> str:
        done = self.lab.ssh(host.name, self.key, command)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def partitions(self, host: HostPlan) -> str:
        disk = self.lab.home / "machines" / host.name / "disk0.img"
        with disk.open("rb") as content:
            return "GPT" if content.read(1 << 20).find(b"EFI PART") >= 0 else "none"

    def tail(self, host: str) -> str:
        return f"{self.lab.console(host)[-3000:]}\n--- Ironic\n{self.ironic.log[-3000:]}"


@pytest.mark.parametrize("kind", KINDS)
def test_host_is_provisioned_and_deprovisioned(
    stories: dict[BmcKind, Future[Story]], kind: BmcKind
) -> None:
    story = stories[kind].result(timeout=1800)
    assert story.greeting == GREETING
    assert story.root_bytes > 4 << 30, "the root did not grow to the disk"
    assert story.partitions_after == "none"


@pytest.mark.parametrize("kind", KINDS)
def test_agent_finds_what_the_plan_says(
    stories: dict[BmcKind, Future[Story]], kind: BmcKind
) -> None:
    story = stories[kind].result(timeout=1800)
    disks, cards = story.inventory["disks"], story.inventory["interfaces"]
    assert isinstance(disks, list)
    assert isinstance(cards, list)
    assert next(disk["size"] for disk in disks) == story.host.disks[0].size_gib << 30
    assert [disk["serial"] for disk in disks] == [disk.serial for disk in story.host.disks]
    assert {card["mac_address"] for card in cards} == {nic.mac for nic in story.host.nics}
