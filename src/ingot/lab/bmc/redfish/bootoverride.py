"""Redfish's boot override, in the words of a chassis.

Redfish knows one override that holds once or for good. A chassis knows a one-time device and a boot
order. So *Once* is the one-time device, and *Continuous* puts its target first in the order; what
the order was before is remembered, for the day the override is disabled. When the order is changed
behind the BMC's back, a continuous override is gone, and is shown so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from typing import Final, TypeVar

from ingot.lab.bmc.redfish.nvram import Memory
from ingot.lab.bmc.redfish.refusal import Refused
from ingot.machine.model import BootMode, BootSettings, BootSource

__all__ = ["MODES", "Change", "Enabled", "Target", "asked", "boot_document", "with_first"]


T = TypeVar("T", bound=StrEnum)


class Enabled(StrEnum):
    """How long an override holds; the values are Redfish's own."""

    DISABLED = "Disabled"
    ONCE = "Once"
    CONTINUOUS = "Continuous"


class Target(StrEnum):
    """What it boots; the values are Redfish's own."""

    NONE = "None"
    PXE = "Pxe"
    CD = "Cd"
    HDD = "Hdd"
    UEFI_HTTP = "UefiHttp"


MODES: Final = {"Legacy": BootMode.LEGACY, "UEFI": BootMode.UEFI}

_SOURCES: Final = {
    Target.PXE: BootSource.NETWORK,
    Target.CD: BootSource.MEDIA,
    Target.HDD: BootSource.DISK,
}
_TARGETS: Final = {source: target for target, source in _SOURCES.items()}
_KNOWN: Final = frozenset(
    {
        "BootSourceOverrideEnabled",
        "BootSourceOverrideTarget",
        "BootSourceOverrideMode",
        "HttpBootUri",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a client asks for.

    Attributes:
        mode: a new kind of firmware; None leaves it.
        enabled: how long; None leaves the override as it is.
        source: what to boot; None where the override is disabled or left.
        http_boot_uri: an image that the BMC fetches and boots from.
    """

    mode: BootMode | None = None
    enabled: Enabled | None = None
    source: BootSource | None = None
    http_boot_uri: str | None = None


def current(settings: BootSettings, memory: Memory) -> tuple[Enabled, Target]:
    """Return the override that is in force."""
    if settings.once is not None:
        by_http = memory.http_boot_uri is not None and settings.once is BootSource.MEDIA
        return Enabled.ONCE, Target.UEFI_HTTP if by_http else _TARGETS[settings.once]
    stays = memory.continuous
    if stays is not None and settings.order[:1] == (stays.source,):
        return Enabled.CONTINUOUS, _TARGETS[stays.source]
    return Enabled.DISABLED, Target.NONE


def boot_document(settings: BootSettings, memory: Memory) -> dict[str, object]:
    """Return the `Boot` of a system."""
    enabled, target = current(settings, memory)
    boot: dict[str, object] = {
        "BootSourceOverrideEnabled": enabled,
        "BootSourceOverrideEnabled@Redfish.AllowableValues": list(Enabled),
        "BootSourceOverrideTarget": target,
        "BootSourceOverrideTarget@Redfish.AllowableValues": _targets(settings.mode),
        "BootSourceOverrideMode": next(
            name for name, mode in MODES.items() if mode is settings.mode
        ),
        "BootSourceOverrideMode@Redfish.AllowableValues": list(MODES),
    }
    if settings.mode is BootMode.UEFI:
        boot["HttpBootUri"] = memory.http_boot_uri
    return boot


def asked(boot: Mapping[str, object], settings: BootSettings, memory: Memory) -> Change:
    """Read what a client sent.

    Raises:
        Refused: it makes no sense, or not for this host.
    """
    unknown = sorted(set(boot) - _KNOWN)
    if unknown:
        raise _bad(f"Boot.{unknown[0]} cannot be set", "PropertyUnknown")
    mode = None
    if (name := boot.get("BootSourceOverrideMode")) is not None:
        mode = MODES.get(str(name))
        if mode is None:
            raise _not_in_list("BootSourceOverrideMode", name, list(MODES))
    now, target_now = current(settings, memory)
    enabled = _one_of(Enabled, boot, "BootSourceOverrideEnabled", list(Enabled))
    target = _one_of(Target, boot, "BootSourceOverrideTarget", _targets(mode or settings.mode))
    if enabled is None and target is None:
        return Change(mode=mode)
    if enabled is Enabled.DISABLED or target is Target.NONE:
        return Change(mode=mode, enabled=Enabled.DISABLED)
    if enabled is None:
        # Clients leave out what they see is set already.
        enabled = Enabled.ONCE if now is Enabled.DISABLED else now
    target = target or target_now
    if target is Target.NONE:
        raise _bad("BootSourceOverrideTarget is needed", "PropertyMissing")
    uri = boot.get("HttpBootUri")
    if target is Target.UEFI_HTTP:
        # Without an address firmware asks DHCP where to boot from: that is the network.
        source = BootSource.MEDIA if uri else BootSource.NETWORK
        return Change(
            mode=mode, enabled=enabled, source=source, http_boot_uri=str(uri) if uri else None
        )
    return Change(mode=mode, enabled=enabled, source=_SOURCES[target])


def with_first(order: tuple[BootSource, ...], source: BootSource) -> tuple[BootSource, ...]:
    """Return a boot order with a source moved to its front."""
    return (source, *(one for one in order if one is not source))


def _targets(mode: BootMode) -> list[Target]:
    if mode is BootMode.UEFI:
        return list(Target)
    return [target for target in Target if target is not Target.UEFI_HTTP]


def _one_of(kind: type[T], boot: Mapping[str, object], key: str, allowed: Sequence[T]) -> T | None:
    name = boot.get(key)
    if name is None:
        return None
    if name not in allowed:
        raise _not_in_list(key, name, allowed)
    return kind(str(name))


def _not_in_list(key: str, value: object, allowed: Sequence[str]) -> Refused:
    return _bad(f"{key} {value!r} is not one of {', '.join(allowed)}", "PropertyValueNotInList")


def _bad(message: str, message_id: str) -> Refused:
    return Refused(HTTPStatus.BAD_REQUEST, message, message_id=message_id)
