"""A node's capabilities: one text of `name:value` pairs that Ironic and others share."""

from __future__ import annotations

from typing import Final

from ingot.metal3.api.bootmode import BootMode

__all__ = ["with_boot_mode"]

_OURS: Final = frozenset({"boot_mode", "secure_boot"})
_BY_MODE: Final = {
    BootMode.UEFI: ("boot_mode:uefi",),
    BootMode.UEFI_SECURE_BOOT: ("boot_mode:uefi", "secure_boot:true"),
    BootMode.LEGACY: ("boot_mode:bios",),
}


def with_boot_mode(capabilities: str, mode: BootMode) -> str:
    """Return capabilities that name this boot mode; others stay, in their order.

    Returned as given when they say so already, in whatever order, so that nothing is written.
    """
    pairs = [pair.strip() for pair in capabilities.split(",") if pair.strip()]
    ours = [pair for pair in pairs if pair.partition(":")[0] in _OURS]
    if sorted(ours) == sorted(_BY_MODE[mode]):
        return capabilities
    others = [pair for pair in pairs if pair not in ours]
    return ",".join((*_BY_MODE[mode], *others))
