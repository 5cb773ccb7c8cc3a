"""DHCP and DNS of the lab's site, as a configuration of dnsmasq.

On the external network every planned host has its address and name, and whoever else comes, as the
bootstrap VM does, one of the upper half. `api` and `*.apps` name the VIPs, as an administrator
enters them before an installation; `api-int` is for the cluster's own DNS, so it is not there, and
whoever depends on it finds out. Nothing outside the lab has a name.

On the provisioning network there is nothing in mode `managed`, since the installer serves it. In
mode `unmanaged` the site has to: then there is DHCP that sends the control plane to the bootstrap
VM and all others to the cluster, as the field's own documents ask of an administrator.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

from ingot.lab.networks import BAREMETAL, PROVISIONING, provisioning_address
from ingot.lab.plan import HostPlan, LabPlan
from ingot.lab.words import Role
from ingot.machine.model import MacAddress

__all__ = ["Dnsmasq", "Lease", "NetworkBoot", "dnsmasq_of"]

HTTP_PORT = 6180
"""Where Ironic's files are served, in the field's own deployments."""

BOOTSTRAP_HOST, CLUSTER_HOST = 2, 3
"""The numbers of the bootstrap VM and of the cluster on the provisioning network, by default."""


@dataclass(frozen=True, slots=True)
class Lease:
    """What a host on the external network is given."""

    mac: MacAddress
    address: IPv4Address
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkBoot:
    """How the site answers on the provisioning network when nobody else does."""

    network: IPv4Network
    bootstrap: IPv4Address
    cluster: IPv4Address
    control_plane: tuple[MacAddress, ...]

    def render(self) -> str:
        """Return its lines; 175 is the option by which iPXE is known, 7, 9 and 11 are UEFI."""
        first, last = self.network[self.network.num_addresses // 2], self.network[-2]
        macs = "\n".join(f"dhcp-host={mac},set:control-plane" for mac in self.control_plane)
        return f"""
interface={PROVISIONING}
dhcp-range=set:{PROVISIONING},{first},{last},{self.network.netmask},1h
dhcp-option=tag:{PROVISIONING},option:router
dhcp-option=tag:{PROVISIONING},option:dns-server
dhcp-option=tag:{PROVISIONING},option:ntp-server
{macs}
dhcp-match=set:ipxe,175
dhcp-match=set:efi,option:client-arch,7
dhcp-match=set:efi,option:client-arch,9
dhcp-match=set:efi-arm64,option:client-arch,11
{self._files("control-plane", self.bootstrap)}
{self._files("!control-plane", self.cluster)}
"""

    @staticmethod
    def _files(group: str, server: IPv4Address) -> str:
        whom = f"tag:{PROVISIONING},tag:{group}"
        plain = f"{whom},tag:!ipxe"
        return f"""\
dhcp-boot={whom},tag:ipxe,http://{server}:{HTTP_PORT}/boot.ipxe
dhcp-boot={plain},tag:efi,snponly.efi,,{server}
dhcp-boot={plain},tag:efi-arm64,arm64-efi/snponly.efi,,{server}
dhcp-boot={plain},tag:!efi,tag:!efi-arm64,undionly.kpxe,,{server}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dnsmasq:
    """Everything that dnsmasq is told."""

    domain: str
    gateway: IPv4Address
    network: IPv4Network
    first: IPv4Address
    last: IPv4Address
    api: IPv4Address
    ingress: IPv4Address
    leases: tuple[Lease, ...]
    lease_file: Path
    network_boot: NetworkBoot | None = None

    def render(self) -> str:
        """Return its configuration file."""
        hosts = "\n".join(
            f"dhcp-host={lease.mac},{lease.address},{lease.name}" for lease in self.leases
        )
        names = "\n".join(
            f"host-record={lease.name}.{self.domain},{lease.address}" for lease in self.leases
        )
        return f"""\
# Written when the lab's daemon starts; changes are lost.
keep-in-foreground
log-facility=-
log-dhcp
user=root
pid-file
no-resolv
no-hosts
no-ping
bind-interfaces
except-interface=lo
interface={BAREMETAL}

domain={self.domain}
local=/{self.domain}/
host-record=api.{self.domain},{self.api}
address=/apps.{self.domain}/{self.ingress}
{names}

dhcp-authoritative
dhcp-leasefile={self.lease_file}
dhcp-range=set:{BAREMETAL},{self.first},{self.last},{self.network.netmask},12h
dhcp-option=tag:{BAREMETAL},option:router,{self.gateway}
dhcp-option=tag:{BAREMETAL},option:dns-server,{self.gateway}
dhcp-option=tag:{BAREMETAL},option:ntp-server,{self.gateway}
{hosts}
{self.network_boot.render() if self.network_boot else ""}"""


def dnsmasq_of(plan: LabPlan, lease_file: Path) -> Dnsmasq:
    """Return what a lab's dnsmasq is told."""
    networks = plan.networks
    first, last = networks.external_leases
    return Dnsmasq(
        domain=f"{plan.cluster_name}.{plan.base_domain}",
        gateway=networks.external_gateway,
        network=networks.external,
        first=first,
        last=last,
        api=networks.api_vip,
        ingress=networks.ingress_vip,
        leases=tuple(lease for host in plan.hosts for lease in _leases(host)),
        lease_file=lease_file,
        network_boot=_network_boot(plan),
    )


def _leases(host: HostPlan) -> list[Lease]:
    return [
        Lease(nic.mac, nic.address, host.name)
        for nic in host.nics
        if nic.bridge == BAREMETAL and nic.address is not None
    ]


def _network_boot(plan: LabPlan) -> NetworkBoot | None:
    network = plan.networks.provisioning
    if network is None or provisioning_address(plan.networks) is None:
        return None
    return NetworkBoot(
        network=network,
        bootstrap=network[BOOTSTRAP_HOST],
        cluster=network[CLUSTER_HOST],
        control_plane=tuple(
            nic.mac
            for host in plan.hosts
            if host.role == Role.CONTROL_PLANE
            for nic in host.nics
            if nic.bridge == PROVISIONING
        ),
    )
