"""ironic.conf: Ironic's API and conductor in one process, on a database that may vanish.

What is not here has Ironic's own default. What is here and not in the field's own image:

* `max_limit` is above any site's number of nodes, so that one listing is one answer; Ironic's
  default is 1,000, after which there is a second, empty one.
* The image's own paths: Debian has isolinux elsewhere than Ironic looks for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ingot.ironic.conf.interfaces import Interfaces
from ingot.ironic.conf.value import listed, one_line, oslo

__all__ = ["Api", "IronicConf", "Ramdisk", "Timing", "TlsFiles", "Urls"]

HTML = PurePosixPath("/shared/html")
TFTP = PurePosixPath("/shared/tftp")
DATABASE = PurePosixPath("/var/lib/ironic/ironic.sqlite")
RAMDISK = PurePosixPath("/shared/ramdisk")
"""A kernel and an initrd beside what is served: boot files are then links to them, not copies."""
OWN_FILES = PurePosixPath("/usr/share/ingot")


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """A certificate and its key, as PEM."""

    certificate: PurePosixPath
    key: PurePosixPath


@dataclass(frozen=True, slots=True, kw_only=True)
class Api:
    """How Ironic's API is served.

    Attributes:
        listen: the address it listens on; `::` is all of them.
        htpasswd: users with bcrypt hashes; None: nobody is asked who they are.
        tls: None: plain HTTP.
        max_limit: how many nodes a listing has at most.
    """

    listen: str = "::"
    port: int = 6385
    htpasswd: PurePosixPath | None = None
    tls: TlsFiles | None = None
    max_limit: int = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Urls:
    """Under which addresses others reach what Ironic offers.

    Attributes:
        api: the API, for agents on the provisioning network.
        http: the web server, for hosts on the provisioning network.
        external_api: the API, for agents that were booted over the external network.
        external_http: the web server, for BMCs, which fetch virtual media from it.
    """

    api: str
    http: str
    external_api: str | None = None
    external_http: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ramdisk:
    """What boots on a server to inspect, clean and deploy it."""

    kernel: str = f"file://{HTML}/images/kernel"
    initrd: str = f"file://{HTML}/images/initrd"
    bootloader: str = f"file://{OWN_FILES}/esp.img"
    kernel_parameters: str = "nofb nomodeset vga=normal"
    inspection_parameters: str = "ipa-inspection-collectors=default,logs ipa-collect-lldp=1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How long things may take, in seconds.

    A deployment may boot several times within `deploy_callback`: at every `boot_retry` the server
    is power-cycled once more.

    Its Redfish library tries every request ten times by itself. With Ironic's defaults, which are
    five times as many tries and half a minute for each connection, it takes 27 minutes to be told
    that there is no BMC at an address.

    Attributes:
        redfish_connect: for one connection to a BMC.
        redfish_read: for one answer; there are BMCs that take long to change a setting.
        redfish_tries: series of ten tries.
    """

    deploy_callback: int = 4800
    boot_retry: int = 1200
    power_change: int = 120
    ipmi_command_retry: int = 60
    ipmi_min_interval: int = 5
    redfish_connect: int = 5
    redfish_read: int = 60
    redfish_tries: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class IronicConf:
    """Everything that Ironic is told.

    Attributes:
        my_ip: its address on the provisioning network.
        urls: where others reach it.
        host: its name in its own records; with another one it would not know its locks again.
        database: a file, which is made anew whenever it is missing.
        work: where caches and temporary files are, on the file system of what is served: Ironic
            makes hard links between them, and fails where it cannot. None: its own places.
        fast_track: whether the ramdisk stays up between inspection, cleaning and deployment.
        discovery: whether unknown machines that boot become nodes.
        bmc_ca: what BMCs' certificates are checked against; None: the system's CAs.
        inspection_hooks: what makes nodes of inventories; `$default_hooks` stands for Ironic's own.
        deploy_logs: when the agent's log is kept: `always`, `on_failure` or `never`.
    """

    my_ip: str
    urls: Urls
    host: str = "ingot"
    api: Api = Api()
    interfaces: Interfaces = field(default_factory=Interfaces)
    ramdisk: Ramdisk = Ramdisk()
    timing: Timing = Timing()
    database: PurePosixPath = DATABASE
    work: PurePosixPath | None = None
    automated_clean: bool = True
    fast_track: bool = True
    discovery: bool = False
    discovery_driver: str = "ipmi"
    inspection_hooks: str = "$default_hooks,parse-lldp"
    bmc_ca: PurePosixPath | None = None
    deploy_logs: str = "always"
    debug: bool = False

    def render(self) -> str:
        """Return ironic.conf.

        Raises:
            UnusableValueError: a value has a line break in it.
        """
        on, timing, ramdisk, urls = self.interfaces, self.timing, self.ramdisk, self.urls
        return f"""\
[DEFAULT]
{self._authentication()}
debug = {oslo(self.debug)}
host = {oslo(self.host)}
my_ip = {oslo(self.my_ip)}
rpc_transport = none
hash_ring_algorithm = sha256
enabled_hardware_types = {listed(on.hardware_types)}
enabled_bios_interfaces = {listed(on.bios)}
enabled_boot_interfaces = {listed(on.boot)}
enabled_deploy_interfaces = {listed(on.deploy)}
enabled_firmware_interfaces = {listed(on.firmware)}
enabled_inspect_interfaces = {listed(on.inspect)}
enabled_management_interfaces = {listed(on.management)}
enabled_network_interfaces = {listed(on.network)}
enabled_power_interfaces = {listed(on.power)}
enabled_raid_interfaces = {listed(on.raid)}
enabled_vendor_interfaces = {listed(on.vendor)}
default_deploy_interface = {oslo(on.default_deploy)}
default_inspect_interface = {oslo(on.default_inspect)}
isolinux_bin = /usr/lib/ISOLINUX/isolinux.bin
ldlinux_c32 = /usr/lib/syslinux/modules/bios/ldlinux.c32
{self._place("tempdir", "tmp")}

[agent]
{self._place("certificates_path", "certificates")}
deploy_logs_collect = {oslo(self.deploy_logs)}
deploy_logs_local_path = /shared/log/ironic/deploy
max_command_attempts = 30

[api]
host_ip = {oslo(self.api.listen)}
port = {self.api.port}
max_limit = {self.api.max_limit}
{self._encryption()}

[auto_discovery]
enabled = {oslo(self.discovery)}
driver = {oslo(self.discovery_driver)}

[conductor]
automated_clean = {oslo(self.automated_clean)}
bootloader = {oslo(ramdisk.bootloader)}
deploy_callback_timeout = {timing.deploy_callback}
deploy_kernel = {oslo(ramdisk.kernel)}
deploy_ramdisk = {oslo(ramdisk.initrd)}
file_url_allowed_paths = {HTML}/images,{RAMDISK},{OWN_FILES}
node_history = false
power_state_change_timeout = {timing.power_change}
verify_step_priority_override = management.clear_job_queue:90

[database]
connection = sqlite:///{oslo(self.database)}
sqlite_synchronous = false

[deploy]
default_boot_option = local
erase_devices_metadata_priority = 10
erase_devices_priority = 0
external_callback_url = {oslo(urls.external_api or urls.api)}
external_http_url = {oslo(urls.external_http or urls.http)}
fast_track = {oslo(self.fast_track)}
http_root = {HTML}
http_url = {oslo(urls.http)}
{self._place("iso_master_path", "isos")}

[dhcp]
dhcp_provider = none

[inspector]
add_ports = all
extra_kernel_params = {oslo(ramdisk.inspection_parameters)}
hooks = {one_line(self.inspection_hooks)}
keep_ports = present
power_off = {oslo(not self.fast_track)}
require_managed_boot = false

[ipmi]
cipher_suite_versions = 3,17
command_retry_timeout = {timing.ipmi_command_retry}
min_command_interval = {timing.ipmi_min_interval}

[pxe]
boot_retry_timeout = {timing.boot_retry}
enable_netboot_fallback = true
{self._place("images_path", "instances")}
{self._place("instance_master_path", "instance-masters")}
{self._place("tftp_master_path", "boot-masters")}
ipxe_fallback_script = inspector.ipxe
kernel_append_params = {oslo(ramdisk.kernel_parameters)}
tftp_root = {TFTP}
tftp_server = {oslo(self.my_ip)}

[redfish]
connect_timeout = {timing.redfish_connect}
connection_attempts = {timing.redfish_tries}
connection_retry_interval = 10
read_timeout = {timing.redfish_read}
kernel_append_params = {oslo(ramdisk.kernel_parameters)}
use_swift = false
{f"verify_ca = {oslo(self.bmc_ca)}" if self.bmc_ca else ""}

[service_catalog]
endpoint_override = {oslo(urls.api)}
"""

    def _place(self, option: str, folder: str) -> str:
        return f"{option} = {oslo(self.work / folder)}" if self.work else ""

    def _authentication(self) -> str:
        if self.api.htpasswd is None:
            return "auth_strategy = noauth"
        return f"""\
auth_strategy = http_basic
http_basic_auth_user_file = {oslo(self.api.htpasswd)}"""

    def _encryption(self) -> str:
        if self.api.tls is None:
            return "enable_ssl_api = false"
        return f"""\
enable_ssl_api = true
cert_file = {oslo(self.api.tls.certificate)}
key_file = {oslo(self.api.tls.key)}"""
