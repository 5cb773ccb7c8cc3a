"""The address of a host's management controller, and what its scheme cannot do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ingot.bmc.address import BmcAddress, BmcAddressError, parse
from ingot.metal3.api.baremetalhost import BareMetalHost, InspectionMode
from ingot.metal3.api.bootmode import BootMode
from ingot.metal3.webhooks.finding import Finding

__all__ = [
    "address_can_be_used",
    "address_of",
    "driver_builds_raid",
    "driver_does_secure_boot",
    "driver_inspects_fast",
]

FIELD: Final = "spec.bmc.address"
LONGEST: Final = 2048
NO_RAID: Final = "no-raid"
_REDFISH: Final = "use a Redfish scheme if the controller speaks it"


def address_of(host: BareMetalHost) -> BmcAddress | None:
    """Return the address, where there is one that can be used."""
    if host.spec.bmc is None or not 0 < len(host.spec.bmc.address) <= LONGEST:
        return None
    try:
        return parse(host.spec.bmc.address)
    except BmcAddressError:
        return None


def address_can_be_used(host: BareMetalHost) -> Iterator[Finding]:
    """Row 1: the address can be parsed, has a known scheme, and a valid host."""
    text = host.spec.bmc.address if host.spec.bmc else ""
    if not text:  # upstream takes a host without an address for an unmanaged one
        return
    if len(text) > LONGEST:
        yield Finding(FIELD, f"has {len(text)} characters", f"keep it to {LONGEST}")
        return
    try:
        parse(text)
    except BmcAddressError as error:
        remedy = error.remedy
        if "@" in text:
            remedy = (
                "put user name and password into the Secret that spec.bmc.credentialsName names; "
                "write an @ of the path as %40"
            )
        yield Finding(FIELD, f"{error.text!r:.200} {error.reason}", remedy)


def driver_builds_raid(host: BareMetalHost) -> Iterator[Finding]:
    """Row 10: hardware RAID only where the driver can build it."""
    address = address_of(host)
    volumes = host.spec.raid.hardware_raid_volumes if host.spec.raid else None
    if address is not None and volumes and address.traits.raid_interface == NO_RAID:
        yield Finding(
            "spec.raid.hardwareRAIDVolumes",
            f"cannot be built through {address.scheme}, the scheme of {FIELD}",
            f"give softwareRAIDVolumes instead, or {_REDFISH}",
        )


def driver_does_secure_boot(host: BareMetalHost) -> Iterator[Finding]:
    """Row 13: UEFISecureBoot only where the driver can switch it."""
    address = address_of(host)
    secure = host.spec.boot_mode is BootMode.UEFI_SECURE_BOOT
    if address is not None and secure and not address.traits.supports_secure_boot:
        yield Finding(
            "spec.bootMode",
            f"UEFISecureBoot cannot be switched through {address.scheme}, the scheme of {FIELD}",
            f"set UEFI, or {_REDFISH}",
        )


def driver_inspects_fast(host: BareMetalHost) -> Iterator[Finding]:
    """Row 23: fast inspection only where the controller can be asked for the hardware."""
    address = address_of(host)
    fast = host.spec.inspection_mode is InspectionMode.FAST
    if address is not None and fast and not address.traits.supports_fast_inspection:
        yield Finding(
            "spec.inspectionMode",
            f"fast is not possible through {address.scheme}, the scheme of {FIELD}",
            f"set agent, or {_REDFISH}",
        )
