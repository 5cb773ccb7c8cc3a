"""Provisioning: the provisioning network, as the installer hands it to the cluster."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import Field
from pydantic.dataclasses import dataclass

from ingot.kube.crd.definition import Definition, Scope
from ingot.kube.crd.wire import (
    INT32,
    INT64,
    OMIT_UNSET,
    STORED_DEFAULT,
    WIRE,
    Flag,
    Many,
    Publish,
    Text,
    Whole,
    map_by,
)
from ingot.metal3.api.conditions import Conditions
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.wire import GROUP, VERSION

__all__ = [
    "DEFINITION",
    "NAME",
    "BootIsoSource",
    "GenerationStatus",
    "PreprovisioningDownloads",
    "PrometheusExporter",
    "Provisioning",
    "ProvisioningNetwork",
    "ProvisioningSpec",
    "ProvisioningStatus",
    "UnsupportedOverrides",
]

NAME: Final = "provisioning-configuration"
"""There is one of it in a cluster, and this is its name."""

ONLY_GROWS = Publish(
    {"x-kubernetes-validations": [{"rule": "self >= oldSelf", "message": "must not decrease"}]}
)


class ProvisioningNetwork(StrEnum):
    """Who runs the provisioning network."""

    MANAGED = "Managed"
    UNMANAGED = "Unmanaged"
    DISABLED = "Disabled"


class BootIsoSource(StrEnum):
    """Where controllers fetch the boot image from."""

    LOCAL = "local"
    HTTP = "http"


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class PreprovisioningDownloads:
    """Where the ramdisk comes from."""

    iso_url: Annotated[Text, Field(alias="isoURL")] = ""
    """The ramdisk as a bootable ISO."""

    kernel_url: Annotated[Text, Field(alias="kernelURL")] = ""
    """The kernel for network boot."""

    initramfs_url: Annotated[Text, Field(alias="initramfsURL")] = ""
    """The ramdisk for network boot."""

    rootfs_url: Annotated[Text, Field(alias="rootfsURL")] = ""
    """The root file system for network boot."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class PrometheusExporter:
    """Sensors of the servers, as metrics."""

    enabled: bool
    """Whether sensors are read."""

    sensor_collection_interval: Annotated[int, Field(ge=60), STORED_DEFAULT] = 60
    """Seconds from one reading to the next."""

    disable_default_prometheus_rules: Flag = False
    """Leave out the alerts that come with it."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class UnsupportedOverrides:
    """Replacements for trying things out."""

    ironic_agent_image: Text = ""
    """Another image with the agent."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class ProvisioningSpec:
    """The provisioning network and the services on it."""

    provisioning_network: ProvisioningNetwork | None = None
    """Who runs the provisioning network: `Managed` (we serve DHCP and network boot; when not
    given), `Unmanaged` (your DHCP, our network boot), or `Disabled` (there is none)."""

    provisioning_interface: Text = ""
    """The network card on the provisioning network, on control-plane servers."""

    provisioning_mac_addresses: Many[str] = ()
    """MAC addresses of those cards, where their names differ."""

    provisioning_ip: Annotated[Text, Field(alias="provisioningIP")] = ""
    """The address of the services on the provisioning network."""

    provisioning_network_cidr: Annotated[Text, Field(alias="provisioningNetworkCIDR")] = ""
    """The provisioning network."""

    provisioning_network_gateway: Text = ""
    """The router that DHCP tells servers of, in `Managed`."""

    provisioning_dhcp_external: Annotated[Flag, Field(alias="provisioningDHCPExternal")] = False
    """True means `Unmanaged`. Deprecated."""

    provisioning_dhcp_range: Annotated[Text, Field(alias="provisioningDHCPRange")] = ""
    """First and last address that DHCP hands out, with a comma between them."""

    provisioning_dns: Annotated[Flag, Field(alias="provisioningDNS")] = False
    """Whether DHCP names our own DNS server."""

    additional_ntp_servers: Annotated[Many[str], Field(alias="additionalNTPServers")] = ()
    """Time servers for the ramdisk."""

    external_ips: Annotated[Many[str], Field(alias="externalIPs")] = ()
    """Addresses that servers outside the cluster reach the services at."""

    virtual_media_via_external_network: Flag = False
    """Virtual media is served on the machine network, for controllers that reach no other."""

    disable_virtual_media_tls: Annotated[Flag, Field(alias="disableVirtualMediaTLS")] = False
    """Serve virtual media without TLS, for controllers that cannot do it."""

    watch_all_namespaces: Flag = False
    """Look after hosts in all namespaces, not only in our own."""

    provisioning_os_download_url: Annotated[Text, Field(alias="provisioningOSDownloadURL")] = ""
    """Where the node image comes from, with its `sha256` as a query."""

    pre_provisioning_os_download_urls: Annotated[
        PreprovisioningDownloads, Field(alias="preProvisioningOSDownloadURLs"), OMIT_UNSET
    ] = Field(default_factory=PreprovisioningDownloads)
    """Where the ramdisk comes from."""

    boot_iso_source: BootIsoSource | None = None
    """Where controllers fetch the boot image from."""

    prometheus_exporter: PrometheusExporter | None = None
    """Sensors of the servers, as metrics."""

    unsupported_config_overrides: UnsupportedOverrides | None = None
    """Replacements for trying things out."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class GenerationStatus:
    """An object that was made for it, as it was last seen."""

    group: str
    """The object's API group."""

    resource: str
    """The object's resource."""

    namespace: str
    """The object's namespace."""

    name: str
    """The object's name."""

    last_generation: Annotated[Whole, INT64] = 0
    """Its generation."""

    hash: Text = ""
    """Its content, where it has no generation."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class ProvisioningStatus:
    """What was made of it."""

    observed_generation: Annotated[Whole, INT64] = 0
    """The generation that was last acted on."""

    conditions: Conditions = ()
    """What is observed of the services."""

    version: Text = ""
    """The version of the services."""

    ready_replicas: Annotated[Whole, INT32] = 0
    """How many copies of the services are ready."""

    latest_available_revision: Annotated[Whole, INT32, ONLY_GROWS] = 0
    """The newest revision that was rolled out."""

    generations: Annotated[
        Many[GenerationStatus], map_by("group", "resource", "namespace", "name")
    ] = ()
    """The objects that were made for it."""


@dataclass(frozen=True, slots=True, kw_only=True, config=WIRE)
class Provisioning:
    """The provisioning network and the services on it.

    There is one in a cluster, and it is called `provisioning-configuration`.
    """

    metadata: Metadata
    api_version: Literal["metal3.io/v1alpha1"] = "metal3.io/v1alpha1"
    kind: Literal["Provisioning"] = "Provisioning"

    spec: ProvisioningSpec = Field(default_factory=ProvisioningSpec)
    """What is wanted."""

    status: Annotated[ProvisioningStatus, OMIT_UNSET] = Field(default_factory=ProvisioningStatus)
    """What was made of it."""


DEFINITION = Definition(
    group=GROUP, version=VERSION, model=Provisioning, plural="provisionings", scope=Scope.CLUSTER
)
