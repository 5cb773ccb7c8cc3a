"""Service: firmware of a deployed server is as wanted."""

from __future__ import annotations

from ingot.ironic.driving import Step
from ingot.ironic.node import Node
from ingot.ironic.states import ProvisionState, Verb
from ingot.metal3.node import calls
from ingot.metal3.node.calls import Ask, Call
from ingot.metal3.node.goal import Service
from ingot.metal3.node.progress import Act, Done, Failed, Progress
from ingot.metal3.node.situation import (
    LONG,
    abort_is_pending,
    asked,
    boots_ramdisk,
    cleared,
    failed,
    freed,
    hindered,
    is_busy,
    waiting,
)
from ingot.metal3.node.steps import firmware_steps
from ingot.metal3.node.subject import Subject

__all__ = ["service"]


def service(  # noqa: PLR0911 - a table of states
    goal: Service, subject: Subject, node: Node
) -> Progress[Call]:
    """Answer with the next step."""
    del subject
    steps = firmware_steps(goal.bios, goal.updates)
    nothing = goal.withdrawn or not steps
    made = goal.started and not goal.again and not goal.forced_reboot
    match node.status.provision_state:
        case ProvisionState.ACTIVE:
            if nothing or made:
                return cleared(node) or Done()
            return hindered(node) or _begun(node, steps)
        case ProvisionState.SERVICE_WAIT | ProvisionState.SERVICE_HOLD if goal.withdrawn:
            if abort_is_pending(node):
                return waiting(node)
            return asked(node, Verb.ABORT, "ending a service that is not wanted any more")
        case ProvisionState.SERVICE_WAIT if goal.forced_reboot and boots_ramdisk(node):
            return asked(node, Verb.ABORT, "ending a boot to start the service over")
        case ProvisionState.SERVICE_FAILED:
            if nothing:
                back = (*freed(node), Ask(node=node.uuid, verb=Verb.ABORT))
                return Act(calls=back, doing="leaving a failed service behind", seconds=LONG)
            if made:
                return failed(node, "changing the firmware failed")
            return _begun(node, steps)
        case _ if is_busy(node):
            return waiting(node)
        case state:
            return Failed(why=f"Ironic does not have the server as deployed ({state})")


def _begun(node: Node, steps: tuple[Step, ...]) -> Act[Call]:
    begun: tuple[Call, ...] = (*freed(node), calls.Service(node=node.uuid, steps=steps))
    return Act(calls=begun, doing="changing the firmware", seconds=LONG, begins=True)
