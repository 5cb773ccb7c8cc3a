"""The standard conditions of a host, computed anew at each look."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ingot.metal3.api.conditions import Condition, ConditionStatus, HostCondition, HostReason
from ingot.metal3.api.states import ErrorType, OperationalStatus, ProvisioningState
from ingot.metal3.host.memory import Memory
from ingot.metal3.host.turn import Turn

__all__ = ["set_conditions"]

POWER_FAILURE: Final = "power failure"
"""What Ironic calls a BMC that does not answer."""

_PROGRESSING: Final = {
    ProvisioningState.REGISTERING: HostReason.REGISTERING,
    ProvisioningState.INSPECTING: HostReason.INSPECTING,
    ProvisioningState.MATCH_PROFILE: HostReason.PREPARING,
    ProvisioningState.PREPARING: HostReason.PREPARING,
    ProvisioningState.PROVISIONING: HostReason.PROVISIONING,
    ProvisioningState.DEPROVISIONING: HostReason.DEPROVISIONING,
    ProvisioningState.POWERING_OFF_BEFORE_DELETE: HostReason.POWERING_OFF_BEFORE_DELETE,
    ProvisioningState.DELETING: HostReason.DELETING,
}
_UNMANAGED: Final = frozenset({ProvisioningState.NONE, ProvisioningState.UNMANAGED})
_IN_USE: Final = frozenset(
    {ProvisioningState.PROVISIONED, ProvisioningState.EXTERNALLY_PROVISIONED}
)
_NOT_READY: Final = {
    OperationalStatus.ERROR: HostReason.ERROR,
    OperationalStatus.SERVICING: HostReason.SERVICING,
    OperationalStatus.DETACHED: HostReason.DETACHED,
}
_HEALTH: Final = {
    "ok": (ConditionStatus.TRUE, HostReason.HEALTHY),
    "warning": (ConditionStatus.FALSE, HostReason.WARNING),
    "critical": (ConditionStatus.FALSE, HostReason.CRITICAL_ERROR),
}

Said = tuple[ConditionStatus, HostReason, str]


def set_conditions(turn: Turn, doing: str) -> None:
    """Put the standard conditions into the status, before our own.

    Args:
        turn: the look at the host.
        doing: what the host does or waits for.
    """
    said = {
        HostCondition.MANAGEABLE: _manageable(turn),
        HostCondition.AVAILABLE_FOR_PROVISIONING: _holds(
            turn.state is ProvisioningState.AVAILABLE,
            HostReason.AVAILABLE,
            HostReason.NOT_AVAILABLE,
        ),
        HostCondition.PROVISIONED: _holds(
            turn.state in _IN_USE, HostReason.PROVISIONED, HostReason.NOT_PROVISIONED
        ),
        HostCondition.READY: _ready(turn),
        HostCondition.PROGRESSING: _progressing(turn, doing),
    }
    health = _health(turn)
    if health is not None:
        said[HostCondition.HEALTHY] = health
    old = {condition.type: condition for condition in turn.status.conditions}
    standard = [_condition(turn, old.get(kind), kind, *what) for kind, what in said.items()]
    if health is None:
        standard.append(old[HostCondition.HEALTHY])
    ours = [old[kind] for kind in Memory if kind in old]
    conditions = (*standard, *ours)
    if conditions != turn.status.conditions:
        turn.status = replace(turn.status, conditions=conditions)


def _condition(
    turn: Turn,
    old: Condition | None,
    kind: HostCondition,
    status: ConditionStatus,
    reason: HostReason,
    message: str,
) -> Condition:
    same = old is not None and old.status is status
    return Condition(
        type=kind.value,
        status=status,
        reason=reason.value,
        message=message,
        last_transition_time=old.last_transition_time if old and same else turn.now,
        observed_generation=turn.meta.generation,
    )


def _holds(true: bool, yes: HostReason, no: HostReason) -> Said:  # noqa: FBT001 - a case of two
    return (ConditionStatus.TRUE, yes, "") if true else (ConditionStatus.FALSE, no, "")


def _manageable(turn: Turn) -> Said:
    if turn.state in _UNMANAGED:
        return ConditionStatus.FALSE, HostReason.NOT_MANAGED, "the address of its BMC is not known"
    if turn.state is ProvisioningState.REGISTERING:
        if turn.has_error(ErrorType.REGISTRATION):
            return (
                ConditionStatus.FALSE,
                HostReason.REGISTRATION_FAILED,
                turn.status.error_message,
            )
        return ConditionStatus.FALSE, HostReason.REGISTERING, ""
    if turn.seen.node is not None and turn.seen.node.fault == POWER_FAILURE:
        return ConditionStatus.FALSE, HostReason.POWER_FAILURE, "its BMC does not answer"
    return ConditionStatus.TRUE, HostReason.MANAGEABLE, ""


def _ready(turn: Turn) -> Said:
    reason = _NOT_READY.get(turn.status.operational_status)
    if reason is not None and turn.state in _IN_USE:
        return ConditionStatus.FALSE, reason, turn.status.error_message
    return _holds(turn.state in _IN_USE, HostReason.PROVISIONED, HostReason.NOT_PROVISIONED)


def _progressing(turn: Turn, doing: str) -> Said:
    if turn.detached:
        return ConditionStatus.FALSE, HostReason.DETACHED, ""
    reason = _PROGRESSING.get(turn.state)
    if reason is None:
        return ConditionStatus.FALSE, HostReason.NOT_PROGRESSING, ""
    return ConditionStatus.TRUE, reason, doing


def _health(turn: Turn) -> Said | None:
    """Return what the BMC says of the hardware; None to keep what it said last."""
    said = turn.seen.node.health if turn.seen.node else None
    known = _HEALTH.get(said.lower()) if said else None
    if known is not None:
        return (*known, "")
    if any(condition.type == HostCondition.HEALTHY for condition in turn.status.conditions):
        return None
    return ConditionStatus.UNKNOWN, HostReason.UNKNOWN, ""
