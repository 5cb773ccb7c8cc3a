"""The life of a host in the hands of real Ironic: from an empty disk to an image, and back."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv4Network
from pathlib import Path

from ingot.lab.plan import BmcKind, HostPlan
from ingot.machine.model import BootMode
from tests.e2e.configs import config, file, login
from tests.e2e.lab import TestLab
from tests.e2e.provisioner import Provisioner, Ramdisk, running_provisioner
from tests.e2e.site import eventually

GREETING = "written by Ignition"
CAPABILITIES = {BootMode.LEGACY: "boot_mode:bios", BootMode.UEFI: "boot_mode:uefi"}


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


@contextmanager
def lives(
    lab: TestLab, folder: Path, *, ramdisk: Ramdisk, image: Path, key: Path, patience: int = 1
) -> Iterator[dict[BmcKind, Future[Story]]]:
    """Begin the life of every host of a lab, side by side.

    Args:
        lab: the lab, each of whose hosts has a BMC of another kind.
        folder: an empty one to work in.
        ramdisk: what hosts boot the agent from.
        image: what is written to their disks.
        key: the private SSH key of whoever tests.
        patience: how many times longer than usual things may take.
    """
    networks = lab.plan.networks
    assert networks.provisioning is not None
    prefixes = (prefix_of(networks.provisioning), prefix_of(networks.external))
    with (
        running_provisioner(
            lab.plan.namespace, folder, prefixes=prefixes, ramdisk=ramdisk
        ) as provisioner,
        ThreadPoolExecutor(len(lab.plan.hosts)) as threads,
    ):
        shutil.copyfile(image, provisioner.images / "disk.img")
        with image.open("rb") as content:
            checksum = hashlib.file_digest(content, "sha256").hexdigest()
        teller = Teller(lab, provisioner, key, checksum, patience)
        yield {host.bmc.kind: threads.submit(teller.tell, host) for host in lab.plan.hosts}


def prefix_of(network: IPv4Network) -> str:
    """Return the first three numbers of a network's addresses."""
    return str(network.network_address).rpartition(".")[0]


@dataclass(frozen=True)
class Teller:
    """Takes a host through its life."""

    lab: TestLab
    ironic: Provisioner
    key: Path
    checksum: str
    patience: int

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
        story.partitions_after = partitions(self.lab, host)
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
                "properties": {"capabilities": CAPABILITIES[host.boot_mode]},
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
            eventually(reached, within=within * self.patience, every=2)
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
                lambda: self.lab.ssh(host.name, self.key, "true").returncode == 0,
                within=240 * self.patience,
            )
        except TimeoutError as late:
            raise AssertionError(f"no SSH\n{self.tail(host.name)}") from late

    def ssh(self, host: HostPlan, command: str) -> str:
        done = self.lab.ssh(host.name, self.key, command)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def tail(self, host: str) -> str:
        return f"{self.lab.console(host)[-3000:]}\n--- Ironic\n{self.ironic.log[-3000:]}"


def partitions(lab: TestLab, host: HostPlan) -> str:
    """Return what is at the beginning of a host's first disk: `GPT` or `none`."""
    uml = lab.home / "machines" / host.name / "disk0.img"
    volumes = sorted((lab.home / "libvirt/pools").rglob(f"*{host.name}*disk*"))
    with next(iter([uml] if uml.exists() else volumes)).open("rb") as content:
        return "GPT" if content.read(1 << 20).find(b"EFI PART") >= 0 else "none"
