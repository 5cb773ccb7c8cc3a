"""Firmware of a host in use, changed in the middle of a reboot where its policy allows that."""

from __future__ import annotations

from dataclasses import replace

from ingot.ironic.states import ProvisionState
from ingot.metal3.api.states import ErrorType, OperationalStatus
from ingot.metal3.host import registering
from ingot.metal3.host.decision import FirmwareRecord
from ingot.metal3.host.failing import succeed
from ingot.metal3.host.inputs import wish
from ingot.metal3.host.memory import Memory
from ingot.metal3.host.observation import FirmwareSeen
from ingot.metal3.host.preparing import note_firmware
from ingot.metal3.host.turn import Outcome, Turn
from ingot.metal3.host.working import work
from ingot.metal3.node.goal import Service

__all__ = ["is_due", "is_under_way", "service"]

_SERVICED = frozenset(
    {
        ProvisionState.SERVICING,
        ProvisionState.SERVICE_WAIT,
        ProvisionState.SERVICE_HOLD,
        ProvisionState.SERVICE_FAILED,
    }
)


def is_under_way(turn: Turn) -> bool:
    """Return whether servicing was begun and is not over."""
    return (
        turn.status.operational_status is OperationalStatus.SERVICING
        or turn.has_error(ErrorType.SERVICING)
        or turn.node_state in _SERVICED
    )


def is_due(turn: Turn) -> bool:
    """Return whether a host that is off for a moment should be serviced."""
    print_ = wish(_allowed(turn))
    applied = turn.recall(Memory.FIRMWARE_APPLIED)
    return bool(print_) and (applied is None or applied.notes.get("wish") != print_)


def service(turn: Turn) -> Outcome | None:
    """Service the host; None when that is over.

    The first look only says that it is to be serviced, so that a ramdisk can be made for it.
    """
    if not is_under_way(turn):
        turn.fares(OperationalStatus.SERVICING)
        return Outcome("about to be serviced", 0.0)
    waits = registering.ramdisk_not_ready(turn)
    if waits is not None:
        return waits
    firmware = _allowed(turn)
    goal = Service(
        bios=firmware.settings,
        updates=firmware.updates,
        started=not is_due(turn),
        again=turn.has_error(ErrorType.SERVICING),
        withdrawn=not turn.seen.firmware.asked,
    )
    restart = replace(goal, forced_reboot=True)
    done = work(turn, goal, failing=ErrorType.SERVICING, restart=restart)
    if turn.pursued is restart:
        turn.forget(Memory.FIRMWARE_APPLIED)  # an aborted service ends like one that is over
    if done.failed:
        turn.forget(Memory.FIRMWARE_APPLIED)
        turn.firmware_updates = FirmwareRecord.CLEAR
        return done.outcome
    if done.begins:
        note_firmware(turn, firmware)
    if done.outcome is not None:
        if turn.status.operational_status is not OperationalStatus.DELAYED:
            turn.fares(OperationalStatus.SERVICING)
        return done.outcome
    succeed(turn)
    turn.fares(OperationalStatus.OK)
    return None


def _allowed(turn: Turn) -> FirmwareSeen:
    """Return what is asked of the firmware and may be done at a reboot."""
    firmware = turn.seen.firmware
    return replace(
        firmware,
        settings=firmware.settings if firmware.settings_on_reboot else {},
        updates=firmware.updates if firmware.updates_on_reboot else (),
    )
