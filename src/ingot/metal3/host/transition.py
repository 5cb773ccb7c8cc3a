"""Going from one state to the next, and all that belongs to it: history, metrics, a clean slate."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ingot.metal3.api.bootmode import BootMode
from ingot.metal3.api.hoststatus import OperationHistory, OperationTimes
from ingot.metal3.api.states import OperationalStatus, ProvisioningState
from ingot.metal3.host import counting, slots
from ingot.metal3.host.decision import Count
from ingot.metal3.host.failing import succeed
from ingot.metal3.host.memory import Memory
from ingot.metal3.host.turn import Outcome, Turn

__all__ = ["become"]

_OPERATIONS: Final = {
    ProvisioningState.REGISTERING: "register",
    ProvisioningState.INSPECTING: "inspect",
    ProvisioningState.PROVISIONING: "provision",
    ProvisioningState.DEPROVISIONING: "deprovision",
}
"""States whose times are kept."""

_SET_BOOT_MODE: Final = frozenset(
    {
        ProvisioningState.REGISTERING,
        ProvisioningState.INSPECTING,
        ProvisioningState.PROVISIONING,
    }
)

_OF_ONE_STATE: Final = (
    Memory.BOOT_LOST,
    Memory.WAITING_FOR_CAPACITY,
    Memory.WAITING_FOR_BOOT_SLOT,
    Memory.WAITING_FOR_RAMDISK,
)

_LEAVING: Final = {
    ProvisioningState.POWERING_OFF_BEFORE_DELETE: Memory.POWERING_OFF_BEFORE_DELETE,
    ProvisioningState.DELETING: Memory.DELETING,
}
"""States that last only so long, and so have to know since when."""


def become(turn: Turn, state: ProvisioningState, why: str, *, failed: bool = False) -> Outcome:
    """Go to another state, or wait for the capacity to do so.

    Args:
        turn: the look at the host.
        state: where to.
        why: what a person should know.
        failed: the state is left because its work failed, so no duration is counted.
    """
    full = slots.no_capacity(turn, state)
    if full is not None:
        return full
    before = turn.status.provisioning.state
    succeed(turn)
    turn.forget(*_OF_ONE_STATE)
    _keep_times(turn, state, failed=failed)
    turn.record(state=state)
    if state in _SET_BOOT_MODE:
        turn.record(boot_mode=turn.spec.boot_mode or BootMode.UEFI)
    if state in _LEAVING:
        turn.remember(_LEAVING[state], why, afresh=True)
    if state is ProvisioningState.UNMANAGED:
        turn.fares(OperationalStatus.DISCOVERED)
    elif not (state is ProvisioningState.DELETING and turn.detached):
        turn.fares(OperationalStatus.OK)
    turn.count(counting.STATE_CHANGE, prev_state=before.value, new_state=state.value)
    return Outcome(why, 0.0)


def _keep_times(turn: Turn, state: ProvisioningState, *, failed: bool) -> None:
    """Note the end of what is left and the start of what is entered."""
    history = turn.status.operation_history
    left = _OPERATIONS.get(turn.state)
    if left is not None and not failed and state is not turn.state:
        started = _times(history, left).start
        history = _with(history, left, OperationTimes(start=started, end=turn.now))
        if started is not None:
            turn.counts.append(
                Count(
                    name=counting.DURATION[turn.state],
                    labels=turn.where,
                    seconds=(turn.now - started).total_seconds(),
                )
            )
    entered = _OPERATIONS.get(state)
    if entered is not None:
        history = _with(history, entered, OperationTimes(start=turn.now))
    if history != turn.status.operation_history:
        turn.status = replace(turn.status, operation_history=history)


def _times(history: OperationHistory, operation: str) -> OperationTimes:
    times: OperationTimes = getattr(history, operation)
    return times


def _with(history: OperationHistory, operation: str, times: OperationTimes) -> OperationHistory:
    match operation:
        case "register":
            return replace(history, register=times)
        case "inspect":
            return replace(history, inspect=times)
        case "provision":
            return replace(history, provision=times)
        case _:
            return replace(history, deprovision=times)
