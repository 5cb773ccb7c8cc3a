"""Provision: the image is on the disk, and the server has booted from it."""

from __future__ import annotations

from typing import Final

from ingot.ironic.node import Node
from ingot.ironic.patch import difference
from ingot.ironic.states import ProvisionState, Verb
from ingot.metal3.node.calls import Ask, Call, Deploy, PatchNode, Validate
from ingot.metal3.node.goal import Provision
from ingot.metal3.node.instance import Instance
from ingot.metal3.node.progress import Act, Done, Failed, Progress
from ingot.metal3.node.situation import (
    LONG,
    asked,
    brought_back,
    cleared,
    failed,
    freed,
    hindered,
    to_manageable,
    was_aborted,
)
from ingot.metal3.node.subject import Subject

__all__ = ["provide", "provision"]

_NEEDED: Final = ("boot", "deploy")


def provision(  # noqa: PLR0911 - a table of states
    goal: Provision, subject: Subject, node: Node
) -> Progress[Call]:
    """Answer with the next step."""
    instance = Instance(
        uuid=goal.instance_uuid,
        image=goal.image,
        custom_deploy=goal.custom_deploy,
        root_hints=goal.root_hints,
        pull_secret=goal.pull_secret,
    )
    state = node.status.provision_state
    if state is ProvisionState.ACTIVE:
        return cleared(node) or Done()
    if fault := instance.fault:
        return Failed(why=fault, retryable=False)
    match state:
        case ProvisionState.DEPLOY_WAIT if goal.forced_reboot:
            doing = "ending the deployment to start over"
            return asked(node, Verb.DELETED, doing, seconds=LONG, begins=True)
        case ProvisionState.MANAGEABLE:
            doing = "cleaning before the deployment"
            return hindered(node) or provide(subject, node, doing, begins=goal.forced_reboot)
        case ProvisionState.AVAILABLE:
            return hindered(node) or _deployed(goal, instance, subject, node)
        case ProvisionState.DEPLOY_FAILED:
            return _after_failure(goal, instance, subject, node)
        case ProvisionState.CLEAN_FAILED:
            if goal.forced_reboot or was_aborted(node):
                return to_manageable(node, "cleaning again before the deployment")
            return failed(node, "cleaning before the deployment failed")
        case _:
            return brought_back(
                node, "making the node ready for a deployment", forced_reboot=goal.forced_reboot
            )


def provide(subject: Subject, node: Node, doing: str, *, begins: bool = False) -> Act[Call]:
    """Make a manageable node available, which cleans it where that is wanted."""
    changes = difference(node.document, {"automated_clean": subject.automated_clean})
    patch = (PatchNode(node=node.uuid, operations=changes),) if changes else ()
    calls = (*freed(node), *patch, Ask(node=node.uuid, verb=Verb.PROVIDE))
    return Act(calls=calls, doing=doing, seconds=LONG, begins=begins)


def _deployed(goal: Provision, instance: Instance, subject: Subject, node: Node) -> Progress[Call]:
    patches = (
        PatchNode(node=node.uuid, operations=operations)
        for operations in instance.changes(subject, node)
    )
    return Act(
        calls=(
            *freed(node),
            *patches,
            Validate(node=node.uuid, interfaces=_NEEDED),
            Deploy(
                node=node.uuid,
                config_drive=None if instance.is_live else goal.config_drive,
                steps=instance.steps,
            ),
        ),
        doing="writing the image",
        seconds=LONG,
        begins=True,
    )


def _after_failure(
    goal: Provision, instance: Instance, subject: Subject, node: Node
) -> Progress[Call]:
    if instance.is_on(node):
        return failed(node, "writing the image failed")
    if instance.interface_changes(subject, node):
        # Ironic changes interfaces of an available node only.
        return asked(node, Verb.DELETED, "removing what is left of another image", seconds=LONG)
    return _deployed(goal, instance, subject, node)
