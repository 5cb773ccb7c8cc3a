"""A lab with everything decided: names, addresses, MACs, disks, credentials.

A plan is made once, by `ingot lab create`, and kept; from then on it is only read. Which host has
which address can so be known without asking anyone.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ingot.lab.words import BmcKind, DriverKind, ProvisioningMode, Role
from ingot.machine.model import BootMode, MacAddress

__all__ = [
    "BmcKind",
    "BmcPlan",
    "DiskPlan",
    "DriverKind",
    "FaultPlan",
    "HostPlan",
    "LabPlan",
    "NetworkPlan",
    "NicPlan",
    "ProvisioningMode",
    "Role",
]


class Plan(BaseModel):
    """A part of a plan: immutable, and nothing unknown in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class NicPlan(Plan):
    """A card, its bridge, and the address it is given there, if any."""

    mac: MacAddress
    bridge: str
    port: str
    address: IPv4Address | None = None


class DiskPlan(Plan):
    """A disk."""

    size_gib: int
    serial: str
    wwn: str


class BmcPlan(Plan):
    """A BMC: Redfish on 443 and IPMI on 623 of its own address."""

    kind: BmcKind
    address: IPv4Address
    username: str
    password: str


class FaultPlan(Plan):
    """A fault that is there from the start; see `ingot.lab.faults`."""

    kind: str
    rate: float = 1.0
    times: int | None = None
    after: int = 0
    seed: int = 0
    amount: float | None = None


class HostPlan(Plan):
    """One host."""

    name: str
    role: Role
    uuid: str
    serial: str
    driver: DriverKind
    libvirt_uri: str | None = None
    memory_mib: int
    cpus: int
    boot_mode: BootMode
    nics: tuple[NicPlan, ...]
    """The provisioning card first, then the external one; the latter alone without a provisioning
    network."""
    disks: tuple[DiskPlan, ...]
    bmc: BmcPlan
    faults: tuple[FaultPlan, ...] = ()


class NetworkPlan(Plan):
    """The lab's three networks; each is a bridge of that name in the lab's network namespace."""

    external: IPv4Network
    external_gateway: IPv4Address
    """The lab's own address there: DHCP, DNS, NTP and the way out."""
    provisioning: IPv4Network | None
    provisioning_mode: ProvisioningMode
    out_of_band: IPv4Network
    out_of_band_gateway: IPv4Address
    api_vip: IPv4Address
    ingress_vip: IPv4Address
    uplink: str
    """The name of the link in the user's own network namespace."""
    uplink_outside: IPv4Interface
    """The address of that link."""
    uplink_inside: IPv4Interface
    """The address of its other end, in the lab's namespace."""

    @property
    def external_leases(self) -> tuple[IPv4Address, IPv4Address]:
        """First and last address that DHCP gives there to those the plan has no address for.

        It is the upper half: hosts are planned in the lower one.
        """
        return self.external[self.external.num_addresses // 2], self.external[-2]


class LabPlan(Plan):
    """The whole lab."""

    name: str
    directory: Path
    """Where the user's install-config.yaml was written."""
    namespace: str
    cluster_name: str
    base_domain: str
    networks: NetworkPlan
    hosts: tuple[HostPlan, ...]

    def host(self, name: str) -> HostPlan | None:
        """Return the host of that name."""
        return next((host for host in self.hosts if host.name == name), None)
