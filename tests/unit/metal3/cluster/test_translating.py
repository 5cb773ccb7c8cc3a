"""What `Provisioning` says becomes what the pod is told."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from typing import Any

import pytest

from ingot.metal3.cluster.translating import mistakes, settings_of, unserved
from ingot.metal3.pod.settings import Settings
from tests.unit.metal3.cluster.seen import MACS, MANAGED, options, provisioning

UNMANAGED = {**MANAGED, "provisioningNetwork": "Unmanaged", "provisioningDHCPRange": None}
DISABLED: dict[str, Any] = {"provisioningNetwork": "Disabled"}
VIP = ip_address("192.168.111.5")


def told(base: dict[str, Any] = MANAGED, **changes: object) -> Settings:
    spec = provisioning(base, **changes).spec
    return settings_of(spec, vips=options().api_vips, further=options().settings)


def test_a_managed_network_is_served_from_its_own_address() -> None:
    settings = told()
    assert settings.mode == "Managed"
    assert settings.provisioning_ip == ip_address("172.22.0.3")
    assert settings.kept_in == ip_network("172.22.0.0/24")
    assert settings.interface_macs == tuple(MACS)
    assert settings.dhcp is not None
    assert (str(settings.dhcp.first), str(settings.dhcp.last)) == ("172.22.0.10", "172.22.0.254")


def test_without_a_mode_the_network_is_managed() -> None:
    assert told(provisioningNetwork=None).mode == "Managed"


def test_a_card_that_is_named_is_not_sought_by_its_address() -> None:
    settings = told(provisioningInterface="ens4")
    assert settings.interface == "ens4"
    assert settings.interface_macs == ()


def test_an_unmanaged_network_hands_out_nothing() -> None:
    settings = told(UNMANAGED)
    assert settings.dhcp is None
    assert settings.kept_in == ip_network("172.22.0.0/24")


def test_without_a_network_the_services_are_at_the_vip_and_no_address_is_kept() -> None:
    settings = told(DISABLED)
    assert settings.provisioning_ip == VIP
    assert settings.kept_in is None


def test_without_a_network_an_address_of_its_own_is_kept_on_the_machine_network() -> None:
    settings = told(DISABLED, provisioningIP="192.168.111.9")
    assert settings.provisioning_ip == ip_address("192.168.111.9")
    assert settings.kept_in == ip_network("192.168.111.9/32")


def test_bmcs_fetch_at_the_vip_unless_told_where() -> None:
    assert told().external_addresses == (VIP,)
    both = told(externalIPs=["10.0.0.9", "fd00::9", "10.0.0.10"]).external_addresses
    assert both == (ip_address("10.0.0.9"), ip_address("fd00::9"))


@pytest.mark.parametrize(("disabled", "encrypted"), [(True, False), (False, True)])
def test_virtual_media_is_encrypted_unless_that_is_disabled(
    *, disabled: bool, encrypted: bool
) -> None:
    assert told(disableVirtualMediaTLS=disabled).virtual_media_tls is encrypted


def test_what_it_has_no_field_for_is_told_too() -> None:
    assert told().ssh_keys == ("ssh-ed25519 AAAA me",)


def test_what_is_wrong_is_said_with_its_field() -> None:
    found = mistakes(provisioning(provisioningIP="172.23.0.3"))
    assert len(found) == 1
    assert "spec.provisioningIP" in found[0]
    assert mistakes(provisioning()) == ()


def test_what_does_not_fit_the_pod_is_told_as_a_mistake() -> None:
    spec = provisioning().spec
    with pytest.raises(ValueError, match="sshKeys"):
        settings_of(spec, vips=options().api_vips, further={"sshKeys": [1]})


def test_fields_without_effect_are_named() -> None:
    spec = provisioning(watchAllNamespaces=True, provisioningDNS=True).spec
    assert set(unserved(spec)) == {"watchAllNamespaces", "provisioningDNS"}
    assert unserved(provisioning().spec) == ()
