"""What is next for a Machine that is being deleted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ingot.kube.object import KubeObject
from ingot.machineapi.hosts import Host
from ingot.machineapi.machines.leaving import (
    AwaitHook,
    AwaitHost,
    Clear,
    DeleteNode,
    Drain,
    Free,
    LeaveEtcd,
    LetGo,
    Parting,
    hooked,
    is_released,
    next_step,
)
from ingot.machineapi.nodes import Node
from ingot.machineapi.observing import Observation, observed
from ingot.machineapi.parts import Patience
from tests.unit.machineapi.objects import IMAGE, host, machine, node

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
PATIENCE = Patience(drain=600, release=1800)
NODE = node()
SILENT = node(ready=False)
USED = host(state="provisioned", consumer="worker-0", spec={"image": IMAGE})
CLEARED = host(state="provisioned", consumer="worker-0", spec={"online": False})
CLEAN = host(state="available", consumer="worker-0", spec={"online": False})

DRAINED = Observation("Drained", holds=True, reason="Drained")
DRAINING = Observation("Drained", holds=False, reason="Draining")
TIMED_OUT = Observation("Drained", holds=False, reason="DrainTimedOut")
NOT_READY = Observation("Drained", holds=False, reason="NodeNotReady")
UNSEATED = Observation("EtcdMemberRemoved", holds=True, reason="EtcdMemberRemoved")
AT_RISK = Observation("EtcdMemberRemoved", holds=False, reason="EtcdQuorumAtRisk")
RELEASING = Observation("HostReleased", holds=False, reason="Releasing")


def parting(
    *hosts: KubeObject[Host],
    joined: bool | KubeObject[Node] = False,
    said: tuple[Observation, ...] = (),
    since: float = 0,
    drains: bool = True,
    hooks: dict[str, Any] | None = None,
    member: str = "",
) -> Parting:
    one = machine(spec={"lifecycleHooks": hooks or {}}).model
    return Parting(
        spec=one.spec,
        conditions=observed((), said, now=NOW - timedelta(seconds=since)),
        node=joined if isinstance(joined, KubeObject) else NODE if joined else None,
        hosts=hosts,
        drains=drains,
        now=NOW,
        patience=PATIENCE,
        member=member,
    )


@pytest.mark.parametrize(
    ("facts", "step"),
    [
        (parting(), LetGo()),
        (parting(USED), Clear(USED)),
        (parting(USED, joined=True), Drain(NODE, is_late=False)),
        (
            parting(USED, joined=True, said=(DRAINING,), since=599),
            Drain(NODE, is_late=False),
        ),
        (parting(USED, joined=True, said=(DRAINING,), since=601), Drain(NODE, is_late=True)),
        (parting(USED, joined=True, said=(TIMED_OUT,), since=601), Clear(USED)),
        (parting(USED, joined=True, said=(DRAINED,)), DeleteNode(NODE)),
        (parting(USED, joined=SILENT), Drain(SILENT, is_late=False)),
        (parting(USED, joined=SILENT, said=(NOT_READY,)), Clear(USED)),
        (parting(USED, joined=True, said=(NOT_READY,)), Clear(USED)),
        (parting(USED, joined=SILENT, said=(DRAINED,)), Clear(USED)),
        (parting(CLEARED, joined=SILENT, said=(NOT_READY, RELEASING)), AwaitHost(CLEARED)),
        (parting(CLEAN, joined=SILENT, said=(NOT_READY, RELEASING)), DeleteNode(SILENT)),
        (
            parting(CLEARED, joined=SILENT, said=(NOT_READY, RELEASING), since=1801),
            DeleteNode(SILENT),
        ),
        (parting(USED, joined=True, drains=False), Clear(USED)),
        (parting(CLEARED, said=(RELEASING,), since=1799), AwaitHost(CLEARED)),
        (parting(CLEARED), AwaitHost(CLEARED)),
        (parting(CLEARED, said=(RELEASING,), since=1801), Free(CLEARED, is_clean=False)),
        (parting(CLEAN, said=(RELEASING,)), Free(CLEAN, is_clean=True)),
        (parting(joined=True, said=(DRAINED,)), DeleteNode(NODE)),
    ],
    ids=[
        "nothing is left",
        "a host without a Node is cleared",
        "a Node is drained first",
        "draining goes on within its limit",
        "draining ends at its limit",
        "after the limit the host is cleared, and the Node stays",
        "an empty Node is deleted",
        "a Node that is not ready is drained as far as that goes",
        "the host of a Node that is not ready is cleared, and the Node stays",
        "a Node that was not ready when it was drained is not known to be empty later",
        "a Node that was emptied and is not ready any more stays until its host is off",
        "a Node that is not ready stays while its host is waited for",
        "a Node that is not ready goes when its host is clean",
        "a Node that is not ready goes before its dead host is given up",
        "a Node that is not to be drained stays until its host is off",
        "a host is waited for within its limit",
        "a host is waited for from its first look",
        "a host that does not answer is given up at its limit",
        "a clean host is freed",
        "a Node without a host is deleted",
    ],
)
def test_the_next_step(facts: Parting, step: object) -> None:
    assert next_step(facts) == step


@pytest.mark.parametrize(
    ("facts", "step"),
    [
        (parting(USED, joined=True, member="cp-0"), Drain(NODE, is_late=False)),
        (parting(USED, joined=True, member="cp-0", said=(DRAINED,)), LeaveEtcd("cp-0")),
        (parting(USED, joined=True, member="cp-0", said=(DRAINED, AT_RISK)), LeaveEtcd("cp-0")),
        (parting(USED, member="cp-0", said=(AT_RISK,), since=99999), LeaveEtcd("cp-0")),
        (parting(USED, joined=True, member="cp-0", said=(DRAINED, UNSEATED)), DeleteNode(NODE)),
        (parting(USED, joined=True, member="cp-0", said=(TIMED_OUT,)), LeaveEtcd("cp-0")),
        (parting(USED, joined=True, member="cp-0", drains=False), LeaveEtcd("cp-0")),
        (parting(USED, member="cp-0", said=(UNSEATED,)), Clear(USED)),
        (parting(member="cp-0"), LeaveEtcd("cp-0")),
    ],
    ids=[
        "its Node is drained first",
        "it leaves etcd before its Node is deleted",
        "it waits while etcd needs it",
        "it waits for any time",
        "then its Node is deleted",
        "it leaves etcd though its Node could not be emptied",
        "it leaves etcd though its Node is not to be drained",
        "its host is cleared when it has left",
        "it leaves etcd though its host is gone",
    ],
)
def test_the_next_step_of_a_machine_of_the_control_plane(facts: Parting, step: object) -> None:
    assert next_step(facts) == step


def test_a_machine_leaves_etcd_after_the_last_hook() -> None:
    hooks = {"preTerminate": [{"name": "backup"}]}
    assert next_step(parting(USED, member="cp-0", hooks=hooks)) == AwaitHook()


def test_a_node_that_was_not_emptied_goes_when_its_host_is_clean() -> None:
    facts = parting(CLEAN, joined=True, said=(TIMED_OUT, RELEASING), since=601)
    assert next_step(facts) == DeleteNode(NODE)


def test_a_node_goes_before_its_dead_host_is_given_up() -> None:
    facts = parting(CLEARED, joined=True, said=(TIMED_OUT, RELEASING), since=1801)
    assert next_step(facts) == DeleteNode(NODE)


def test_a_host_is_switched_off_once_and_then_left_to_others() -> None:
    on = host(state="available", consumer="worker-0")
    assert next_step(parting(on)) == Clear(on)
    assert next_step(parting(on, said=(RELEASING,))) == Free(on, is_clean=True)


def test_a_host_that_may_not_be_switched_off_is_not() -> None:
    on = host(state="available", consumer="worker-0", spec={"disablePowerOff": True})
    assert next_step(parting(on)) == Free(on, is_clean=True)


@pytest.mark.parametrize("stage", ["preDrain", "preTerminate"])
def test_a_hook_is_waited_for(stage: str) -> None:
    hooks = {stage: [{"name": "backup", "owner": "velero"}]}
    facts = parting(USED, joined=stage == "preDrain", hooks=hooks)
    assert next_step(facts) == AwaitHook()
    (said,) = hooked(facts)
    assert (said.holds, said.reason) == (False, "HookPresent")
    assert said.message.endswith("waits for backup of velero")


def test_a_hook_before_the_end_does_not_keep_a_node_from_being_drained() -> None:
    hooks = {"preTerminate": [{"name": "backup"}]}
    assert next_step(parting(USED, joined=True, hooks=hooks)) == Drain(NODE, is_late=False)


def test_a_hook_that_is_gone_is_told_as_gone() -> None:
    waited = Observation("Drainable", holds=False, reason="HookPresent")
    (said,) = hooked(parting(USED, said=(waited,)))
    assert (said.type, said.holds) == ("Drainable", True)


@pytest.mark.parametrize(
    ("seen", "clean"),
    [
        (host(state="available"), True),
        (host(state="ready"), True),
        (host(state=""), True),
        (host(state="unmanaged"), True),
        (host(state="inspecting"), True),
        (host(state="provisioning"), False),
        (host(state="provisioned"), False),
        (host(state="deprovisioning"), False),
        (host(state="deleting"), False),
        (host(state="available", deletionTimestamp="2026-01-01T00:00:00Z"), False),
        (
            host(
                state="externally provisioned",
                spec={"externallyProvisioned": True},
                status={"poweredOn": True},
            ),
            False,
        ),
        (
            host(
                state="externally provisioned",
                spec={"externallyProvisioned": True},
                status={"poweredOn": False},
            ),
            True,
        ),
    ],
)
def test_a_host_is_clean_when_nothing_of_its_last_user_is_left(
    seen: KubeObject[Host],
    clean: bool,  # noqa: FBT001
) -> None:
    assert is_released(seen) is clean
