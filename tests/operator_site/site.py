"""A whole site: everything that an operator needs, and operators at will."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.integration.ironic.service import Service, unpacked_root
from tests.integration.metal3.served import NAMESPACE
from tests.operator_site.bmcs import Bmcs, bmcs
from tests.operator_site.cluster import Cluster, cluster
from tests.operator_site.counting import RequestLog
from tests.operator_site.crowd import DEPROVISIONED, host_of, name_of, provisioned, secret_of
from tests.operator_site.following import Following, Json, following, state_of
from tests.operator_site.ironic import Hardware, conf_of, ironic
from tests.operator_site.operator import Operator


@dataclass
class OperatorSite:
    """A running site, without operators at first.

    Attributes:
        hosts: all hosts as the API server shows them.
        requests: what Ironic was asked.
    """

    folder: Path
    hardware: Hardware
    cluster: Cluster
    ironic: Service
    bmcs: Bmcs
    hosts: Following
    requests: RequestLog
    operators: list[Operator] = field(default_factory=list)

    def operator(self, **environment: str) -> Operator:
        """Return another operator, not started; it ends with the site at the latest."""
        told = {
            "KUBECONFIG": str(self.cluster.api.kubeconfig()),
            "POD_NAMESPACE": NAMESPACE,
            "IRONIC_ENDPOINT": self.ironic.access.root,
            "DEPLOY_KERNEL_URL": f"{self.bmcs.root}/images/kernel",
            "DEPLOY_RAMDISK_URL": f"{self.bmcs.root}/images/initrd",
            "INGOT_HEALTH_PORT": "0",
        }
        if self.hardware is Hardware.FAKE:
            told["INGOT_DRIVER"] = str(self.hardware)
        log = self.folder / f"operator-{len(self.operators)}.log"
        made = Operator({**told, **environment}, log)
        self.operators.append(made)
        return made

    def end_operators(self) -> None:
        """Kill those that still run."""
        for one in self.operators:
            one.kill()

    def add_hosts(self, numbers: Iterable[int]) -> None:
        """Create hosts with their Secrets."""
        for number in numbers:
            self.cluster.create(secret_of(number))
            self.cluster.create(host_of(number, self.bmcs))

    def provision(self, numbers: Iterable[int]) -> None:
        """Want hosts provisioned, each with what needs no agent."""
        change = provisioned(self.bmcs, self.hardware)
        for number in numbers:
            self.cluster.patch_host(name_of(number), change)

    def deprovision(self, numbers: Iterable[int]) -> None:
        """Want hosts available again, and off."""
        for number in numbers:
            self.cluster.patch_host(name_of(number), DEPROVISIONED)

    def wait_until_available(self, count: int, *, within: float) -> None:
        """Return once so many hosts are available."""
        self.hosts.wait(lambda host: state_of(host) == "available", count=count, within=within)

    def wait_until_provisioned(self, count: int, *, within: float) -> None:
        """Return once so many hosts are provisioned, and on.

        The power of hardware that Ironic makes up is unknown until it was set once.
        """
        has_power = self.hardware is Hardware.REDFISH

        def is_up(host: Json) -> bool:
            up = bool(host.get("status", {}).get("poweredOn")) or not has_power
            return up and state_of(host) == "provisioned"

        self.hosts.wait(is_up, count=count, within=within)


@contextmanager
def metal3_root(folder: Path) -> Iterator[Path]:
    """Have the root of the metal3 image until the end of the block: pytest would keep it."""
    root = unpacked_root(folder)
    try:
        yield root
    finally:
        shutil.rmtree(root)


@contextmanager
def operator_site(
    folder: Path, root: Path, *, count: int, hardware: Hardware = Hardware.REDFISH
) -> Iterator[OperatorSite]:
    """Run a site with room for so many hosts until the end of the block.

    Args:
        folder: for logs and everything else.
        root: of the metal3 image, unpacked.
        count: how many BMCs answer.
        hardware: what Ironic drives.
    """
    with ExitStack() as stack:
        emulated = stack.enter_context(bmcs(folder, count))
        served = stack.enter_context(cluster(folder / "kube"))
        conf = conf_of(hardware, files=emulated.root)
        service = stack.enter_context(ironic(root, folder, conf))
        hosts = stack.enter_context(following(served.api))
        site = OperatorSite(
            folder, hardware, served, service, emulated, hosts, RequestLog(service.log)
        )
        stack.callback(site.end_operators)
        yield site
