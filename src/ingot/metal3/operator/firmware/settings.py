"""What the status of HostFirmwareSettings says of what Ironic has listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from ingot.ironic.hardware import BiosSetting
from ingot.metal3.api.conditions import FirmwareReason
from ingot.metal3.api.firmwareschema import AttributeType
from ingot.metal3.api.hostfirmwaresettings import HostFirmwareSettingsStatus
from ingot.metal3.api.references import SchemaReference
from ingot.metal3.node.firmware import bios_values
from ingot.metal3.operator.firmware.conditions import Verdict, conditions
from ingot.metal3.operator.firmware.judging import problems

__all__ = ["differing", "settings_status"]

_SPELLED: Final = {"1": "true", "true": "true", "0": "false", "false": "false"}
"""How a switch is told. Ironic keeps what the BMC said as its database happens to write it: SQLite
makes 1 and 0 of it, others True and False."""


def settings_status(
    old: HostFirmwareSettingsStatus,
    wanted: Mapping[str, int | str],
    found: Sequence[BiosSetting],
    *,
    schema: SchemaReference | None,
    generation: int,
    now: datetime,
) -> HostFirmwareSettingsStatus:
    """Return the next status; the old one itself if it says all of this already."""
    values = bios_values(map(_spelled, found))
    verdict = Verdict(
        changes=bool(differing(wanted, values)),
        problems=problems(wanted, found),
        good=FirmwareReason.SUCCESS,
        bad=FirmwareReason.CONFIGURATION_ERROR,
    )
    status = replace(
        old,
        schema=schema,
        settings=values,
        conditions=conditions(verdict, old.conditions, generation=generation, now=now),
    )
    return old if status == old else replace(status, last_updated=now)


def differing(wanted: Mapping[str, int | str], present: Mapping[str, str]) -> dict[str, str]:
    """Return the wanted settings that are not so, as the text that Ironic takes."""
    return {
        name: str(value)
        for name, value in sorted(wanted.items())
        if not _same(str(value), present.get(name))
    }


def _spelled(setting: BiosSetting) -> BiosSetting:
    """Return a setting with the value that a person may write to have it so."""
    if setting.attribute_type != AttributeType.BOOLEAN or setting.value is None:
        return setting
    return replace(setting, value=_SPELLED.get(setting.value.lower(), setting.value))


def _same(wanted: str, present: str | None) -> bool:
    """Compare as people do: a switch may be written with capitals."""
    if present is None or wanted == present:
        return wanted == present
    return wanted.lower() == present.lower() and wanted.lower() in _SPELLED
