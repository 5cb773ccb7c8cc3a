"""Which BIOS attributes there are: the registry that clients read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ingot.lab.bmc.redfish.nvram import Setting
from ingot.machine.model import BootMode

__all__ = ["ATTRIBUTES", "MODES", "REGISTRY", "Attribute", "registry_document"]

REGISTRY = "BiosAttributeRegistryIngot.v1_0_0"

MODES: Final = {"LegacyBios": BootMode.LEGACY, "Uefi": BootMode.UEFI}
"""What `BootMode` may be."""
_SWITCH: Final = ("Enabled", "Disabled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """A setting: one of `values`, a number between bounds, or a text up to a length."""

    name: str
    label: str
    help: str
    default: Setting
    values: tuple[str, ...] = ()
    lowest: int = 0
    highest: int = 0
    longest: int = 0
    read_only: bool = False

    @property
    def kind(self) -> str:
        """Its type, by Redfish's word."""
        if self.values:
            return "Enumeration"
        if isinstance(self.default, bool):
            return "Boolean"
        return "Integer" if isinstance(self.default, int) else "String"

    def takes(self, value: object) -> bool:
        """Return whether a value is one it can have."""
        if self.values:
            return value in self.values
        if isinstance(self.default, bool) or isinstance(value, bool):
            return isinstance(value, bool) and isinstance(self.default, bool)
        if isinstance(self.default, int):
            return isinstance(value, int) and self.lowest <= value <= self.highest
        return isinstance(value, str) and len(value) <= self.longest

    def document(self) -> dict[str, object]:
        """Return its entry in the registry."""
        entry: dict[str, object] = {
            "AttributeName": self.name,
            "DisplayName": self.label,
            "HelpText": self.help,
            "Type": self.kind,
            "DefaultValue": self.default,
            "ReadOnly": self.read_only,
            "Immutable": False,
            "ResetRequired": True,
            "IsSystemUniqueProperty": False,
        }
        if self.values:
            entry["Value"] = [{"ValueName": one, "ValueDisplayName": one} for one in self.values]
        elif self.kind == "Integer":
            entry |= {"LowerBound": self.lowest, "UpperBound": self.highest}
        elif self.kind == "String":
            entry |= {"MinLength": 0, "MaxLength": self.longest}
        return entry


ATTRIBUTES: Final = {
    one.name: one
    for one in (
        Attribute(
            name="BootMode",
            label="Boot mode",
            help="The kind of firmware that starts the system.",
            default="LegacyBios",
            values=tuple(MODES),
        ),
        Attribute(
            name="ProcVirtualization",
            label="Virtualization technology",
            help="Whether hypervisors may use the processor's own support.",
            default="Enabled",
            values=_SWITCH,
        ),
        Attribute(
            name="ProcHyperthreading",
            label="Logical processors",
            help="Whether each core shows two threads.",
            default="Enabled",
            values=_SWITCH,
        ),
        Attribute(
            name="SriovEnable",
            label="SR-IOV",
            help="Whether network cards may show virtual functions.",
            default="Disabled",
            values=_SWITCH,
        ),
        Attribute(
            name="SystemProfile",
            label="System profile",
            help="What to prefer: speed, or the power bill.",
            default="Balanced",
            values=("Balanced", "Performance", "PowerSaving"),
        ),
        Attribute(
            name="BootTimeout",
            label="Seconds to wait for a key",
            help="How long the firmware waits before it boots.",
            default=3,
            highest=60,
        ),
        Attribute(
            name="QuietBoot",
            label="Quiet boot",
            help="Whether a picture hides the messages of the firmware.",
            default=False,
        ),
        Attribute(
            name="AssetTag",
            label="Asset tag",
            help="A text of the owner's choice.",
            default="",
            longest=63,
        ),
        Attribute(
            name="NumCores",
            label="Number of cores",
            help="How many cores the system has.",
            default=1,
            lowest=1,
            highest=1024,
            read_only=True,
        ),
    )
}


def registry_document(path: str) -> dict[str, object]:
    """Return the registry, as the resource at a path."""
    return {
        "@odata.id": path,
        "@odata.type": "#AttributeRegistry.v1_3_6.AttributeRegistry",
        "Id": REGISTRY,
        "Name": "BIOS Attribute Registry",
        "Language": "en",
        "OwningEntity": "Ingot",
        "RegistryVersion": "1.0.0",
        "RegistryEntries": {"Attributes": [one.document() for one in ATTRIBUTES.values()]},
    }
