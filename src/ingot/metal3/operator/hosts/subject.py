"""A host as Ironic has to know it, from its resource and what its Secrets hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ingot.bmc.address import BmcAddress, BmcAddressError, parse
from ingot.ironic.document import Json
from ingot.metal3.api import annotation
from ingot.metal3.api.baremetalhost import AutomatedCleaningMode, BareMetalHost, InspectionMode
from ingot.metal3.api.bootmode import BootMode
from ingot.metal3.node.goal import Delete, Detach, Goal
from ingot.metal3.node.progress import Failed
from ingot.metal3.node.subject import Credentials, Ramdisk, Site, Subject

__all__ = ["Means", "Named", "named"]

NOWHERE: Final = parse("ipmi://0.0.0.0")
"""For a host whose address cannot be read. It can be removed all the same, which asks no BMC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a host's resource only names.

    Attributes:
        credentials: for its BMC; None where they are lost.
        ramdisk: made for it; None takes the site's.
        network_data: for its ramdisk.
    """

    credentials: Credentials | None = None
    ramdisk: Ramdisk | None = None
    network_data: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class Named:
    """A host for Ironic.

    Attributes:
        subject: the host.
        mistake: why its BMC address cannot be read; "" if it can.
    """

    subject: Subject
    mistake: str = ""

    def refuses(self, goal: Goal) -> Failed | None:
        """Return that a goal cannot be reached without an address; removal needs none."""
        if not self.mistake or isinstance(goal, Delete | Detach):
            return None
        return Failed(why=self.mistake, retryable=False)


def named(host: BareMetalHost, means: Means, site: Site) -> Named:
    """Return a host as Ironic has to know it."""
    bmc, mistake = _address(host)
    spec, meta, hardware = host.spec, host.metadata, host.status.hardware
    subject = Subject(
        namespace=meta.namespace,
        name=meta.name,
        uid=meta.uid,
        bmc=bmc,
        credentials=means.credentials,
        verify_certificate=not (spec.bmc and spec.bmc.disable_certificate_verification),
        boot_mac=spec.boot_mac_address,
        nics=tuple(nic.mac for nic in hardware.nics if nic.mac) if hardware else (),
        boot_mode=host.status.provisioning.boot_mode or spec.boot_mode or BootMode.UEFI,
        architecture=spec.architecture,
        inspection=_inspection(host),
        automated_clean=spec.automated_cleaning_mode is not AutomatedCleaningMode.DISABLED,
        disable_power_off=spec.disable_power_off,
        ramdisk=means.ramdisk,
        network_data=means.network_data,
        site=site,
    )
    return Named(subject, mistake)


def _address(host: BareMetalHost) -> tuple[BmcAddress, str]:
    if host.spec.bmc is None:
        return NOWHERE, "spec.bmc is missing: give the BMC's address and credentials"
    try:
        return parse(host.spec.bmc.address), ""
    except BmcAddressError as error:
        return NOWHERE, f"spec.bmc.address: {error}"


def _inspection(host: BareMetalHost) -> InspectionMode:
    if host.metadata.annotations.get(annotation.INSPECT) == annotation.INSPECT_DISABLED:
        return InspectionMode.DISABLED
    return host.spec.inspection_mode or InspectionMode.AGENT
