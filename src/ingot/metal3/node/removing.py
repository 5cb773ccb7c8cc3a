"""Delete and Detach: Ironic does not know the server. The server itself goes on as it is."""

from __future__ import annotations

from typing import Final

from ingot.ironic.node import Node
from ingot.ironic.patch import REMOVED, difference
from ingot.ironic.states import ProvisionState, Verb
from ingot.metal3.node.calls import Call, DeleteNode, PatchNode, SetMaintenance
from ingot.metal3.node.goal import Delete, Detach
from ingot.metal3.node.progress import Act, Done, Progress, Waiting
from ingot.metal3.node.situation import LONG, SHORT, abort_is_pending, asked, waiting
from ingot.metal3.node.subject import Subject

__all__ = ["remove"]

_DELETABLE: Final = frozenset(
    {
        ProvisionState.ENROLL,
        ProvisionState.MANAGEABLE,
        ProvisionState.AVAILABLE,
        ProvisionState.ADOPT_FAILED,
    }
)
"""Where Ironic lets a node go that is not in maintenance."""


def remove(goal: Delete | Detach, subject: Subject, node: Node | None) -> Progress[Call]:
    """Answer with the next step. It needs neither credentials nor a BMC that answers."""
    if node is None:
        return Done()
    state = node.status.provision_state
    if state.is_wait:
        return _ended(subject, node) if goal.force else waiting(node)
    if state.is_transient:
        return _interrupted(goal, node)
    if state is ProvisionState.UNKNOWN and not goal.force:
        return waiting(node)
    if state not in _DELETABLE or node.status.maintenance:
        return _deleted_in_maintenance(node)
    released = difference(node.document, {"instance_uuid": REMOVED})
    patch = (PatchNode(node=node.uuid, operations=released),) if released else ()
    return _removed(*patch, DeleteNode(node=node.uuid))


def _interrupted(goal: Delete | Detach, node: Node) -> Progress[Call]:
    """Answer for a node that Ironic works on, or did before it was killed."""
    seconds = SHORT if node.status.provision_state is ProvisionState.VERIFYING else LONG
    if not goal.force:
        return waiting(node, seconds)
    if node.status.reservation:
        return Waiting(
            doing=f"{node.status.provision_state}: Ironic has locked the node", seconds=SHORT
        )
    return _deleted_in_maintenance(node)


def _ended(subject: Subject, node: Node) -> Progress[Call]:
    """Answer for a node that waits for its agent, which may never come."""
    if abort_is_pending(node):
        return _deleted_in_maintenance(node)
    waits = node.status.provision_state
    if waits is ProvisionState.DEPLOY_WAIT and not subject.site.can_abort_deploy:
        return asked(node, Verb.DELETED, "ending the deployment", seconds=LONG)
    return asked(node, Verb.ABORT, f"ending what waits for the agent ({waits})")


def _deleted_in_maintenance(node: Node) -> Act[Call]:
    reason = "the host is removed"
    first = () if node.status.maintenance else (SetMaintenance(node=node.uuid, reason=reason),)
    return _removed(*first, DeleteNode(node=node.uuid))


def _removed(*calls: Call) -> Act[Call]:
    return Act(calls=calls, doing="removing the node", begins=True)
