"""What will once be the bootstrap VM's: Ironic with DHCP, TFTP and HTTP, on a lab's network.

All from the parts of the metal3 image, in the lab's own network namespace, and told what the metal3
pod will tell it.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path
from typing import NamedTuple

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.assets.metal3settings import NOBODY_TELLS
from ingot.ironic.conf import dnsmasq, nginx
from ingot.ironic.conf import ironic as conf
from ingot.ironic.conf.dnsmasq import ROMS, Dnsmasq, LeaseRange
from ingot.ironic.conf.ironic import IronicConf
from ingot.ironic.conf.nginx import WebServer
from ingot.metal3.pod.settings import CONSOLES
from ingot.payload.bootpartition import BOOT_PARTITION, boot_partition
from ingot.payload.debianlayers import metal3_root
from tests.e2e.ironic_api import IronicApi, Json
from tests.integration.ironic.root import inside, program, unpacked_root
from tests.integration.ironic.service import DATABASE, running

API_PORT = 6385
HTTP_PORT = 6180


class Ramdisk(NamedTuple):
    """What hosts boot the agent from."""

    kernel: Path
    initrd: Path


@dataclass(frozen=True)
class Provisioner:
    """A running one.

    Attributes:
        namespace: the lab's network namespace.
        folder: where it has its root and its logs.
        inner: its address on the provisioning network.
        outer: its address on the external network.
    """

    namespace: str
    folder: Path
    inner: str
    outer: str

    @property
    def root(self) -> Path:
        return self.folder / "root"

    @property
    def images(self) -> Path:
        return self.root / "shared/html/images"

    @property
    def dhcp_log(self) -> Path:
        return self.root / dnsmasq.LOG.relative_to("/")

    @property
    def http_log(self) -> Path:
        return self.root / nginx.BOOT_LOG.relative_to("/")

    @property
    def images_url(self) -> str:
        return f"http://{self.outer}:{HTTP_PORT}/images"

    @property
    def api(self) -> IronicApi:
        return IronicApi(
            self.namespace, f"http://{self.inner}:{API_PORT}", self.folder / "ironic.log"
        )

    @property
    def log(self) -> str:
        return self.api.log

    def command(self, *command: str | Path) -> list[str]:
        """Return a command that runs on the lab's network."""
        return ["ip", "netns", "exec", self.namespace, *map(str, command)]

    def ask(self, method: str, path: str, body: object = None) -> Json:
        """Call Ironic's API."""
        return self.api.ask(method, path, body)

    def inside(self, *command: str) -> list[str]:
        """Return a command that runs in the image's root, on the lab's network."""
        return inside(self.root, *command, namespace=self.namespace)


@contextmanager
def running_provisioner(
    namespace: str,
    folder: Path,
    *,
    prefixes: tuple[str, str],
    ramdisk: Ramdisk,
    arguments: str = "",
) -> Iterator[Provisioner]:
    """Start one; it is gone afterwards.

    Args:
        namespace: the lab's network namespace.
        folder: an empty one to work in.
        prefixes: the first three numbers of the provisioning and of the external network.
        ramdisk: what hosts boot the agent from.
        arguments: for the agent's kernel.
    """
    made = Provisioner(namespace, folder, f"{prefixes[0]}.2", f"{prefixes[1]}.2")
    _furnish(unpacked_root(folder), ramdisk)
    web = WebServer(port=HTTP_PORT, ipv6=False, user="root")
    (made.root / "etc/nginx.conf").write_text(web.render(), encoding="utf-8")
    dhcp = _dhcp(made, prefixes[0])
    (made.root / "etc/dnsmasq.conf").write_text(dhcp.render(), encoding="utf-8")
    for address, bridge in ((made.inner, dhcp.interface), (made.outer, "baremetal")):
        subprocess.run(
            made.command("ip", "address", "add", f"{address}/24", "dev", bridge), check=True
        )
    serving = made.inside("/usr/sbin/nginx", "-c", "/etc/nginx.conf")
    leasing = made.inside("/usr/sbin/dnsmasq", "--conf-file=/etc/dnsmasq.conf")
    with (
        program(serving, folder / "nginx.log"),
        program(leasing, folder / "dnsmasq.log"),
        running(made.root, folder, _conf(made, arguments), namespace=namespace),
    ):
        made.api.wait_until_ready()
        yield made
    shutil.rmtree(made.root)  # With the images that were put there, gigabytes.


def _conf(made: Provisioner, arguments: str) -> IronicConf:
    return IronicConf(
        my_ip=made.inner,
        urls=conf.Urls(
            api=f"http://{made.inner}:{API_PORT}",
            http=f"http://{made.inner}:{HTTP_PORT}",
            external_api=f"http://{made.outer}:{API_PORT}",
            external_http=f"http://{made.outer}:{HTTP_PORT}",
        ),
        api=conf.Api(listen="0.0.0.0", port=API_PORT),  # noqa: S104 - in the lab's network
        ramdisk=conf.Ramdisk(kernel_parameters=" ".join((*CONSOLES, NOBODY_TELLS, arguments))),
        timing=conf.Timing(power_change=60, ipmi_command_retry=30, ipmi_min_interval=1),
        database=DATABASE,
        fast_track=False,  # Each boot of the agent is one that the firmware has to get right.
        deploy_logs="never",
    )


def _dhcp(made: Provisioner, prefix: str) -> Dnsmasq:
    return Dnsmasq(
        interface="provisioning",
        server=IPv4Address(made.inner),
        http_url=f"http://{made.inner}:{HTTP_PORT}",
        ranges=(
            LeaseRange(
                first=IPv4Address(f"{prefix}.10"), last=IPv4Address(f"{prefix}.99"), prefix=24
            ),
        ),
        user="root",
    )


def _furnish(root: Path, ramdisk: Ramdisk) -> None:
    """Put what hosts boot where the configurations say that it is."""
    boot = boot_partition(metal3_root())
    built = make(Store(), [boot], Silent())[-1].artefact.path
    (root / "usr/bin/mkisofs").symlink_to("xorrisofs")
    own = root / conf.OWN_FILES.relative_to("/")
    own.mkdir(parents=True)
    shutil.copyfile(built / BOOT_PARTITION, own / "esp.img")
    for folder in ("run", "tmp", "var/lib/nginx", "shared/log"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    images = root / conf.HTML.relative_to("/") / "images"
    shutil.copyfile(ramdisk.kernel, images / "kernel")
    shutil.copyfile(ramdisk.initrd, images / "initrd")
    for name, rom in ROMS.items():
        shutil.copyfile(root / rom.relative_to("/"), root / conf.TFTP.relative_to("/") / name)
