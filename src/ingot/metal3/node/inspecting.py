"""Inspect: the hardware is known."""

from __future__ import annotations

from ingot.ironic.document import Json
from ingot.ironic.node import Node
from ingot.ironic.patch import difference
from ingot.ironic.states import ProvisionState, Verb
from ingot.metal3.api.baremetalhost import InspectionMode
from ingot.metal3.node.calls import Ask, Call, PatchNode
from ingot.metal3.node.goal import Inspect
from ingot.metal3.node.progress import Act, Done, Progress
from ingot.metal3.node.record import inspect_interface, record_changes
from ingot.metal3.node.situation import (
    LONG,
    SHORT,
    asked,
    brought_back,
    failed,
    hindered,
    to_manageable,
    waiting,
    was_aborted,
)
from ingot.metal3.node.subject import Subject

__all__ = ["inspect"]


def inspect(goal: Inspect, subject: Subject, node: Node) -> Progress[Call]:
    """Answer with the next step."""
    match node.status.provision_state:
        case ProvisionState.INSPECT_WAIT if goal.forced_reboot:
            return asked(node, Verb.ABORT, "ending the inspection to start over", begins=True)
        case ProvisionState.INSPECTING | ProvisionState.INSPECT_WAIT:
            return waiting(node, SHORT if goal.mode is InspectionMode.FAST else LONG)
        case ProvisionState.INSPECT_FAILED:
            if goal.again or goal.forced_reboot or was_aborted(node):
                return to_manageable(node, "inspecting again")
            return failed(node, "inspection failed")
        case ProvisionState.MANAGEABLE | ProvisionState.AVAILABLE:
            return hindered(node) or _from_idle(goal, subject, node)
        case _:
            return brought_back(
                node, "making the node ready for inspection", forced_reboot=goal.forced_reboot
            )


def _from_idle(goal: Inspect, subject: Subject, node: Node) -> Progress[Call]:
    # Ironic forgets this time when an inspection begins, and sets it when one succeeds.
    if node.document.get("inspection_finished_at") and not goal.refresh:
        return Done()
    if node.status.provision_state is ProvisionState.AVAILABLE:
        return to_manageable(node, "making the node ready for inspection")
    by = inspect_interface(subject, goal.mode)
    interface: dict[str, Json] = {"inspect_interface": by} if by else {}
    changes = (*record_changes(subject, node), *difference(node.document, interface))
    patch = (PatchNode(node=node.uuid, operations=changes),) if changes else ()
    return Act(
        calls=(*patch, Ask(node=node.uuid, verb=Verb.INSPECT)),
        doing="inspecting",
        seconds=SHORT if goal.mode is InspectionMode.FAST else LONG,
        begins=True,
    )
