"""Boot flags, the parameter 5 of IPMI's system boot options (table 28-14), and what they mean here.

IPMI knows one device, for the next start or for all. A host has a boot order and a one-time device.
So a persistent device goes to the front of the order, and what is read is always the truth: the
one-time device, or else the first in the order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ingot.lab.chassis import Chassis
from ingot.machine.model import DEFAULT_ORDER, BootMode, BootSettings, BootSource

__all__ = ["SETUP", "BootFlags", "UnknownBootDevice", "flags_of", "tell"]

VALID: Final = 0x80
PERSISTENT: Final = 0x40
EFI: Final = 0x20

NO_OVERRIDE: Final = 0
SETUP: Final = 6
"""The firmware's setup screen. The lab's firmware has none, so asking for it changes nothing."""

_SOURCES: Final = {
    1: BootSource.NETWORK,
    2: BootSource.DISK,
    3: BootSource.DISK,  # "safe mode", which firmware may ignore
    5: BootSource.MEDIA,
    8: BootSource.MEDIA,  # the remote CD/DVD
}
_SELECTORS: Final = {BootSource.NETWORK: 1, BootSource.DISK: 2, BootSource.MEDIA: 5}

_LENGTH: Final = 5


class UnknownBootDevice(ValueError):  # noqa: N818 - it names what was seen
    """No host of the lab can boot from this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BootFlags:
    """The flags that matter.

    Attributes:
        source: what to boot from; None overrides nothing.
        is_persistent: whether it holds for all starts, not for the next alone.
        is_efi: whether to boot as EFI does.
    """

    source: BootSource | None
    is_persistent: bool
    is_efi: bool

    @classmethod
    def parse(cls, data: bytes) -> BootFlags:
        """Read the bytes of the parameter; what is not set is zero.

        Raises:
            UnknownBootDevice: they name a device that no host has.
        """
        first, second = data.ljust(_LENGTH, b"\0")[:2]
        selector = second >> 2 & 0xF if first & VALID else NO_OVERRIDE
        if selector not in (NO_OVERRIDE, SETUP, *_SOURCES):
            raise UnknownBootDevice(f"boot device {selector}")
        return cls(
            source=_SOURCES.get(selector),
            is_persistent=bool(first & PERSISTENT),
            is_efi=bool(first & EFI),
        )

    def as_bytes(self) -> bytes:
        """Return the bytes of the parameter."""
        first = VALID | (PERSISTENT if self.is_persistent else 0) | (EFI if self.is_efi else 0)
        selector = NO_OVERRIDE if self.source is None else _SELECTORS[self.source]
        return bytes([first, selector << 2, 0, 0, 0])


def flags_of(settings: BootSettings) -> BootFlags:
    """Return what a host is going to boot, as flags."""
    first = settings.order[0] if settings.order else None
    return BootFlags(
        source=settings.once or first,
        is_persistent=settings.once is None,
        is_efi=settings.mode is BootMode.UEFI,
    )


def tell(chassis: Chassis, flags: BootFlags) -> None:
    """Tell a host to boot as the flags say; flags replace all that earlier ones have set.

    Without the EFI flag a host boots as it always does: one that knows nothing but UEFI does not
    lose it because a client never heard of the flag.
    """
    before = chassis.boot_settings()
    mode = BootMode.UEFI if flags.is_efi else chassis.plan.boot_mode
    if mode is not before.mode:
        chassis.set_boot_mode(mode)
    if flags.is_persistent:
        rest = tuple(source for source in before.order if source is not flags.source)
        chassis.set_boot_order((flags.source, *rest) if flags.source else DEFAULT_ORDER)
    chassis.set_boot_once(None if flags.is_persistent else flags.source)
