"""Annotations by which a host is rebooted, detached, or brought here with its status."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from ingot.metal3.api import annotation
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.hoststatus import HostStatus
from ingot.metal3.webhooks.finding import Finding, shown, warning
from ingot.metal3.webhooks.strictjson import misread

__all__ = ["detachment_is_read", "reboot_can_be_read", "status_can_be_restored"]

REBOOT_MODES: Final = ("", "hard", "soft")
DELETE_ACTIONS: Final = ("", "delay", "delete")
_REBOOT_REMEDY: Final = 'leave it empty, or write {"mode": "hard"} or {"mode": "soft"}'


def status_can_be_restored(host: BareMetalHost) -> Iterator[Finding]:
    """Row 18: the status annotation is a host's status, with known fields and known words.

    Upstream's lists lack the words of servicing, so that a host which is serviced cannot move.
    """
    said = host.metadata.annotations.get(annotation.STATUS)
    if said is None:
        return
    if why := misread(HostStatus, said):
        yield Finding(
            _field(annotation.STATUS),
            f"is no status of a host: {why}",
            "take it from the status of the host where it was, or remove the annotation",
        )


def reboot_can_be_read(host: BareMetalHost) -> Iterator[Finding]:
    """Row 19: a reboot annotation is empty, or JSON with a mode that there is."""
    for name, value in host.metadata.annotations.items():
        is_reboot = name == annotation.REBOOT or name.startswith(annotation.REBOOT_WITH_KEY)
        if is_reboot and value and (why := _misread_reboot(value)):
            yield Finding(_field(name), why, _REBOOT_REMEDY)


def detachment_is_read(host: BareMetalHost) -> Iterator[Finding]:
    """No row: free text detaches too, but what looks like arguments and is none should be known."""
    said = host.metadata.annotations.get(annotation.DETACHED, "")
    if said.lstrip()[:1] == "{" and (why := _misread_detachment(said)):
        yield warning(
            _field(annotation.DETACHED),
            f"{why}, so it detaches the host without arguments",
            'write {"deleteAction": "delay", "force": true}, each as needed',
        )


def _misread_reboot(value: str) -> str:
    said = _read(value)
    if said is None or isinstance(said, str):
        return f"{shown(value)} is no JSON" if isinstance(said, str) else ""
    mode = said.get("mode")
    if mode is not None and mode not in REBOOT_MODES:
        return f"has the mode {shown(str(mode))}"
    return _misread_force(said)


def _misread_detachment(value: str) -> str:
    said = _read(value)
    if not isinstance(said, dict):
        return f"{shown(value)} cannot be read"
    action = said.get("deleteAction")
    if action is not None and action not in DELETE_ACTIONS:
        return f"has the deleteAction {shown(str(action))}"
    return _misread_force(said)


def _misread_force(said: dict[str, object]) -> str:
    force = said.get("force")
    return "" if force is None or isinstance(force, bool) else "has a force that is no flag"


def _read(value: str) -> dict[str, object] | str | None:
    """Return the arguments; None for null, which says nothing; a text for what is no object."""
    try:
        said = json.loads(value)
    except (ValueError, RecursionError):
        return "no JSON"
    return said if said is None or isinstance(said, dict) else "no object"


def _field(name: str) -> str:
    return f"metadata.annotations[{shown(name)[1:-1]}]"
