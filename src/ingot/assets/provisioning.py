"""The Provisioning object: the provisioning network, as the installer hands it to the cluster."""

from __future__ import annotations

from typing import Final

from ingot.assets.documents import yaml_of
from ingot.assets.graph.files import Files
from ingot.assets.roster import roster
from ingot.config.model import InstallConfig
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.provisioning import (
    NAME,
    Provisioning,
    ProvisioningNetwork,
    ProvisioningSpec,
)
from ingot.metal3.api.reading import written

__all__ = ["PATH", "provisioning"]

PATH: Final = "manifests/40-provisioning.yaml"


def provisioning(config: InstallConfig) -> Files:
    """Return the object."""
    platform = config.baremetal
    found = Provisioning(
        metadata=Metadata(name=NAME),
        spec=ProvisioningSpec(
            provisioning_network=ProvisioningNetwork(platform.provisioning_network.value),
            provisioning_interface=platform.provisioning_network_interface,
            provisioning_mac_addresses=_cards(config),
            provisioning_ip=_text(platform.cluster_provisioning_ip),
            provisioning_network_cidr=_text(platform.provisioning_network_cidr),
            provisioning_network_gateway=_text(platform.provisioning_network_gateway),
            provisioning_dhcp_range=_text(platform.provisioning_dhcp_range),
            additional_ntp_servers=platform.additional_ntp_servers,
        ),
    )
    return {PATH: yaml_of(written(found))}


def _cards(config: InstallConfig) -> tuple[str, ...]:
    """Return the cards of the control plane on the provisioning network, if nobody named them."""
    platform = config.baremetal
    if not platform.has_provisioning_network or platform.provisioning_network_interface:
        return ()
    hosts = roster(config).control_plane
    return tuple(host.boot_mac_address for host in hosts if host.boot_mac_address)


def _text(value: object) -> str:
    return "" if value is None else str(value)
