"""BIOS settings and firmware as Ironic lists them, as the API tells them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from ingot.ironic.hardware import BiosSetting, FirmwareComponent
from ingot.metal3.api.firmwareschema import AttributeType, SettingSchema
from ingot.metal3.api.hostfirmwarecomponents import ComponentStatus

__all__ = ["bios_schema", "bios_values", "components"]

_TYPES = {kind.value: kind for kind in AttributeType}


def bios_values(settings: Iterable[BiosSetting]) -> dict[str, str]:
    """Return all settings that have a value and may be shown: passwords are not."""
    return {
        setting.name: setting.value
        for setting in settings
        if setting.value is not None and not _is_password(setting)
    }


def bios_schema(settings: Iterable[BiosSetting]) -> dict[str, SettingSchema]:
    """Return what values the settings may have, as far as the BMC says."""
    return {
        setting.name: SettingSchema(
            attribute_type=_TYPES.get(setting.attribute_type or ""),
            allowable_values=setting.allowable_values or (),
            lower_bound=setting.lower_bound,
            upper_bound=setting.upper_bound,
            min_length=setting.min_length,
            max_length=setting.max_length,
            read_only=setting.read_only,
            unique=setting.unique,
        )
        for setting in settings
    }


def components(found: Iterable[FirmwareComponent]) -> tuple[ComponentStatus, ...]:
    """Return the versions of firmware, by the component's name."""
    return tuple(
        ComponentStatus(
            component=one.component,
            initial_version=one.initial_version or "",
            current_version=one.current_version or "",
            last_version_flashed=one.last_version_flashed or "",
            updated_at=_moment(one.updated_at),
        )
        for one in sorted(found, key=lambda one: one.component)
    )


def _is_password(setting: BiosSetting) -> bool:
    return setting.attribute_type == AttributeType.PASSWORD or "password" in setting.name.lower()


def _moment(text: str | None) -> datetime | None:
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
