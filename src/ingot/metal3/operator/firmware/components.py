"""What the status of HostFirmwareComponents says of what Ironic has listed and what was updated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from ingot.metal3.api.conditions import FirmwareReason
from ingot.metal3.api.hostfirmwarecomponents import (
    ComponentStatus,
    FirmwareUpdate,
    HostFirmwareComponentsStatus,
)
from ingot.metal3.operator.firmware.conditions import Verdict, conditions

__all__ = ["NOT_OFFERED", "components_status", "not_made"]

NOT_OFFERED: Final = "firmware cannot be updated through the host's BMC"

_NAMES: Final = frozenset({"bios", "bmc"})
_CARD: Final = "nic:"


def components_status(
    old: HostFirmwareComponentsStatus,
    wanted: Sequence[FirmwareUpdate],
    found: Sequence[ComponentStatus],
    *,
    offered: bool,
    generation: int,
    now: datetime,
) -> HostFirmwareComponentsStatus:
    """Return the next status; the old one itself if it says all of this already.

    An update that is wanted no more is forgotten, so that it is made again when it is wanted again.

    Args:
        old: the present status.
        wanted: the updates that spec asks for.
        found: the components as Ironic lists them.
        offered: whether the host's driver can update firmware at all.
        generation: which generation of the object that spec is.
        now: the time.
    """
    made = tuple(one for one in old.updates if one in wanted)
    verdict = Verdict(
        changes=bool(not_made(wanted, made)),
        problems=_problems(wanted, offered=offered),
        good=FirmwareReason.OK,
        bad=FirmwareReason.INVALID_COMPONENT,
    )
    status = replace(
        old,
        updates=made,
        components=tuple(found),
        conditions=conditions(verdict, old.conditions, generation=generation, now=now),
    )
    return old if status == old else replace(status, last_updated=now)


def not_made(
    wanted: Iterable[FirmwareUpdate], made: Sequence[FirmwareUpdate]
) -> tuple[FirmwareUpdate, ...]:
    """Return the updates that are asked for and not made."""
    return tuple(one for one in wanted if one not in made)


def _problems(wanted: Sequence[FirmwareUpdate], *, offered: bool) -> tuple[str, ...]:
    if wanted and not offered:
        return (NOT_OFFERED,)
    # A card is only listed while its server is on, so that a missing one proves nothing.
    return tuple(
        f"{one.component}: it is neither bios nor bmc, nor a network card as nic:<its name>"
        for one in wanted
        if one.component not in _NAMES and not _is_card(one.component)
    )


def _is_card(component: str) -> bool:
    return component.startswith(_CARD) and component != _CARD
