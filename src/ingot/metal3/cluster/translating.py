"""From what `Provisioning` says to what the metal3 pod is told.

The services have the API VIP as their address for whoever is not on the provisioning network: BMCs
that fetch virtual media, agents that were booted from it, and everybody where there is no such
network and no address for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_address, ip_network
from typing import Any, Final

from pydantic import ValidationError

from ingot.metal3.api.provisioning import Provisioning, ProvisioningNetwork, ProvisioningSpec
from ingot.metal3.api.reading import written
from ingot.metal3.pod.settings import Address, Settings, told
from ingot.metal3.webhooks.finding import Finding
from ingot.metal3.webhooks.provisioning import JUDGE
from ingot.metal3.webhooks.provisioningnetwork import mode_of

__all__ = ["mistakes", "settings_of", "unserved"]

_UNSERVED: Final = {
    "bootIsoSource": "boot_iso_source",
    "preProvisioningOSDownloadURLs": "pre_provisioning_os_download_urls",
    "prometheusExporter": "prometheus_exporter",
    "provisioningDNS": "provisioning_dns",
    "provisioningOSDownloadURL": "provisioning_os_download_url",
    "unsupportedConfigOverrides": "unsupported_config_overrides",
    "virtualMediaViaExternalNetwork": "virtual_media_via_external_network",
    "watchAllNamespaces": "watch_all_namespaces",
}


def mistakes(provisioning: Provisioning) -> tuple[str, ...]:
    """Return why an object cannot be acted on, in sentences; by the rules of admission."""
    found: Sequence[Finding] = JUDGE.validate_create(written(provisioning)).refusals
    return tuple(one.sentence for one in found)


def unserved(spec: ProvisioningSpec) -> tuple[str, ...]:
    """Return the fields that are set, and that nothing here acts on."""
    plain = ProvisioningSpec()
    return tuple(
        field for field, name in _UNSERVED.items() if getattr(spec, name) != getattr(plain, name)
    )


def settings_of(
    spec: ProvisioningSpec, *, vips: Sequence[Address], further: Mapping[str, Any]
) -> Settings:
    """Return the pod's settings.

    Args:
        spec: without mistakes.
        vips: where the API is.
        further: keys that `Provisioning` has no field for.

    Raises:
        ValueError: they do not fit together; all of it is told.
    """
    try:
        return Settings.model_validate({**further, **dict(_said(spec, vips))})
    except ValidationError as error:
        raise ValueError("; ".join(told(error))) from error


def _said(spec: ProvisioningSpec, vips: Sequence[Address]) -> Iterator[tuple[str, Any]]:
    mode = mode_of(spec)
    yield "mode", mode
    yield "provisioningIp", spec.provisioning_ip or vips[0]
    if spec.provisioning_ip:
        network = spec.provisioning_network_cidr or spec.provisioning_ip
        yield "keptIn", ip_network(network, strict=False)
        yield "interface", spec.provisioning_interface
        if not spec.provisioning_interface:
            yield "interfaceMacs", spec.provisioning_mac_addresses
    if mode is ProvisioningNetwork.MANAGED:
        yield "dhcp", _dhcp(spec)
    yield "externalAddresses", _one_of_each(spec.external_ips) or _one_of_each(vips)
    yield "virtualMediaTls", not spec.disable_virtual_media_tls
    yield "ntp", spec.additional_ntp_servers


def _dhcp(spec: ProvisioningSpec) -> dict[str, object]:
    first, _, last = spec.provisioning_dhcp_range.partition(",")
    return {
        "first": first.strip(),
        "last": last.strip(),
        "network": ip_network(spec.provisioning_network_cidr, strict=False),
        "gateway": spec.provisioning_network_gateway or None,
    }


def _one_of_each(addresses: Sequence[str | Address]) -> tuple[Address, ...]:
    """Return the first address of each IP version."""
    found: dict[int, Address] = {}
    for one in addresses:
        address = ip_address(str(one))
        found.setdefault(address.version, address)
    return tuple(found.values())
