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
        disk_sha256: the checksum of the node image, `disk.img`.
        slow: whether its machines have no processor of their own, as those of a lab.
    """

    kubernetes: str
    onprem: str
    metal3: str
    disk_sha256: str
    slow: bool = False
