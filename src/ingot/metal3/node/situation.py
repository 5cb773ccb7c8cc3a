"""What all goals say of a node that is busy, held, broken or in maintenance."""

from __future__ import annotations

from typing import Final

from ingot.ironic.document import table
from ingot.ironic.node import Node
from ingot.ironic.states import ProvisionState, Verb
from ingot.metal3.node.calls import Ask, Call, ClearMaintenance
from ingot.metal3.node.meaning import explained
from ingot.metal3.node.progress import Act, Failed, Progress, Waiting

__all__ = [
    "LONG",
    "POWER_FAILURE",
    "SHORT",
    "abort_is_pending",
    "asked",
    "boots_ramdisk",
    "brought_back",
    "cleared",
    "failed",
    "freed",
    "hindered",
    "is_busy",
    "to_manageable",
    "waiting",
    "was_aborted",
]

SHORT: Final = 3.0
"""For what ends within seconds. Upstream's figure, as is the next."""
LONG: Final = 10.0
"""For what boots a server."""

POWER_FAILURE: Final = "power failure"
"""The fault of a node whose BMC does not answer; Ironic looks again by itself."""

_SET_BACK: Final = frozenset(
    {
        ProvisionState.INSPECT_FAILED,
        ProvisionState.CLEAN_FAILED,
        ProvisionState.ADOPT_FAILED,
        ProvisionState.AVAILABLE,
    }
)
"""From where `manage` leads to manageable, and nothing is touched."""

_ABORTED: Final = frozenset({ProvisionState.INSPECT_WAIT, ProvisionState.CLEAN_WAIT})
"""From where `abort` leads to one of those."""

_STEP_OF: Final = {
    ProvisionState.CLEAN_WAIT: "clean_step",
    ProvisionState.DEPLOY_WAIT: "deploy_step",
    ProvisionState.SERVICE_WAIT: "service_step",
}

_BOOTING_STEP: Final = "deploy"
"""The one step that boots the ramdisk itself. Cleaning and servicing do so before their first."""


def is_busy(node: Node) -> bool:
    """Whether only time, or a person at Ironic, brings the node into another state."""
    state = node.status.provision_state
    return state.is_transient or state.is_hold or state is ProvisionState.UNKNOWN


def waiting(node: Node, seconds: float = LONG) -> Waiting:
    """Say what a busy node does."""
    state = node.status.provision_state
    if state is ProvisionState.UNKNOWN:
        return Waiting(doing="Ironic has the node in a state that is not known here", seconds=LONG)
    if state.is_hold:
        return Waiting(
            doing=f"{state}: a step has stopped it, and `unhold` in Ironic goes on", seconds=LONG
        )
    return Waiting(doing=str(state), seconds=seconds)


def failed(node: Node, what: str, *, retryable: bool = True) -> Failed:
    """Say that something failed, with what Ironic says of it."""
    why = node.status.last_error or str(node.document.get("maintenance_reason") or "")
    return Failed(why=f"{what}: {explained(why)}" if why else what, retryable=retryable)


def asked(
    node: Node, verb: Verb, doing: str, *, seconds: float = SHORT, begins: bool = False
) -> Act[Call]:
    """Ask for a change of provision state."""
    return Act(calls=(Ask(node=node.uuid, verb=verb),), doing=doing, seconds=seconds, begins=begins)


def freed(node: Node) -> tuple[Call, ...]:
    """Return what takes a node out of maintenance, if it is in it."""
    return (ClearMaintenance(node=node.uuid),) if node.status.maintenance else ()


def to_manageable(node: Node, doing: str) -> Act[Call]:
    """Bring a node that failed at something, or is available, to where it can be worked on."""
    calls: tuple[Call, ...] = (*freed(node), Ask(node=node.uuid, verb=Verb.MANAGE))
    return Act(calls=calls, doing=doing)


def brought_back(node: Node, doing: str, *, forced_reboot: bool = False) -> Progress[Call]:
    """Bring a node back from where other work has left it, so that an unused server is worked on.

    What is in use is left alone.

    Args:
        node: it is neither manageable nor available.
        doing: what for.
        forced_reboot: end the boot of a ramdisk that an inspection or a cleaning waits for.
    """
    state = node.status.provision_state
    if forced_reboot and state in _ABORTED and boots_ramdisk(node):
        return asked(node, Verb.ABORT, f"ending a boot to start over ({state})")
    if is_busy(node):
        return waiting(node)
    if state is ProvisionState.DEPLOY_FAILED:
        return asked(node, Verb.DELETED, "removing what is left of a deployment", seconds=LONG)
    if state is ProvisionState.ERROR:
        # Asked for again, this could go on for ever; deprovisioning counts its tries.
        return failed(node, "the last image could not be removed")
    if state in _SET_BACK:
        return to_manageable(node, doing)
    return Failed(why=f"the server is in use ({state}), and is left alone")


def cleared(node: Node) -> Act[Call] | None:
    """Return what takes a node out of maintenance that nothing keeps there; None if it is not so.

    Nobody needs to set that flag by hand where hosts can be paused: it is left over from a failure
    that is over, or from a removal that was given up.
    """
    status = node.status
    if not status.maintenance or is_busy(node) or status.provision_state.is_failed:
        return None
    if status.fault == POWER_FAILURE:
        return None
    return Act(calls=freed(node), doing="taking the node out of maintenance")


def hindered(node: Node) -> Progress[Call] | None:
    """Return what comes before work on a server that is not broken; None when nothing does."""
    if node.status.maintenance and node.status.fault == POWER_FAILURE:
        reason = str(node.document.get("maintenance_reason") or "its BMC does not answer")
        return Waiting(doing=f"power failure: {explained(reason)}", seconds=LONG)
    return cleared(node)


def abort_is_pending(node: Node) -> bool:
    """Whether an abort was asked for in a step that cannot be aborted, so that its end ends all."""
    step = _STEP_OF.get(node.status.provision_state)
    return step is not None and bool(table(node.document, step).get("abort_after"))


def boots_ramdisk(node: Node) -> bool:
    """Whether Ironic waits for a ramdisk to come up, and not for what a step does.

    A step may reboot the server for a new BIOS setting or write firmware, for many minutes and
    without the agent. That is no boot to be followed, and must not be cut off. Steps that need no
    ramdisk have none booted for them at all.
    """
    state = node.status.provision_state
    if state is ProvisionState.INSPECT_WAIT:
        return True
    step = _STEP_OF.get(state)
    return step is not None and table(node.document, step).get("step") in (None, _BOOTING_STEP)


def was_aborted(node: Node) -> bool:
    """Whether something failed only because we, or a person, asked for that.

    A power switch after the abort makes Ironic forget why; a failure of its own it would tell.
    """
    why = node.status.last_error
    return not why or "aborted" in why.lower()
