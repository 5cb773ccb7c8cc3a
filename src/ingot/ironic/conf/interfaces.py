"""Which hardware Ironic can drive, and by which interfaces.

The tables are those of the field's own image, so that every BMC scheme has what it needs. An
interface that is enabled but unused costs nothing but the time to load it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

__all__ = ["Interfaces"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interfaces:
    """What is enabled of each kind. The first that a hardware type supports is its default.

    Without `ipmitool` on the path Ironic refuses to start with its interfaces.
    """

    hardware_types: tuple[str, ...] = (
        "ipmi",
        "idrac",
        "fake-hardware",
        "redfish",
        "manual-management",
    )
    bios: tuple[str, ...] = ("no-bios", "redfish", "idrac-redfish")
    boot: tuple[str, ...] = (
        "ipxe",
        "pxe",
        "fake",
        "redfish-virtual-media",
        "idrac-redfish-virtual-media",
        "redfish-https",
    )
    deploy: tuple[str, ...] = ("autodetect", "direct", "ramdisk", "custom-agent", "bootc", "fake")
    firmware: tuple[str, ...] = ("no-firmware", "fake", "redfish")
    inspect: tuple[str, ...] = ("agent", "redfish", "idrac-redfish", "no-inspect", "fake")
    management: tuple[str, ...] = ("ipmitool", "fake", "redfish", "idrac-redfish", "noop")
    network: tuple[str, ...] = ("noop",)
    power: tuple[str, ...] = ("ipmitool", "fake", "redfish", "idrac-redfish")
    raid: tuple[str, ...] = ("no-raid", "agent", "fake", "redfish", "idrac-redfish")
    vendor: tuple[str, ...] = ("no-vendor", "ipmitool", "idrac-redfish", "redfish", "fake")
    default_deploy: str = "autodetect"
    default_inspect: str = "agent"

    @classmethod
    def fake(cls) -> Self:
        """Return what drives servers that do not exist, for tests and measurements."""
        only = ("fake",)
        return replace(
            cls(),
            hardware_types=("fake-hardware",),
            bios=("fake", "no-bios"),
            boot=only,
            deploy=only,
            firmware=("fake", "no-firmware"),
            inspect=("fake", "agent", "no-inspect"),
            management=only,
            power=only,
            raid=("fake", "no-raid"),
            vendor=("fake", "no-vendor"),
            default_deploy="fake",
            default_inspect="fake",
        )
