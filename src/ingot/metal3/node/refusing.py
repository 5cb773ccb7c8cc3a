"""What no call can make true: wishes that this host's BMC, site or Ironic cannot fulfil."""

from __future__ import annotations

from collections.abc import Iterator

from ingot.metal3.api.baremetalhost import InspectionMode
from ingot.metal3.api.bootmode import BootMode
from ingot.metal3.node.progress import Failed
from ingot.metal3.node.subject import Subject

__all__ = ["refused"]


def refused(subject: Subject) -> Failed | None:
    """Return all that is wrong with a host, each by its field and with a remedy; None if nothing.

    No retry helps: something has to be changed first.
    """
    wrong = list(_wrong(subject))
    return Failed(why="; ".join(wrong), retryable=False) if wrong else None


def _wrong(subject: Subject) -> Iterator[str]:
    traits = subject.bmc.traits
    scheme = traits.name
    if subject.boot_mode is BootMode.UEFI_SECURE_BOOT and not traits.supports_secure_boot:
        yield (
            f"spec.bootMode is UEFISecureBoot, which cannot be switched through {scheme}:"
            " use UEFI, or a Redfish address"
        )
    if traits.needs_provisioning_network and not subject.site.provisioning_network:
        yield (
            f"spec.bmc.address has the scheme {scheme}, which boots over the provisioning network,"
            " and this site has none: use a scheme with virtual media"
        )
    if subject.disable_power_off and not subject.site.can_disable_power_off:
        yield (
            "spec.disablePowerOff needs version 1.95 of Ironic's API, and this one speaks"
            f" {subject.site.version}: update Ironic, or unset it"
        )
    if subject.inspection is InspectionMode.FAST and not traits.supports_fast_inspection:
        yield (
            f"spec.inspectionMode is fast, and {scheme} cannot be asked for hardware:"
            " use agent, or a Redfish address"
        )
    if not subject.boot_mac:
        if traits.needs_boot_mac:
            yield f"spec.bootMACAddress is missing, and {scheme} needs it: give it"
        elif subject.inspection is InspectionMode.DISABLED:
            yield (
                "spec.bootMACAddress is missing, and without inspection nobody finds it:"
                " give it, or enable inspection"
            )
    if subject.credentials is not None and not (
        subject.credentials.username and subject.credentials.password
    ):
        yield (
            "spec.bmc.credentialsName names a Secret without a user name or without a password:"
            " give both, as `username` and `password`"
        )
