"""What follows from each scheme, row by row against metal3's table."""

from __future__ import annotations

import pytest

from ingot.bmc.scheme import REMOVED, SCHEMES, SPELLINGS, Transport

# "-" is Ironic's default, or no such interface for inspection.
INTERFACES = {
    row.split()[0]: row.split()[1:]
    for row in """\
                                                         management,
                                                         power, vendor,              firmware,
scheme               driver  boot                        bios          raid          inspection
-----------------------------------------------------------------------------------------------
ipmi                 ipmi    ipxe                        -             no-raid       -
libvirt              ipmi    ipxe                        -             no-raid       -
redfish              redfish ipxe                        -             redfish       redfish
redfish-virtualmedia redfish redfish-virtual-media       -             redfish       redfish
redfish-uefihttp     redfish redfish-https               -             redfish       redfish
ilo5-redfish         redfish ipxe                        -             redfish       redfish
ilo5-virtualmedia    redfish redfish-virtual-media       -             redfish       redfish
idrac-redfish        idrac   ipxe                        idrac-redfish idrac-redfish redfish
idrac-virtualmedia   idrac   idrac-redfish-virtual-media idrac-redfish idrac-redfish redfish
""".splitlines()[4:]
}

NETWORK_BOOT = {"needs provisioning network"}
ISO_BOOT = {"iso ramdisk"}
VIRTUAL_MEDIA = {"iso ramdisk", "virtual media"}
REDFISH = {"fast inspection", "secure boot"}

ABILITIES = {
    "ipmi": NETWORK_BOOT,
    "libvirt": NETWORK_BOOT | {"needs boot MAC"},
    "redfish": NETWORK_BOOT | REDFISH,
    "redfish-virtualmedia": VIRTUAL_MEDIA | REDFISH,
    "redfish-uefihttp": ISO_BOOT | REDFISH,
    "ilo5-redfish": NETWORK_BOOT | REDFISH,
    "ilo5-virtualmedia": VIRTUAL_MEDIA | REDFISH,
    "idrac-redfish": NETWORK_BOOT | REDFISH,
    "idrac-virtualmedia": VIRTUAL_MEDIA | REDFISH,
}


def test_the_table_has_the_schemes_of_metal3_and_no_other() -> None:
    assert list(SCHEMES) == list(INTERFACES) == list(ABILITIES)


@pytest.mark.parametrize("name", INTERFACES)
def test_a_scheme_selects_the_interfaces_that_metal3_gives_it(name: str) -> None:
    scheme = SCHEMES[name]
    driver, boot, vendors_own, raid, redfish = (
        None if word == "-" else word for word in INTERFACES[name]
    )

    assert scheme.driver == driver
    assert scheme.boot_interface == boot
    assert scheme.management_interface == vendors_own
    assert scheme.power_interface == vendors_own
    assert scheme.vendor_interface == vendors_own
    assert scheme.bios_interface == vendors_own
    assert scheme.raid_interface == raid
    assert scheme.firmware_interface == redfish
    assert scheme.inspect_interface == redfish


@pytest.mark.parametrize("name", ABILITIES)
def test_a_scheme_has_the_abilities_that_metal3_gives_it(name: str) -> None:
    scheme = SCHEMES[name]
    seen = {
        "fast inspection": scheme.supports_fast_inspection,
        "secure boot": scheme.supports_secure_boot,
        "iso ramdisk": scheme.iso_ramdisk,
        "virtual media": scheme.uses_virtual_media,
        "needs provisioning network": scheme.needs_provisioning_network,
        "needs boot MAC": scheme.needs_boot_mac,
    }

    assert {ability for ability, has in seen.items() if has} == ABILITIES[name]


@pytest.mark.parametrize("name", SCHEMES)
def test_only_the_redfish_family_has_a_transport(name: str) -> None:
    spellings = {key: way for key, (scheme, way) in SPELLINGS.items() if scheme.name == name}

    if SCHEMES[name].driver == "ipmi":
        assert spellings == {name: None}
    else:
        assert spellings == {
            name: Transport.HTTPS,
            f"{name}+http": Transport.HTTP,
            f"{name}+https": Transport.HTTPS,
        }


@pytest.mark.parametrize("name", REMOVED)
def test_what_replaces_a_removed_scheme_exists(name: str) -> None:
    assert name not in SCHEMES
    assert set(REMOVED[name]) <= set(SCHEMES)
