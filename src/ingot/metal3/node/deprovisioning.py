"""Deprovision: the image is gone, and the disks are clean if cleaning is on."""

from __future__ import annotations

from dataclasses import replace

from ingot.ironic.node import Node
from ingot.ironic.patch import Operation, difference
from ingot.ironic.states import ProvisionState, Verb
from ingot.metal3.node.calls import Ask, Call, PatchNode
from ingot.metal3.node.goal import Deprovision
from ingot.metal3.node.progress import Act, Done, Progress
from ingot.metal3.node.provisioning import provide
from ingot.metal3.node.record import is_changeable
from ingot.metal3.node.situation import (
    LONG,
    asked,
    brought_back,
    cleared,
    failed,
    freed,
    to_manageable,
)
from ingot.metal3.node.subject import Subject

__all__ = ["deprovision"]


def deprovision(  # noqa: PLR0911 - a table of states
    goal: Deprovision, subject: Subject, node: Node
) -> Progress[Call]:
    """Answer with the next step.

    A BMC that does not answer is not waited for: the failure is counted instead, so that a host
    whose server is gone can be given up.
    """
    subject = replace(subject, automated_clean=subject.automated_clean and goal.clean)
    match node.status.provision_state:
        case ProvisionState.AVAILABLE:
            return cleared(node) or Done()
        case ProvisionState.MANAGEABLE:
            return provide(subject, node, "cleaning", begins=True)
        case (
            ProvisionState.ACTIVE
            | ProvisionState.DEPLOY_FAILED
            | ProvisionState.DEPLOY_WAIT
            | ProvisionState.SERVICE_FAILED
            | ProvisionState.SERVICE_WAIT
            | ProvisionState.RESCUE
            | ProvisionState.RESCUE_WAIT
            | ProvisionState.RESCUE_FAILED
            | ProvisionState.UNRESCUE_FAILED
        ):
            return _removed(subject, node)
        case ProvisionState.DEPLOY_HOLD | ProvisionState.SERVICE_HOLD:
            return asked(node, Verb.ABORT, "ending what a step has stopped")
        case ProvisionState.ERROR:
            if goal.again:
                return _removed(subject, node)
            return failed(node, "removing the image failed")
        case ProvisionState.CLEAN_FAILED:
            if goal.again or goal.forced_reboot:
                return to_manageable(node, "cleaning again")
            return failed(node, "cleaning failed")
        case _:
            return brought_back(
                node, "making the node ready to be cleaned", forced_reboot=goal.forced_reboot
            )


def _removed(subject: Subject, node: Node) -> Act[Call]:
    changes: tuple[Operation, ...] = ()
    if is_changeable(node):
        changes = difference(node.document, {"automated_clean": subject.automated_clean})
    patch = (PatchNode(node=node.uuid, operations=changes),) if changes else ()
    return Act(
        calls=(*freed(node), *patch, Ask(node=node.uuid, verb=Verb.DELETED)),
        doing="removing the image",
        seconds=LONG,
        begins=True,
    )
