"""A lab with all that provisions its hosts: API server, Ironic, boot servers and our operator.

The operator is a process of its own, told by its environment as its pod will be.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ingot.lab.plan import BmcKind, HostPlan
from ingot.machine.model import BootMode
from tests.e2e.hostlife import prefix_of
from tests.e2e.lab import TestLab
from tests.e2e.provisioner import API_PORT, Provisioner, Ramdisk, running_provisioner
from tests.e2e.site import eventually
from tests.integration.kubeapi import KubeApi, kube_api
from tests.integration.metal3.served import Served, manifests

INGOT_NODE = Path(sys.executable).with_name("ingot-node")
NAMESPACE = "default"
HOSTS = f"/apis/metal3.io/v1alpha1/namespaces/{NAMESPACE}/baremetalhosts"
SECRETS = f"/api/v1/namespaces/{NAMESPACE}/secrets"
BOOT_MODES = {BootMode.LEGACY: "legacy", BootMode.UEFI: "UEFI"}

Json = dict[str, Any]


@dataclass
class Operator:
    """The operator's process."""

    environment: Mapping[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [INGOT_NODE, "operator"],
                env={"PATH": os.environ["PATH"], **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def kill(self) -> None:
        """End it as hard as a power failure."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(30)

    def stop(self) -> int:
        """Tell it to end, and return how it ended."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(60)


@dataclass
class Metal3Site:
    """All of it, running."""

    lab: TestLab
    provisioner: Provisioner
    api: KubeApi
    operator: Operator
    key: Path
    checksum: str
    patience: int = 1
    told: list[str] = field(default_factory=list)

    def bmc_address(self, host: HostPlan) -> str:
        if host.bmc.kind is BmcKind.IPMI:
            return f"ipmi://{host.bmc.address}"
        return f"{host.bmc.kind}://{host.bmc.address}/redfish/v1/Systems/{host.uuid}"

    def add(self, host: HostPlan, **spec: object) -> None:
        """Create a host with its Secret."""
        credentials = {"username": host.bmc.username, "password": host.bmc.password}
        self.secret(f"{host.name}-bmc", credentials)
        bmc = {
            "address": self.bmc_address(host),
            "credentialsName": f"{host.name}-bmc",
            "disableCertificateVerification": host.bmc.kind is not BmcKind.IPMI,
        }
        wanted = {
            "online": True,
            "bmc": bmc,
            "bootMACAddress": host.nics[0].mac,
            "bootMode": BOOT_MODES[host.boot_mode],
            **spec,
        }
        body = {
            "apiVersion": "metal3.io/v1alpha1",
            "kind": "BareMetalHost",
            "metadata": {"name": host.name, "namespace": NAMESPACE},
            "spec": wanted,
        }
        self._ask("POST", HOSTS, body)

    def secret(self, name: str, content: Mapping[str, str]) -> None:
        """Create a Secret."""
        body = {"metadata": {"name": name}, "stringData": dict(content)}
        self._ask("POST", SECRETS, {"apiVersion": "v1", "kind": "Secret", **body})

    def change(self, name: str, change: Json) -> None:
        """Change a host by a merge patch."""
        self._ask("PATCH", f"{HOSTS}/{name}", change)

    def annotate(self, name: str, **annotations: str | None) -> None:
        """Set annotations of a host, or remove them."""
        named = {key.replace("__", "/").replace("_", "."): v for key, v in annotations.items()}
        self.change(name, {"metadata": {"annotations": named}})

    def delete(self, name: str) -> None:
        """Ask for a host to be deleted."""
        self._ask("DELETE", f"{HOSTS}/{name}")

    def get(self, name: str) -> Json | None:
        """Return a host, if it is there."""
        code, found = self._answer("GET", f"{HOSTS}/{name}")
        return found if code == 200 else None

    def status(self, name: str) -> Json:
        """Return a host's status."""
        found = self.get(name)
        status: Json = (found or {}).get("status", {})
        return status

    def hardware(self, name: str) -> Json:
        """Return what HardwareData tells of a host."""
        path = f"/apis/metal3.io/v1alpha1/namespaces/{NAMESPACE}/hardwaredata/{name}"
        found = self._ask("GET", path)
        hardware: Json = found["spec"]["hardware"]
        return hardware

    def reasons(self, name: str, awaited: frozenset[str]) -> set[str]:
        """Return the reasons of a host's events: at once when all awaited ones are among them.

        An event may come after the state that it tells of: it is written when there is time.
        """
        path = f"/api/v1/namespaces/{NAMESPACE}/events?limit=500"
        found: set[str] = set()

        def complete() -> bool:
            found.update(
                one["reason"]
                for one in self._ask("GET", path)["items"]
                if one["involvedObject"]["name"] == name
            )
            return found >= awaited

        with suppress(TimeoutError):
            eventually(complete, within=30 * self.patience, every=1)
        return found

    def await_state(self, name: str, *states: str, within: float) -> Json:
        """Wait until a host is in one of some states, without an error."""

        def reached(status: Json) -> bool:
            return status.get("provisioning", {}).get("state") in states and not status.get(
                "errorType"
            )

        return self.until(name, reached, within=within, what=" or ".join(states))

    def until(
        self, name: str, reached: Callable[[Json], bool], *, within: float, what: str
    ) -> Json:
        """Wait until something is true of a host's status."""

        def check() -> Json | None:
            status = self.status(name)
            return status if reached(status) else None

        began = time.monotonic()
        try:
            found = eventually(check, within=within * self.patience, every=1)
        except TimeoutError as late:
            raise AssertionError(f"{name} is not {what}\n{self.tail(name)}") from late
        self.told.append(f"{name}: {what} after {time.monotonic() - began:.0f} s")
        return found

    def await_gone(self, name: str, *, within: float) -> None:
        """Wait until a host is not there any more."""
        try:
            eventually(lambda: self.get(name) is None, within=within * self.patience)
        except TimeoutError as late:
            raise AssertionError(f"{name} is not gone\n{self.tail(name)}") from late

    def image(self) -> Json:
        """Return what to provision hosts with."""
        return {
            "url": f"{self.provisioner.images_url}/disk.img",
            "checksum": self.checksum,
            "checksumType": "sha256",
            "format": "raw",
        }

    def boot_id(self, host: str) -> str:
        """Return what tells one boot of a host from the next."""
        return self.ssh(host, "cat /proc/sys/kernel/random/boot_id").strip()

    def ssh(self, host: str, command: str, *, within: float = 240) -> str:
        """Run a command on a host that is coming up, or is up."""

        def done() -> str | None:
            tried = self.lab.ssh(host, self.key, command)
            return tried.stdout if tried.returncode == 0 else None

        try:
            return eventually(done, within=within * self.patience, every=2)
        except TimeoutError as late:
            raise AssertionError(f"{host} does not answer by SSH\n{self.tail(host)}") from late

    def tail(self, host: str) -> str:
        """Return what there is to say when something went wrong."""
        return "\n--- ".join(
            (
                json.dumps(self.status(host), indent=1)[-4000:],
                f"console\n{self.lab.console(host)[-2000:]}",
                f"Ironic\n{self.provisioner.log[-3000:]}",
                f"operator\n{self.operator.log.read_text('utf-8', errors='replace')[-4000:]}",
            )
        )

    def _ask(self, method: str, path: str, body: object = None) -> Json:
        code, found = self._answer(method, path, body)
        assert code < 300, (code, found)
        return found

    def _answer(self, method: str, path: str, body: object = None) -> tuple[int, Json]:
        # One connection for each question: tests ask from several threads.
        with closing(Served(self.api)) as served:
            return served.ask(method, path, body)


@contextmanager
def metal3_site(
    lab: TestLab,
    folder: Path,
    *,
    ramdisk: Ramdisk,
    image: Path,
    key: Path,
    options: Mapping[str, str] | None = None,
) -> Iterator[Metal3Site]:
    """Run all that provisions the hosts of a lab; it is gone afterwards.

    Args:
        lab: the lab, which has a provisioning network.
        folder: an empty one to work in.
        ramdisk: what hosts boot the agent from.
        image: what is written to their disks.
        key: the private SSH key of whoever tests.
        options: what else the operator is told.
    """
    networks = lab.plan.networks
    assert networks.provisioning is not None
    prefixes = (prefix_of(networks.provisioning), prefix_of(networks.external))
    for name in ("provisioner", "kube"):
        (folder / name).mkdir()
    with (
        kube_api(folder / "kube") as api,
        running_provisioner(
            lab.plan.namespace, folder / "provisioner", prefixes=prefixes, ramdisk=ramdisk
        ) as provisioner,
    ):
        for manifest in manifests():
            api.install(manifest)
        shutil.copyfile(image, provisioner.images / "disk.img")
        with image.open("rb") as content:
            checksum = hashlib.file_digest(content, "sha256").hexdigest()
        environment = {**told(api, provisioner), **(options or {})}
        operator = Operator(environment, folder / "operator.log")
        operator.start()
        try:
            yield Metal3Site(lab, provisioner, api, operator, key, checksum)
        finally:
            operator.kill()


def told(api: KubeApi, provisioner: Provisioner) -> dict[str, str]:
    """Return what the operator is told of such a site."""
    # Ironic itself reads these, so they are files of its own root.
    images = "file:///shared/html/images"
    return {
        "KUBECONFIG": str(api.kubeconfig()),
        "POD_NAMESPACE": NAMESPACE,
        "IRONIC_ENDPOINT": f"http://{provisioner.outer}:{API_PORT}",
        "METAL3_AUTH_ROOT_DIR": "/nonexistent",
        "DEPLOY_KERNEL_URL": f"{images}/kernel",
        "DEPLOY_RAMDISK_URL": f"{images}/initrd",
        "INGOT_DHCP_LOG": str(provisioner.dhcp_log),
        "INGOT_HTTP_LOG": str(provisioner.http_log),
        "INGOT_HEALTH_PORT": "0",
        "INGOT_LOG_LEVEL": "info",
    }
