"""What the host's state machine has to know of firmware, from the three objects of a host.

A host that asks for nothing never waits: neither for an object that is not made yet, nor for a
status that is not written yet.
"""

from __future__ import annotations

from ingot.metal3.api.hostfirmwarecomponents import HostFirmwareComponents
from ingot.metal3.api.hostfirmwaresettings import HostFirmwareSettings
from ingot.metal3.api.hostupdatepolicy import (
    HostUpdatePolicy,
    HostUpdatePolicySpec,
    UpdateMoment,
)
from ingot.metal3.host.observation import FirmwareSeen
from ingot.metal3.node.goal import FirmwareUpdate
from ingot.metal3.operator.firmware.components import not_made
from ingot.metal3.operator.firmware.conditions import is_judged, is_valid
from ingot.metal3.operator.firmware.settings import differing

__all__ = ["firmware_seen"]


def firmware_seen(
    settings: HostFirmwareSettings | None,
    components: HostFirmwareComponents | None,
    policy: HostUpdatePolicy | None,
) -> FirmwareSeen:
    """Return it; None stands for an object that is not there.

    One wrong setting keeps all of them from being made, as upstream has it: a spec is one wish, and
    half of it may be worse than nothing.
    """
    when = policy.spec if policy else HostUpdatePolicySpec()
    asks_settings = settings is not None and bool(settings.spec.settings)
    asks_updates = components is not None and bool(components.spec.updates)
    return FirmwareSeen(
        ready=(not asks_settings or _judged(settings))
        and (not asks_updates or _judged(components)),
        asked=asks_settings or asks_updates,
        settings=_settings(settings),
        updates=_updates(components),
        settings_on_reboot=when.firmware_settings is UpdateMoment.ON_REBOOT,
        updates_on_reboot=when.firmware_updates is UpdateMoment.ON_REBOOT,
    )


def _judged(one: HostFirmwareSettings | HostFirmwareComponents | None) -> bool:
    return one is not None and is_judged(one.status.conditions, one.metadata.generation)


def _settings(one: HostFirmwareSettings | None) -> dict[str, str]:
    if one is None or not _judged(one) or not is_valid(one.status.conditions):
        return {}
    return differing(one.spec.settings, one.status.settings)


def _updates(one: HostFirmwareComponents | None) -> tuple[FirmwareUpdate, ...]:
    if one is None or not _judged(one) or not is_valid(one.status.conditions):
        return ()
    return tuple(
        FirmwareUpdate(component=update.component, url=update.url)
        for update in not_made(one.spec.updates, one.status.updates)
    )
