"""Which Debian packages a node is made of."""

from __future__ import annotations

from ingot.artefact.recipe import Recipe
from ingot.debian.root import debian_root

__all__ = ["node_debian"]

PACKAGES = (
    # the system itself
    "ca-certificates",
    "chrony",
    "dbus",
    "kmod",
    "libnss-myhostname",
    "libpam-systemd",
    "procps",
    "systemd",
    "systemd-repart",
    "systemd-resolved",
    "systemd-sysv",
    "udev",
    # first boot; gdisk does Ignition's partitions
    "e2fsprogs",
    "gdisk",
    "ignition",
    # kubelet, kube-proxy and CNI plugins call these
    "conntrack",
    "ethtool",
    "iproute2",
    "iptables",
    "nftables",
    "runc",
    # ingot
    "python3",
    # people
    "iputils-ping",
    "openssh-server",
    "sudo",
)


def node_debian() -> Recipe:
    """Return the recipe of the Debian root that nodes are made from."""
    return debian_root("node-debian", PACKAGES, disk_bytes=2_000_000_000)
