"""Where things are on a node: what kubeadm writes, what was given, and what is ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ingot.configserver import joinfile

__all__ = ["Places"]

_COMPONENTS: Final = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "etcd")
_KUBECONFIGS: Final = (
    "kubelet.conf",
    "bootstrap-kubelet.conf",
    "admin.conf",
    "super-admin.conf",
    "controller-manager.conf",
    "scheduler.conf",
)
_SIGNED_HERE: Final = (
    "apiserver",
    "apiserver-kubelet-client",
    "apiserver-etcd-client",
    "front-proxy-client",
    "etcd/server",
    "etcd/peer",
    "etcd/healthcheck-client",
)
"""Certificates that kubeadm signs on the node; the authorities beside them were given to it."""


@dataclass(frozen=True, slots=True)
class Places:
    """Paths below a root.

    Attributes:
        root: `/`, but for tests.
    """

    root: Path = Path("/")

    @property
    def join_file(self) -> Path:
        """What this node was told."""
        return self.root / joinfile.PATH.removeprefix("/")

    @property
    def stamp(self) -> Path:
        """There once this machine has joined."""
        return self.root / "var/lib/ingot/joined"

    @property
    def run(self) -> Path:
        """What only a try needs."""
        return self.root / "run/ingot/join"

    @property
    def chosen_address(self) -> Path:
        """Where the monitor of the node's network keeps what it has chosen."""
        return self.root / "var/lib/ingot/onprem/node-address.json"

    @property
    def kubernetes(self) -> Path:
        """The folder of kubeadm."""
        return self.root / "etc/kubernetes"

    @property
    def pki(self) -> Path:
        """Certificates and keys."""
        return self.kubernetes / "pki"

    @property
    def kubelet_config(self) -> Path:
        """What kubelet reads; it starts only where it is."""
        return self.root / "var/lib/kubelet/config.yaml"

    @property
    def etcd_data(self) -> Path:
        """What this node's etcd keeps."""
        return self.root / "var/lib/etcd"

    def manifest(self, component: str) -> Path:
        """Return where the static pod of a component is."""
        return self.kubernetes / "manifests" / f"{component}.yaml"

    def manifests(self) -> Iterator[Path]:
        """Yield the static pods that kubeadm writes; those of others are beside them."""
        yield from map(self.manifest, _COMPONENTS)

    def written_by_kubeadm(self, *, control_plane: bool) -> Iterator[Path]:
        """Yield all other files that kubeadm or kubelet may have written on a try."""
        yield from (self.kubernetes / name for name in _KUBECONFIGS)
        for name in _SIGNED_HERE:
            yield from (self.pki / f"{name}.crt", self.pki / f"{name}.key")
        if not control_plane:
            yield self.pki / "ca.crt"  # it comes with the discovery; kubeadm wants to write it
        yield self.kubelet_config
        yield self.kubelet_config.with_name("instance-config.yaml")
        yield self.kubelet_config.with_name("kubeadm-flags.env")
        yield from sorted((self.kubelet_config.parent / "pki").glob("kubelet*"))
