"""What is installed is removed, and the disks are cleaned unless that is turned off."""

from __future__ import annotations

from ingot.metal3.api.baremetalhost import AutomatedCleaningMode
from ingot.metal3.api.events import EventReason
from ingot.metal3.api.raid import RAID
from ingot.metal3.api.states import ErrorType, ProvisioningState
from ingot.metal3.host import bootwatch
from ingot.metal3.host.memory import Memory
from ingot.metal3.host.transition import become
from ingot.metal3.host.turn import Outcome, Turn
from ingot.metal3.host.working import work
from ingot.metal3.node.goal import Deprovision

__all__ = ["deprovisioning"]


def deprovisioning(turn: Turn) -> Outcome:
    """Deprovision; then the host is available, or leaves."""
    clean = turn.spec.automated_cleaning_mode is not AutomatedCleaningMode.DISABLED
    again = turn.has_error(ErrorType.PROVISIONING) or bootwatch.has_to_begin_again(turn)
    done = work(
        turn,
        Deprovision(again=again, clean=clean),
        failing=ErrorType.PROVISIONING,
        restart=Deprovision(forced_reboot=True, clean=clean),
        boots=clean,
    )
    if done.begins:
        turn.tell(EventReason.DEPROVISIONING_STARTED, "removing what is installed")
    if done.outcome is not None:
        return done.outcome
    raid = turn.status.provisioning.raid
    hardware = raid.hardware_raid_volumes if raid is not None else None
    turn.record(
        image=None,
        custom_deploy=None,
        raid=RAID(hardware_raid_volumes=hardware) if hardware is not None else None,
    )
    turn.forget(Memory.ROOT_DISK_CHOSEN)
    turn.tell(EventReason.DEPROVISIONING_COMPLETE, "what was installed has been removed")
    if turn.going:
        return become(
            turn, ProvisioningState.POWERING_OFF_BEFORE_DELETE, "turning off for the last time"
        )
    return become(turn, ProvisioningState.AVAILABLE, "ready for use")
