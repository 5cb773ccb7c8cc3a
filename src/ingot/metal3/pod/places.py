"""Where things are inside the pod's containers.

Whatever a program writes is below `/shared`, which all containers have; the rest of their roots is
read-only. It is one file system, and has to be: Ironic makes hard links between its caches and what
it serves, and fails where it cannot.
"""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Final

__all__ = [
    "AUTH",
    "BMC_CA",
    "CONF",
    "DATABASE",
    "DNSMASQ_CONF",
    "FOLDERS",
    "GIVEN",
    "HOSTS",
    "HTPASSWD",
    "IMAGES",
    "INSPECTOR",
    "IRONIC_CONF",
    "KUBECONFIG",
    "LEASES",
    "LOG",
    "NGINX_CONF",
    "NGINX_PID",
    "NGINX_SCRATCH",
    "RAMDISK_FILES",
    "SHARED",
    "TEMPORARY",
    "WORK",
]

SHARED: Final = PurePosixPath("/shared")
CONF: Final = SHARED / "conf"
IRONIC_CONF: Final = CONF / "ironic.conf"
DNSMASQ_CONF: Final = CONF / "dnsmasq.conf"
NGINX_CONF: Final = CONF / "nginx.conf"
HTPASSWD: Final = CONF / "htpasswd"
BMC_CA: Final = CONF / "bmc-ca.crt"
INSPECTOR: Final = SHARED / "html/inspector.ipxe"
IMAGES: Final = SHARED / "html/images"
"""The media: mounted here, so that nobody copies an image of gigabytes."""
LOG: Final = SHARED / "log"
DATABASE: Final = SHARED / "db/ironic.sqlite"
LEASES: Final = SHARED / "run/dnsmasq.leases"
HOSTS: Final = SHARED / "run/hosts"
"""A file for each host that DHCP answers, as dnsmasq follows them."""
NGINX_PID: Final = SHARED / "run/nginx.pid"
NGINX_SCRATCH: Final = SHARED / "run/nginx"
WORK: Final = SHARED / "cache"
TEMPORARY: Final = WORK / "tmp"

FOLDERS: Final = (
    CONF,
    SHARED / "db",
    SHARED / "html",
    LOG,
    LOG / "ironic/deploy",
    SHARED / "ramdisk",
    SHARED / "run",
    HOSTS,
    NGINX_SCRATCH,
    SHARED / "tftp",
    WORK,
    TEMPORARY,
)
"""What has to be there before anything starts."""

RAMDISK_FILES: Final = ("kernel", "initrd")
"""What of the media is copied: 80 to 110 MB once, which every host's boot files then link to."""

GIVEN: Final = PurePosixPath("/etc/ingot/metal3")
"""settings.json, tls.crt, tls.key, ca.crt, username and password."""
AUTH: Final = PurePosixPath("/run/ingot/auth")
"""`ironic/username` and `ironic/password` below it, as the operator looks for them."""
KUBECONFIG: Final = PurePosixPath("/run/ingot/kubeconfig")
