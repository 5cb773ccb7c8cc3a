"""When a host needs a ramdisk, and what it has to be like."""

from __future__ import annotations

import platform
from typing import Final

from ingot.bmc.address import BmcAddressError, parse
from ingot.metal3.api.baremetalhost import AutomatedCleaningMode, BareMetalHost
from ingot.metal3.api.preprovisioningimage import ImageFormat, PreprovisioningImageSpec
from ingot.metal3.api.states import OperationalStatus, ProvisioningState

__all__ = ["needs_ramdisk", "waits_for_ramdisk", "wish"]

_NEED: Final = frozenset(
    {
        ProvisioningState.INSPECTING,
        ProvisioningState.MATCH_PROFILE,
        ProvisioningState.PREPARING,
        ProvisioningState.READY,
        ProvisioningState.AVAILABLE,
        ProvisioningState.PROVISIONING,
    }
)
_IN_USE: Final = frozenset(
    {ProvisioningState.PROVISIONED, ProvisioningState.EXTERNALLY_PROVISIONED}
)


def needs_ramdisk(host: BareMetalHost) -> bool:
    """Whether a ramdisk is booted in a host's state, or soon will be.

    Not before it is registered: until then nobody knows whether its BMC can be reached at all.
    """
    state = host.status.provisioning.state
    if state in _IN_USE:
        return host.status.operational_status is OperationalStatus.SERVICING
    if state is ProvisioningState.DEPROVISIONING:
        return host.spec.automated_cleaning_mode is not AutomatedCleaningMode.DISABLED
    return state in _NEED


def waits_for_ramdisk(host: BareMetalHost) -> bool:
    """Whether nothing is done for a host before it has its ramdisk.

    Not for one in use, whose power is looked after in any case; nor for one that goes, unless its
    disks are cleaned first.
    """
    state = host.status.provisioning.state
    if host.metadata.is_going and state is not ProvisioningState.DEPROVISIONING:
        return False
    return needs_ramdisk(host) and state not in _IN_USE


def wish(host: BareMetalHost) -> PreprovisioningImageSpec | None:
    """Return the image to ask for; None while the host's BMC has no address that can be read."""
    try:
        bmc = parse(host.spec.bmc.address) if host.spec.bmc else None
    except BmcAddressError:
        bmc = None
    if bmc is None:
        return None
    best = (ImageFormat.ISO,) if bmc.traits.iso_ramdisk else ()
    return PreprovisioningImageSpec(
        network_data_name=host.spec.preprovisioning_network_data_name,
        architecture=_architecture(host),
        accept_formats=(*best, ImageFormat.INITRD),
    )


def _architecture(host: BareMetalHost) -> str:
    """Return what is known; before the first inspection, that the servers are like this one."""
    hardware = host.status.hardware
    known = hardware.cpu.arch if hardware and hardware.cpu else ""
    return host.spec.architecture or known or platform.machine()
