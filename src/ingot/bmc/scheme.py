"""The schemes of BMC addresses and what follows from each, as metal3 has them today.

The table is baremetal-operator's (``pkg/hardwareutils/bmc``, v0.13), not the copy of 2023 that
OpenShift's installer still validates with: that one accepts schemes which Ironic then refuses, and
refuses ``redfish-uefihttp``, which works.

Whatever the boot interface already decides is a property here, so that no row can contradict
itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["REMOVED", "SCHEMES", "SPELLINGS", "Scheme", "Transport"]

_IPXE: Final = "ipxe"
_REDFISH_DRIVERS: Final = frozenset({"redfish", "idrac"})


class Transport(StrEnum):
    """How a Redfish service is reached. IPMI has none: it is UDP of its own."""

    HTTP = "http"
    HTTPS = "https"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """One row of the table. An interface that is None is left to Ironic's default.

    Attributes:
        name: What the address begins with, without ``+http`` or ``+https``.
        driver: Ironic's hardware type.
        inspect_interface: The one of fast inspection, which asks the BMC. None: only the agent
            can inspect.
        needs_boot_mac: The boot MAC address is needed even when the host is inspected.
        always_names_system: Ironic is told a system even where the address names none.
    """

    name: str
    driver: str
    boot_interface: str
    management_interface: str | None = None
    power_interface: str | None = None
    raid_interface: str
    vendor_interface: str | None = None
    bios_interface: str | None = None
    firmware_interface: str | None = None
    inspect_interface: str | None = None
    needs_boot_mac: bool = False
    always_names_system: bool = False

    @property
    def is_redfish(self) -> bool:
        """Whether the BMC is spoken to in Redfish; otherwise it is IPMI."""
        return self.driver in _REDFISH_DRIVERS

    @property
    def needs_provisioning_network(self) -> bool:
        """Whether the host boots its ramdisk over DHCP on the provisioning network."""
        return self.boot_interface == _IPXE

    @property
    def iso_ramdisk(self) -> bool:
        """Whether the ramdisk is handed to the BMC as an ISO."""
        return self.boot_interface != _IPXE

    @property
    def uses_virtual_media(self) -> bool:
        """Whether that ISO is inserted as a virtual CD. UEFI HTTP boot loads it without one."""
        return self.boot_interface.endswith("virtual-media")

    @property
    def supports_secure_boot(self) -> bool:
        """Whether secure boot can be switched through the BMC."""
        return self.is_redfish

    @property
    def supports_fast_inspection(self) -> bool:
        """Whether the BMC can be asked for the hardware without booting the host."""
        return self.inspect_interface is not None


_IPMI: Final = Scheme(name="ipmi", driver="ipmi", boot_interface=_IPXE, raid_interface="no-raid")
_REDFISH: Final = Scheme(
    name="redfish",
    driver="redfish",
    boot_interface=_IPXE,
    raid_interface="redfish",
    firmware_interface="redfish",
    inspect_interface="redfish",
)
_IDRAC: Final = replace(
    _REDFISH,
    name="idrac-redfish",
    driver="idrac",
    management_interface="idrac-redfish",
    power_interface="idrac-redfish",
    raid_interface="idrac-redfish",
    vendor_interface="idrac-redfish",
    bios_interface="idrac-redfish",
)
_TABLE: Final = (
    _IPMI,
    replace(_IPMI, name="libvirt", needs_boot_mac=True),
    _REDFISH,
    replace(_REDFISH, name="redfish-virtualmedia", boot_interface="redfish-virtual-media"),
    replace(
        _REDFISH,
        name="redfish-uefihttp",
        boot_interface="redfish-https",
        always_names_system=True,
    ),
    replace(_REDFISH, name="ilo5-redfish"),
    replace(_REDFISH, name="ilo5-virtualmedia", boot_interface="redfish-virtual-media"),
    _IDRAC,
    replace(_IDRAC, name="idrac-virtualmedia", boot_interface="idrac-redfish-virtual-media"),
)

SCHEMES: Final[Mapping[str, Scheme]] = MappingProxyType({row.name: row for row in _TABLE})
"""Every scheme by its name."""

SPELLINGS: Final[Mapping[str, tuple[Scheme, Transport | None]]] = MappingProxyType(
    {row.name: (row, Transport.HTTPS if row.is_redfish else None) for row in _TABLE}
    | {f"{row.name}+{way}": (row, way) for row in _TABLE if row.is_redfish for way in Transport}
)
"""Every way to begin an address, in lower case."""

REMOVED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "idrac": ("idrac-redfish", "idrac-virtualmedia"),
        "ibmc": ("redfish",),
        "ilo4": ("ipmi",),
        "ilo4-virtualmedia": ("ipmi",),
        "ilo5": ("ilo5-redfish", "ilo5-virtualmedia"),
        "irmc": ("redfish",),
    }
)
"""Schemes that older files use and metal3 no longer knows, and what to use instead."""
