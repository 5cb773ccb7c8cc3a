"""PowerOn and PowerOff: the server is on, or it is off.

A server is never switched while Ironic is at work on it: a power cut in the middle of a deployment
or a firmware update is what nobody wants to repair.
"""

from __future__ import annotations

from typing import Final

from ingot.ironic.node import Node
from ingot.ironic.patch import difference
from ingot.ironic.states import PowerState, PowerTarget, ProvisionState, Verb
from ingot.metal3.node.calls import Call, PatchNode, SetPower
from ingot.metal3.node.goal import PowerOff, PowerOn
from ingot.metal3.node.progress import Act, Done, Progress, Waiting
from ingot.metal3.node.record import is_changeable
from ingot.metal3.node.situation import (
    POWER_FAILURE,
    SHORT,
    abort_is_pending,
    asked,
    failed,
    hindered,
    waiting,
)
from ingot.metal3.node.subject import Subject

__all__ = ["power_off", "power_on"]

SOFT_SECONDS: Final = 180
"""How long a running system has to shut down. Upstream's figure."""


def power_on(goal: PowerOn, subject: Subject, node: Node) -> Progress[Call]:
    """Answer with the next step."""
    del subject
    if early := _not_now(node, force=goal.force, reached=PowerState.ON):
        return early
    return _switched(node, PowerTarget.ON, "powering on")


def power_off(goal: PowerOff, subject: Subject, node: Node) -> Progress[Call]:
    """Answer with the next step."""
    if goal.abort and _may_abort(subject, node):
        return asked(node, Verb.ABORT, f"ending what waits for the agent ({_state(node)})")
    if subject.disable_power_off:
        return _rebooted(goal, node)
    if early := _not_now(node, force=goal.force, reached=PowerState.OFF):
        return early
    if forbidden := _forbidden(node):
        return forbidden
    if goal.hard:
        return _switched(node, PowerTarget.OFF, "powering off")
    return _switched(node, PowerTarget.SOFT_OFF, "shutting down", SOFT_SECONDS)


def _forbidden(node: Node) -> Progress[Call] | None:
    """Return what lifts a ban on powering off that the host no longer has, but its node does."""
    if not node.document.get("disable_power_off"):
        return None
    if not is_changeable(node):
        return waiting(node)
    allowed = difference(node.document, {"disable_power_off": False})
    patch = PatchNode(node=node.uuid, operations=allowed)
    return Act(calls=(patch,), doing="allowing to power off")


def _rebooted(goal: PowerOff, node: Node) -> Progress[Call]:
    reached = PowerState.ON if goal.started else PowerState.OFF
    if early := _not_now(node, force=goal.force, reached=reached):
        return early
    if goal.hard:
        return _switched(node, PowerTarget.REBOOT, "rebooting")
    return _switched(node, PowerTarget.SOFT_REBOOT, "rebooting", SOFT_SECONDS)


def _not_now(node: Node, *, force: bool, reached: PowerState) -> Progress[Call] | None:
    """Return what comes before a switch, or that none is needed; None when it can be done."""
    status = node.status
    state = status.provision_state
    if state.is_transient or state is ProvisionState.UNKNOWN:
        return waiting(node, SHORT)
    if status.target_power_state:
        return Waiting(doing=f"{status.target_power_state}: Ironic is at it", seconds=SHORT)
    broken = status.maintenance and status.fault == POWER_FAILURE
    if not force and (broken or _power_failed(node)):
        return failed(node, "switching the power failed")
    if status.power_state is reached:
        return Done()
    return None if broken else hindered(node)


def _power_failed(node: Node) -> bool:
    """Whether the last error is about power: others, such as a deployment's, say nothing here."""
    return "power" in (node.status.last_error or "").lower()


def _may_abort(subject: Subject, node: Node) -> bool:
    if abort_is_pending(node):
        return False
    if _state(node) is ProvisionState.CLEAN_WAIT:
        # What cleans by itself protects the next user's data; it ends soon, and is let to.
        automated = node.status.target_provision_state == ProvisionState.AVAILABLE
        return not (automated and subject.automated_clean)
    return _state(node) is ProvisionState.INSPECT_WAIT


def _state(node: Node) -> ProvisionState:
    return node.status.provision_state


def _switched(node: Node, target: PowerTarget, doing: str, timeout: int | None = None) -> Act[Call]:
    call = SetPower(node=node.uuid, target=target, timeout_seconds=timeout)
    return Act(calls=(call,), doing=doing, seconds=SHORT, begins=True)
