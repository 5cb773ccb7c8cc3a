"""Prepare: RAID, BIOS settings and firmware are as wanted, by manual cleaning."""

from __future__ import annotations

from ingot.ironic.driving import Step
from ingot.ironic.node import Node
from ingot.ironic.patch import Operation, difference
from ingot.ironic.states import ProvisionState
from ingot.metal3.api.firmware import FirmwareConfig
from ingot.metal3.node.calls import Call, Clean, PatchNode, WantRaid
from ingot.metal3.node.goal import Prepare
from ingot.metal3.node.progress import Act, Done, Failed, Progress
from ingot.metal3.node.situation import (
    LONG,
    brought_back,
    failed,
    hindered,
    to_manageable,
)
from ingot.metal3.node.steps import firmware_steps
from ingot.metal3.node.subject import Subject
from ingot.metal3.node.volumes import RaidError, RaidPlan, raid_plan

__all__ = ["prepare"]


def prepare(  # noqa: PLR0911 - a table of states
    goal: Prepare, subject: Subject, node: Node
) -> Progress[Call]:
    """Answer with the next step."""
    if goal.firmware not in (None, FirmwareConfig()):
        return Failed(
            why="spec.firmware is not supported by any BMC any more: use HostFirmwareSettings",
            retryable=False,
        )
    try:
        raid = raid_plan(
            goal.raid, goal.raid_now, hints=goal.root_hints, controller=_drives_raid(subject)
        )
    except RaidError as cannot:
        return Failed(why=str(cannot), retryable=False)
    steps = (*(raid.steps if raid else ()), *firmware_steps(goal.bios, goal.updates))
    made = goal.started and not goal.again and not goal.forced_reboot
    match node.status.provision_state:
        case ProvisionState.CLEAN_FAILED:
            if made:
                return failed(node, "preparing the server failed")
            return to_manageable(node, "preparing again")
        case ProvisionState.MANAGEABLE | ProvisionState.AVAILABLE:
            if not steps or made:
                return Done()
            return hindered(node) or _from_idle(subject, node, raid, steps)
        case _:
            return brought_back(
                node, "making the node ready to be prepared", forced_reboot=goal.forced_reboot
            )


def _drives_raid(subject: Subject) -> bool:
    return subject.site.driver is not None or subject.bmc.traits.raid_interface != "no-raid"


def _from_idle(
    subject: Subject, node: Node, raid: RaidPlan | None, steps: tuple[Step, ...]
) -> Progress[Call]:
    if node.status.provision_state is ProvisionState.AVAILABLE:
        return to_manageable(node, "making the node ready to be prepared")
    calls: list[Call] = []
    if raid is not None:
        if changes := _raid_interface(subject, node, raid):
            calls.append(PatchNode(node=node.uuid, operations=changes))
        calls.append(WantRaid(node=node.uuid, target=raid.target))
    calls.append(Clean(node=node.uuid, steps=steps))
    return Act(calls=tuple(calls), doing="preparing", seconds=LONG, begins=True)


def _raid_interface(subject: Subject, node: Node, raid: RaidPlan) -> tuple[Operation, ...]:
    if subject.site.driver:
        return ()
    interface = "agent" if raid.software else subject.bmc.traits.raid_interface
    return difference(node.document, {"raid_interface": interface})
