"""Which wanted BIOS settings a host can have, by what its BMC says of each of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from ingot.ironic.hardware import BiosSetting
from ingot.metal3.api.firmwareschema import AttributeType

__all__ = ["NO_SETTINGS", "problem", "problems"]

NO_SETTINGS: Final = "the host's BMC shows no BIOS settings, so none can be set"

_PASSWORD: Final = "password"  # noqa: S105 - a part of a setting's name
_PLAIN_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)")
_SWITCH: Final = frozenset({"true", "false"})


def problems(wanted: Mapping[str, int | str], settings: Iterable[BiosSetting]) -> tuple[str, ...]:
    """Return what keeps wanted settings from being made, a sentence for each that is wrong."""
    known = {setting.name: setting for setting in settings}
    if wanted and not known:
        return (NO_SETTINGS,)
    found = (problem(name, value, known.get(name)) for name, value in sorted(wanted.items()))
    return tuple(one for one in found if one)


def problem(name: str, value: int | str, setting: BiosSetting | None) -> str:
    """Return what is wrong with one wanted setting; "" if nothing is.

    No value of a password is ever repeated.
    """
    if _PASSWORD in name.lower():
        return f"{name}: passwords cannot be set here"
    if setting is None:
        return f"{name}: the host has no such setting"
    if setting.read_only:
        return f"{name}: it cannot be changed"
    if not setting.attribute_type:
        return ""
    rule = _RULES.get(setting.attribute_type)
    if rule is None:
        return f"{name}: settings of type {setting.attribute_type} cannot be set here"
    wrong = rule(str(value), setting)
    return f"{name}: {wrong}" if wrong else ""


def _enumeration(text: str, setting: BiosSetting) -> str:
    allowed = setting.allowable_values
    if not allowed or text in allowed:
        return ""
    return f"{text!r} is none of {', '.join(allowed)}"


def _integer(text: str, setting: BiosSetting) -> str:
    if not _PLAIN_NUMBER.fullmatch(text):
        return f"{text!r} is no whole number in plain digits"
    number = int(text)
    if setting.lower_bound is not None and number < setting.lower_bound:
        return f"{number} is less than {setting.lower_bound}"
    if setting.upper_bound is not None and number > setting.upper_bound:
        return f"{number} is more than {setting.upper_bound}"
    return ""


def _string(text: str, setting: BiosSetting) -> str:
    length = len(text)
    if setting.min_length is not None and length < setting.min_length:
        return f"a text of {length} characters is shorter than {setting.min_length}"
    if setting.max_length is not None and length > setting.max_length:
        return f"a text of {length} characters is longer than {setting.max_length}"
    return ""


def _boolean(text: str, setting: BiosSetting) -> str:
    del setting
    return "" if text.lower() in _SWITCH else f"{text!r} is neither true nor false"


_RULES: Final[Mapping[str, Callable[[str, BiosSetting], str]]] = {
    AttributeType.ENUMERATION.value: _enumeration,
    AttributeType.INTEGER.value: _integer,
    AttributeType.STRING.value: _string,
    AttributeType.BOOLEAN.value: _boolean,
}
"""By Redfish's word. `Password` is left out on purpose: nothing of that kind is set."""
