"""What will once be the bootstrap VM's: Ironic with DHCP, TFTP and HTTP, on a lab's network.

All from the parts of the metal3 image, in the lab's own network namespace.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.payload.bootpartition import BOOT_PARTITION, boot_partition
from ingot.payload.debianlayers import metal3_root
from ingot.payload.pythontree import TREE, ironic_tree
from tests.e2e.site import eventually

API_PORT = 6385
HTTP_PORT = 6180
SHARED = "shared/html"
TFTP = "shared/tftp"

IRONIC_CONF = """\
[DEFAULT]
auth_strategy = noauth
host = provisioner
rpc_transport = none
my_ip = {inner}
enabled_hardware_types = ipmi,redfish
enabled_bios_interfaces = no-bios,redfish
enabled_boot_interfaces = ipxe,redfish-virtual-media
enabled_deploy_interfaces = direct
enabled_firmware_interfaces = no-firmware,redfish
enabled_inspect_interfaces = agent,redfish,no-inspect
enabled_management_interfaces = ipmitool,redfish
enabled_network_interfaces = noop
enabled_power_interfaces = ipmitool,redfish
enabled_raid_interfaces = no-raid,redfish
enabled_vendor_interfaces = no-vendor,ipmitool,redfish
default_inspect_interface = agent
isolinux_bin = /usr/lib/ISOLINUX/isolinux.bin
ldlinux_c32 = /usr/lib/syslinux/modules/bios/ldlinux.c32
[agent]
deploy_logs_collect = never
[api]
host_ip = 0.0.0.0
port = 6385
[conductor]
automated_clean = true
bootloader = file:///usr/share/ingot/esp.img
deploy_kernel = file:///shared/html/images/kernel
deploy_ramdisk = file:///shared/html/images/initrd
file_url_allowed_paths = /shared/html/images,/usr/share/ingot
power_state_change_timeout = 60
[database]
connection = sqlite:////tmp/ironic.sqlite
[deploy]
default_boot_option = local
erase_devices_priority = 0
erase_devices_metadata_priority = 10
external_callback_url = http://{outer}:6385
external_http_url = http://{outer}:6180
http_root = /shared/html
http_url = http://{inner}:6180
[dhcp]
dhcp_provider = none
[inspector]
require_managed_boot = false
[ipmi]
cipher_suite_versions = 3,17
command_retry_timeout = 30
min_command_interval = 1
[pxe]
ipxe_config_template = /opt/ironic/lib/ironic/drivers/modules/ipxe_config.template
kernel_append_params = {arguments}
tftp_root = /shared/tftp
tftp_server = {inner}
[redfish]
kernel_append_params = {arguments}
use_swift = false
[service_catalog]
endpoint_override = http://{inner}:6385
"""

NGINX_CONF = """\
daemon off;
error_log stderr;
pid /run/nginx.pid;
user root;
events {}
http {
    access_log /dev/stdout;
    sendfile on;
    server {
        listen 6180;
        root /shared/html;
    }
}
"""

DNSMASQ_CONF = """\
port=0
keep-in-foreground
log-facility=-
log-dhcp
user=root
interface=provisioning
bind-interfaces
dhcp-range={first},{last},1h
dhcp-option=3
dhcp-leasefile=/run/leases
dhcp-match=set:ipxe,175
dhcp-match=set:efi,option:client-arch,7
dhcp-match=set:efi,option:client-arch,9
dhcp-boot=tag:ipxe,http://{inner}:6180/boot.ipxe
dhcp-boot=tag:!ipxe,tag:efi,snponly.efi
dhcp-boot=tag:!ipxe,tag:!efi,undionly.kpxe
enable-tftp
tftp-root=/shared/tftp
"""

ASK = """
import sys, urllib.error, urllib.request
method, url, body = sys.argv[1:]
request = urllib.request.Request(
    url, method=method, data=body.encode() or None,
    headers={"Content-Type": "application/json", "X-OpenStack-Ironic-API-Version": "latest"},
)
try:
    with urllib.request.urlopen(request, timeout=60) as answer:
        print(answer.read().decode() or "null")
except urllib.error.HTTPError as refused:
    sys.exit(f"{refused}: {refused.read().decode()}")
"""


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
        return self.root / SHARED / "images"

    @property
    def images_url(self) -> str:
        return f"http://{self.outer}:{HTTP_PORT}/images"

    @property
    def log(self) -> str:
        return (self.folder / "ironic.log").read_text(encoding="utf-8", errors="replace")

    def command(self, *command: str | Path) -> list[str]:
        """Return a command that runs on the lab's network."""
        return ["ip", "netns", "exec", self.namespace, *map(str, command)]

    def ask(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON of any kind
        """Call Ironic's API."""
        done = self.try_to_ask(method, path, body)
        assert done.returncode == 0, f"{method} {path}:\n{done.stderr}\n{self.log[-3000:]}"
        return json.loads(done.stdout)

    def try_to_ask(
        self, method: str, path: str, body: object = None
    ) -> subprocess.CompletedProcess[str]:
        """Call Ironic's API and return how it went."""
        text = "" if body is None else json.dumps(body)
        url = f"http://{self.inner}:{API_PORT}{path}"
        return subprocess.run(
            self.command("python3", "-c", ASK, method, url, text),
            check=False, capture_output=True, text=True, timeout=120,
        )  # fmt: skip

    def inside(self, *command: str) -> list[str]:
        """Return a command that runs in the image's root, on the lab's network."""
        # A mount namespace of its own, so that its /proc and devices go with it.
        mounts = (
            f'mount -t proc proc "{self.root}/proc"'
            f' && mount --bind /dev "{self.root}/dev" && exec chroot "{self.root}" "$@"'
        )
        return self.command("unshare", "--mount", "sh", "-c", mounts, "sh", *command)


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
    inner, outer = f"{prefixes[0]}.2", f"{prefixes[1]}.2"
    made = Provisioner(namespace, folder, inner, outer)
    _unpack(made, ramdisk)
    conf = made.root / "etc"
    (conf / "ironic.conf").write_text(
        IRONIC_CONF.format(
            inner=inner, outer=outer, arguments=f"console=tty0 console=ttyS0 {arguments}"
        ),
        encoding="utf-8",
    )
    (conf / "nginx.conf").write_text(NGINX_CONF, encoding="utf-8")
    (conf / "dnsmasq.conf").write_text(
        DNSMASQ_CONF.format(inner=inner, first=f"{prefixes[0]}.10", last=f"{prefixes[0]}.99"),
        encoding="utf-8",
    )
    for address, bridge in ((inner, "provisioning"), (outer, "baremetal")):
        subprocess.run(
            made.command("ip", "address", "add", f"{address}/24", "dev", bridge), check=True
        )
    config = ("--config-file", "/etc/ironic.conf")
    subprocess.run(
        made.inside("/usr/bin/ironic-dbsync", *config, "create_schema"),
        check=True, capture_output=True,
    )  # fmt: skip
    with ExitStack() as ending:
        _start(ending, made, "nginx", ["/usr/sbin/nginx", "-c", "/etc/nginx.conf"])
        _start(ending, made, "dnsmasq", ["/usr/sbin/dnsmasq", "--conf-file=/etc/dnsmasq.conf"])
        ironic = _start(ending, made, "ironic", ["/usr/bin/ironic", *config])

        def answers() -> bool:
            assert ironic.poll() is None, f"Ironic ended:\n{made.log[-3000:]}"
            return made.try_to_ask("GET", "/v1/drivers").returncode == 0

        eventually(answers, within=120)
        yield made


def _start(
    ending: ExitStack, provisioner: Provisioner, name: str, command: Sequence[str]
) -> subprocess.Popen[bytes]:
    log = ending.enter_context((provisioner.folder / f"{name}.log").open("wb"))
    process = ending.enter_context(
        subprocess.Popen(
            provisioner.inside(*command),
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
        )
    )  # fmt: skip
    ending.callback(os.killpg, process.pid, signal.SIGKILL)
    return process


def _unpack(provisioner: Provisioner, ramdisk: Ramdisk) -> None:
    base, tree = metal3_root(), ironic_tree()
    boot = boot_partition(base)
    made = {
        one.artefact.key: one.artefact.path for one in make(Store(), [base, tree, boot], Silent())
    }
    root = provisioner.root
    root.mkdir()
    for tar in (made[base.key] / "root.tar", made[tree.key] / TREE):
        subprocess.run(["tar", "--extract", "--file", tar, "--directory", root], check=True)
    (root / "usr/bin/mkisofs").symlink_to("xorrisofs")
    (root / "usr/share/ingot").mkdir(parents=True)
    shutil.copyfile(made[boot.key] / BOOT_PARTITION, root / "usr/share/ingot/esp.img")
    for folder in (f"{SHARED}/images", TFTP, "proc", "dev", "run", "tmp", "var/lib/nginx"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ramdisk.kernel, root / SHARED / "images/kernel")
    shutil.copyfile(ramdisk.initrd, root / SHARED / "images/initrd")
    for rom in ("undionly.kpxe", "snponly.efi"):
        shutil.copyfile(root / "usr/lib/ipxe" / rom, root / TFTP / rom)
