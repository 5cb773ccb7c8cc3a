"""What the bootstrap is told: one file, written by the installer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from ingot.errors import ExitCode, IngotError
from ingot.node.bootstrap.stage import Goal
from ingot.onprem.model import Address

__all__ = ["FILE", "Options", "OptionsError", "Places", "read"]

FILE = Path("/etc/ingot/bootstrap.json")


class OptionsError(IngotError):
    """The file does not say what the bootstrap has to know."""

    exit_code = ExitCode.USAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where things are on the bootstrap VM; tests have them elsewhere.

    Attributes:
        told: what the installer wrote.
        state: what we write down.
        kubernetes: kubeadm's folder.
    """

    told: Path = Path("/etc/ingot")
    state: Path = Path("/var/lib/ingot/bootstrap")
    kubernetes: Path = Path("/etc/kubernetes")

    @property
    def manifests(self) -> Path:
        """What is applied to the cluster, in the order of names."""
        return self.told / "manifests"

    @property
    def waiting_pods(self) -> Path:
        """Static pods whose turn has not come."""
        return self.told / "static"

    @property
    def metal3(self) -> Path:
        """What the metal3 pod is told."""
        return self.told / "metal3"

    @property
    def pods(self) -> Path:
        """Static pods that the kubelet runs."""
        return self.kubernetes / "manifests"

    @property
    def kubeconfig(self) -> Path:
        """The administrator's, as kubeadm writes it."""
        return self.kubernetes / "admin.conf"

    @property
    def etcd_pki(self) -> Path:
        """Certificates for etcd."""
        return self.kubernetes / "pki/etcd"

    @property
    def done(self) -> Path:
        """Is there when the VIP may go; the on-prem monitor looks for it."""
        return self.state / "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """All that the bootstrap is told.

    Attributes:
        name: the VM's own name.
        api_vips: where the API is reached, now and later.
        vips: all virtual addresses of the cluster.
        control_plane: the names of the servers that become it.
        namespace: where their BareMetalHosts are.
        goal: what the VM is for.
        wiped: the names of the servers whose disks are cleaned, where it is for that.
    """

    name: str
    api_vips: tuple[Address, ...]
    vips: tuple[Address, ...]
    control_plane: tuple[str, ...]
    namespace: str = "metal3"
    goal: Goal = Goal.INSTALL
    wiped: tuple[str, ...] = ()


def read(path: Path = FILE) -> Options:
    """Return what the file says.

    Raises:
        OptionsError: it is not there, or cannot be used.
    """
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return Options(
            name=str(said["name"]),
            api_vips=tuple(map(ip_address, said["apiVIPs"])),
            vips=tuple(map(ip_address, said["vips"])),
            control_plane=tuple(map(str, said["controlPlane"])),
            namespace=str(said.get("namespace", "metal3")),
            goal=Goal(said.get("goal", Goal.INSTALL)),
            wiped=tuple(map(str, said.get("wiped", ()))),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise OptionsError(
            f"{path} cannot be used: {error!r}",
            remedy="it is made by `ingot create ignition-configs`: make it again",
        ) from error
