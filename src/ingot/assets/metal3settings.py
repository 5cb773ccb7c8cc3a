"""What the metal3 pod of the bootstrap VM is told, and the credentials of its Ironic."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from typing import Any, Final

from ingot.assets.bootstrapnetwork import BootstrapMacs
from ingot.assets.endpoints import services_address
from ingot.assets.graph.files import Files
from ingot.config.model import InstallConfig
from ingot.metal3.api.provisioning import ProvisioningNetwork
from ingot.metal3.pod.settings import CONSOLES, DhcpRange, Settings

__all__ = ["CREDENTIALS", "LAB", "credentials", "metal3_settings", "rendered"]

CREDENTIALS: Final = ("ironic/username", "ironic/password")
USERNAME: Final = "ingot"
PASSWORD_BYTES: Final = 24

NOBODY_TELLS: Final = "ipa-lldp-timeout=1"
"""Switches tell of themselves every half minute, and the agent listens that long to hear them."""

SOON: Final = {"INGOT_BOOT_LIMITS": "dhcp=120"}
"""A server of a lab tests no memory: it asks for an address within seconds, or its boot is lost."""

LAB: Final[Mapping[str, Any]] = {
    "kernelParameters": (*CONSOLES, NOBODY_TELLS),
    "operator": SOON,
}
"""What differs in a lab, by the keys of the settings: on the bootstrap VM, and in the cluster."""


def credentials(random: Callable[[int], bytes]) -> Files:
    """Return the user of Ironic's API, and a password that nobody needs to know."""
    password = urlsafe_b64encode(random(PASSWORD_BYTES)).rstrip(b"=")
    return dict(zip(CREDENTIALS, (USERNAME.encode(), password), strict=True))


def metal3_settings(config: InstallConfig, macs: BootstrapMacs, *, lab: bool = False) -> Settings:
    """Return the settings.

    Args:
        config: the cluster.
        macs: the bootstrap VM's network cards.
        lab: whether its servers are those of a lab, where no switch tells of itself.
    """
    platform = config.baremetal
    mode = ProvisioningNetwork(platform.provisioning_network.value)
    return Settings(
        mode=mode,
        provisioning_ip=services_address(config),
        interface_mac=macs.provisioning if platform.has_provisioning_network else None,
        dhcp=_dhcp(config) if mode is ProvisioningNetwork.MANAGED else None,
        allowed_macs=tuple(
            host.boot_mac_address for host in platform.hosts if host.boot_mac_address
        ),
        external_addresses=platform.api_vips,
        ntp=platform.additional_ntp_servers,
        bmc_ca=platform.bmc_verify_ca,
        ssh_keys=tuple(line.strip() for line in config.ssh_key.splitlines() if line.strip()),
        kernel_parameters=LAB["kernelParameters"] if lab else CONSOLES,
        operator=LAB["operator"] if lab else {},
    )


def rendered(settings: Settings) -> bytes:
    """Return settings.json."""
    said = settings.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return (json.dumps(said, indent=2) + "\n").encode()


def _dhcp(config: InstallConfig) -> DhcpRange | None:
    platform = config.baremetal
    addresses, network = platform.provisioning_dhcp_range, platform.provisioning_network_cidr
    if addresses is None or network is None:
        return None
    return DhcpRange.model_validate(
        {
            "first": addresses.start,
            "last": addresses.end,
            "network": network,
            "gateway": platform.provisioning_network_gateway,
        }
    )
