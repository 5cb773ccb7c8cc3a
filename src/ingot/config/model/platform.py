"""`platform.baremetal`: hosts, virtual IPs, the provisioning network and the bootstrap VM."""

from __future__ import annotations

from typing import Annotated

from ingot.config.model.host import Host
from ingot.config.model.section import (
    HIDDEN,
    OPENSHIFT_ONLY,
    Deprecated,
    Nothing,
    NotYet,
    PlatformChoice,
    Section,
)
from ingot.config.model.words import DnsRecordsType, LoadBalancerType, ProvisioningNetwork
from ingot.config.reading import (
    AddressRange,
    IPAddress,
    IPNetwork,
    MacAddress,
    address,
    address_range,
    choice,
    mac,
    network,
)

__all__ = ["BareMetal", "LoadBalancer", "LoadBalancerType", "Platform", "ProvisioningNetwork"]


class LoadBalancer(Section):
    """The load balancer in front of the API and of ingress."""

    type: Annotated[LoadBalancerType, choice("B10", LoadBalancerType)] = (
        LoadBalancerType.OPENSHIFT_MANAGED_DEFAULT
    )
    """Who runs it: the cluster itself (`OpenShiftManagedDefault`), or you (`UserManaged`; the
    VIPs are then the addresses of your balancer)."""


class BareMetal(Section):
    """The servers and the networks between them."""

    libvirt_uri: str = "qemu:///system"
    """Where the bootstrap VM is created; remote with `qemu+ssh://user@host/system`."""

    external_bridge: str = "baremetal"
    """The hypervisor's bridge to the machine network."""

    external_mac_address: Annotated[MacAddress | None, mac("R4")] = None
    """The MAC address of the bootstrap VM on the machine network. Made up when not given."""

    provisioning_network: Annotated[ProvisioningNetwork, choice("B1", ProvisioningNetwork)] = (
        ProvisioningNetwork.MANAGED
    )
    """Who runs the provisioning network: `Managed` (we serve DHCP and network boot), `Unmanaged`
    (your DHCP, our network boot), or `Disabled` (there is none; servers boot by virtual media)."""

    provisioning_bridge: str = ""
    """The hypervisor's bridge to the provisioning network. Default: `provisioning`, unless the
    network is Disabled."""

    provisioning_mac_address: Annotated[MacAddress | None, mac("R4")] = None
    """The MAC address of the bootstrap VM on the provisioning network. Made up when not given."""

    provisioning_network_interface: str = ""
    """The name of the card on the provisioning network, on control-plane servers. Found by the
    boot MAC addresses when not given."""

    provisioning_network_cidr: Annotated[IPNetwork | None, network("R9")] = None
    """The provisioning network. Default: `172.22.0.0/24`; when Disabled, the machine network that
    holds `clusterProvisioningIP`."""

    provisioning_dhcp_range: Annotated[AddressRange | None, address_range("R13")] = None
    """First and last address that DHCP hands out. Default in Managed: from the tenth address to
    the last but one."""

    provisioning_network_gateway: Annotated[IPAddress | None, address("B2")] = None
    """The router of the provisioning network, if servers need one there."""

    bootstrap_provisioning_ip: Annotated[IPAddress | None, address("B2")] = None
    """The bootstrap VM's address on the provisioning network. Default: the second address."""

    cluster_provisioning_ip: Annotated[IPAddress | None, address("B2")] = None
    """The address of the provisioning services in the finished cluster. Default: the third
    address."""

    provisioning_host_ip: Annotated[
        IPAddress | None, address("B2"), Deprecated("platform.baremetal.clusterProvisioningIP")
    ] = None
    """The old form of `clusterProvisioningIP`."""

    provisioning_dhcp_external: Annotated[
        bool, Deprecated("platform.baremetal.provisioningNetwork")
    ] = False
    """The old form of `provisioningNetwork: Unmanaged`."""

    api_vips: tuple[Annotated[IPAddress, address("P2")], ...] = ()
    """The virtual IP of the API; one of each family for dual stack. Required."""

    api_vip: Annotated[
        IPAddress | None, address("P2"), Deprecated("platform.baremetal.apiVIPs")
    ] = None
    """The old form of `apiVIPs`, for one address."""

    ingress_vips: tuple[Annotated[IPAddress, address("P2")], ...] = ()
    """The virtual IP of ingress (`*.apps`); one of each family for dual stack. Required."""

    ingress_vip: Annotated[
        IPAddress | None, address("P2"), Deprecated("platform.baremetal.ingressVIPs")
    ] = None
    """The old form of `ingressVIPs`, for one address."""

    hosts: tuple[Host, ...] = ()
    """The servers."""

    default_machine_platform: Nothing | None = None
    """An empty mapping."""

    bootstrap_external_static_ip: Annotated[IPAddress | None, address("X4")] = None
    """The bootstrap VM's address on the machine network, where there is no DHCP."""

    bootstrap_external_static_gateway: Annotated[IPAddress | None, address("X4")] = None
    """The bootstrap VM's router, where there is no DHCP."""

    bootstrap_external_static_dns: Annotated[IPAddress | None, address("X4")] = None
    """The bootstrap VM's name server, where there is no DHCP."""

    load_balancer: LoadBalancer = LoadBalancer()
    """The load balancer in front of the API and of ingress."""

    dns_records_type: Annotated[DnsRecordsType, choice("B11", DnsRecordsType)] = (
        DnsRecordsType.INTERNAL
    )
    """Who serves the names `api`, `api-int` and `*.apps`: the nodes themselves, or your DNS."""

    bgp_vip_config: Annotated[
        object, HIDDEN, NotYet("U4", "virtual IPs announced by BGP are not built yet")
    ] = None
    """Virtual IPs announced by BGP instead of VRRP."""

    additional_ntp_servers: tuple[str, ...] = ()
    """NTP servers, by name or address, for servers while they are provisioned and after."""

    bmc_verify_ca: Annotated[str, HIDDEN] = ""
    """Certificates, in PEM form, of the authorities that sign the BMCs' TLS certificates."""

    bootstrap_os_image: Annotated[object, OPENSHIFT_ONLY] = None
    """An image for the bootstrap VM. It has no effect: the VM boots our own image."""

    cluster_os_image: Annotated[str, HIDDEN] = ""
    """An image that is written to the servers instead of our own:
    `https://host/image.qcow2?sha256=<64 hexadecimal digits>`. It must not be compressed."""

    @property
    def vips_are_user_managed(self) -> bool:
        """Whether the VIPs are addresses of a load balancer that the cluster does not run."""
        return self.load_balancer.type is LoadBalancerType.USER_MANAGED

    @property
    def has_provisioning_network(self) -> bool:
        """Whether there is a network that servers boot from."""
        return self.provisioning_network is not ProvisioningNetwork.DISABLED


class Platform(PlatformChoice):
    """Where the cluster runs. Ingot knows one platform."""

    baremetal: BareMetal | None = None
    """Servers with BMCs."""
