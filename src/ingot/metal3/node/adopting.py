"""Adopt: Ironic takes the server for deployed, without touching it."""

from __future__ import annotations

from ingot.ironic.node import Node
from ingot.ironic.states import ProvisionState, Verb
from ingot.metal3.node.calls import Ask, Call, PatchNode
from ingot.metal3.node.goal import Adopt
from ingot.metal3.node.instance import Instance
from ingot.metal3.node.progress import Act, Done, Failed, Progress
from ingot.metal3.node.situation import (
    SHORT,
    cleared,
    failed,
    hindered,
    is_busy,
    to_manageable,
    waiting,
)
from ingot.metal3.node.subject import Subject

__all__ = ["adopt"]


def adopt(  # noqa: PLR0911 - a table of states
    goal: Adopt, subject: Subject, node: Node
) -> Progress[Call]:
    """Answer with the next step."""
    state = node.status.provision_state
    match state:
        case ProvisionState.ADOPTING:
            return waiting(node, SHORT)
        case ProvisionState.ACTIVE:
            return cleared(node) or Done()
        case (
            ProvisionState.SERVICING
            | ProvisionState.SERVICE_WAIT
            | ProvisionState.SERVICE_HOLD
            | ProvisionState.SERVICE_FAILED
        ):
            return Done()  # only what is deployed can be serviced
        case _ if is_busy(node):
            return waiting(node)
        case ProvisionState.MANAGEABLE:
            return hindered(node) or _adopted(goal, subject, node)
        case ProvisionState.ADOPT_FAILED:
            if goal.again:
                return to_manageable(node, "adopting again")
            return failed(node, "taking over the running server failed")
        case ProvisionState.AVAILABLE | ProvisionState.INSPECT_FAILED | ProvisionState.CLEAN_FAILED:
            return to_manageable(node, "making the node ready to take over the server")
        case ProvisionState.DEPLOY_FAILED | ProvisionState.ERROR:
            return failed(
                node, f"what runs on the server is not known to Ironic, which has {state}"
            )
        case _:
            return Failed(why=f"the server is being rescued ({state}): end that in Ironic")


def _adopted(goal: Adopt, subject: Subject, node: Node) -> Act[Call]:
    instance = Instance(uuid=goal.instance_uuid, image=goal.image, custom_deploy=goal.custom_deploy)
    patches = (
        PatchNode(node=node.uuid, operations=operations)
        for operations in instance.changes(subject, node)
    )
    return Act(
        calls=(*patches, Ask(node=node.uuid, verb=Verb.ADOPT)),
        doing="taking over the running server",
        seconds=SHORT,
        begins=True,
    )
