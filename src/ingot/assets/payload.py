"""What a cluster runs: versions, names and checksums, told by whoever has the things themselves."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Payload"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """What a cluster runs.

    Attributes:
        kubernetes: the version, as kubeadm has it: `v1.36.3`.
        onprem: the container image of the monitor of a node's network.
        metal3: the container image that drives servers.
        traefik: the container image of the routers of applications.
        disk_sha256: the checksum of the node image, `disk.img`.
        kernel_sha256: that of the agent ramdisk's kernel; "" where it is not built.
        initrd_sha256: that of the agent ramdisk itself; likewise.
        slow: whether its machines have no processor of their own, as those of a lab.
    """

    kubernetes: str
    onprem: str
    metal3: str
    traefik: str
    disk_sha256: str
    kernel_sha256: str = ""
    initrd_sha256: str = ""
    slow: bool = False
