"""RAID, BIOS settings and firmware are made as wanted before a host is offered for use."""

from __future__ import annotations

from dataclasses import replace

from ingot.metal3.api.events import EventReason
from ingot.metal3.api.raid import RAID
from ingot.metal3.api.states import ErrorType, ProvisioningState
from ingot.metal3.host import bootwatch, rootdisk
from ingot.metal3.host.decision import FirmwareRecord
from ingot.metal3.host.inputs import wish
from ingot.metal3.host.memory import Memory
from ingot.metal3.host.observation import FirmwareSeen
from ingot.metal3.host.transition import become
from ingot.metal3.host.turn import Outcome, Turn
from ingot.metal3.host.working import work
from ingot.metal3.node.goal import Prepare

__all__ = ["has_changed", "note_firmware", "preparing", "raid_after"]


def raid_after(wanted: RAID | None, now: RAID | None) -> RAID | None:
    """Return the RAID that preparing leaves: where nothing is said, hardware volumes stay."""
    if wanted is not None:
        return wanted
    if now is not None and now.hardware_raid_volumes is not None:
        return RAID(hardware_raid_volumes=now.hardware_raid_volumes)
    return None


def has_changed(turn: Turn) -> bool:
    """Return whether something is wanted that the host has not been prepared with."""
    made = turn.status.provisioning
    return (
        made.root_device_hints != rootdisk.wanted_hints(turn.spec)
        or made.raid != raid_after(turn.spec.raid, made.raid)
        or not _firmware_is_applied(turn)
    )


def preparing(turn: Turn) -> Outcome:
    """Prepare, and offer the host."""
    if not turn.seen.firmware.ready:
        return Outcome(
            "waiting for HostFirmwareSettings and HostFirmwareComponents",
            turn.settings.delays.firmware_not_ready,
        )
    _set_profile(turn)
    anew = bootwatch.has_to_begin_again(turn)
    if anew:
        _forget(turn)
    firmware = turn.seen.firmware
    goal = Prepare(
        raid=turn.spec.raid,
        raid_now=turn.status.provisioning.raid,
        firmware=turn.spec.firmware,
        root_hints=rootdisk.wanted_hints(turn.spec),
        bios=firmware.settings,
        updates=firmware.updates,
        started=not has_changed(turn),
        again=anew or turn.has_error(ErrorType.PREPARATION),
    )
    done = work(
        turn,
        goal,
        failing=ErrorType.PREPARATION,
        restart=replace(goal, forced_reboot=True),
    )
    if done.failed:
        _forget(turn)
        turn.firmware_updates = FirmwareRecord.CLEAR
    if done.begins or done.outcome is None:
        _note(turn)
    if done.outcome is not None:
        return done.outcome
    return become(turn, ProvisioningState.AVAILABLE, "ready for use")


def note_firmware(turn: Turn, firmware: FirmwareSeen) -> None:
    """Remember that what is asked of the firmware, or the part that is allowed, was started."""
    turn.remember(
        Memory.FIRMWARE_APPLIED,
        "what is asked of the firmware has been started, and may not show yet",
        notes={"wish": wish(firmware)},
        afresh=True,
    )
    if firmware.updates:
        turn.firmware_updates = FirmwareRecord.RECORD


def _firmware_is_applied(turn: Turn) -> bool:
    """Return whether nothing is asked of the firmware, or only what has been started already.

    What the firmware says of itself lags behind. Taking it at its word would prepare for ever a
    server whose firmware ignores a setting.
    """
    print_ = wish(turn.seen.firmware)
    applied = turn.recall(Memory.FIRMWARE_APPLIED)
    return not print_ or (applied is not None and applied.notes.get("wish") == print_)


def _note(turn: Turn) -> None:
    turn.record(
        root_device_hints=rootdisk.wanted_hints(turn.spec),
        raid=raid_after(turn.spec.raid, turn.status.provisioning.raid),
        firmware=turn.spec.firmware,
    )
    if not _firmware_is_applied(turn):
        note_firmware(turn, turn.seen.firmware)


def _forget(turn: Turn) -> None:
    turn.record(root_device_hints=None, raid=None, firmware=None)
    turn.forget(Memory.FIRMWARE_APPLIED)


def _set_profile(turn: Turn) -> None:
    name = rootdisk.profile(turn.spec)
    if turn.status.hardware_profile != name:
        turn.tell(EventReason.PROFILE_SET, f"the hardware profile is {name}")
        turn.status = replace(turn.status, hardware_profile=name)
