"""What is missing until the workers are there."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from ingot.installer.clusterview import MACHINE_SETS, MACHINES
from ingot.installer.progress import HostProgress
from ingot.installer.workers import (
    Fleet,
    MachinesWanted,
    awaited_workers,
    missing_machines,
    missing_workers,
)
from ingot.kube.kind import Content
from ingot.kube.object import KubeObject

SET = MachinesWanted(name="rack1-worker-0", wanted=2, ready=2)
NO_HOST = "no host is free (1 host: 1 in error): add a BareMetalHost, or wait for one"

LEADS = HostProgress(name="cp-0", state="inspecting", claimed=True)
FREE = HostProgress(name="w-9", role="worker", state="available", step="is free")
COMING = HostProgress(name="w-8", role="worker", state="inspecting")
CLAIMED = HostProgress(
    name="w-0", role="worker", state="provisioning", step="its agent is at work", claimed=True
)
BOOTING = replace(CLAIMED, name="w-1", state="provisioned", step="boots from its disk")
JOINED = replace(CLAIMED, name="w-2", state="provisioned", joined=True)


def machine_set(*, generation: int = 1, **status: object) -> KubeObject[Content]:
    content = {
        "metadata": {"name": SET.name, "generation": generation},
        "spec": {"replicas": 2},
        "status": status,
    }
    return KubeObject(MACHINE_SETS, json.dumps(content).encode())


def machine(name: str, claimed: str, message: str, **metadata: str) -> KubeObject[Content]:
    condition = {"type": "HostClaimed", "status": claimed, "message": message}
    content: dict[str, Any] = {"metadata": {"name": name, **metadata}}
    content["status"] = {"conditions": [{"type": "NodeLinked", "status": "False"}, condition]}
    return KubeObject(MACHINES, json.dumps(content).encode())


@pytest.mark.parametrize(
    ("found", "missing"),
    [
        (machine_set(readyReplicas=2, observedGeneration=1), ()),
        (machine_set(readyReplicas=3, observedGeneration=1), ()),
        (
            machine_set(readyReplicas=1, observedGeneration=1),
            ("rack1-worker-0: 1 of 2 machines ready",),
        ),
        (machine_set(observedGeneration=1), ("rack1-worker-0: 0 of 2 machines ready",)),
        (
            machine_set(generation=2, readyReplicas=2, observedGeneration=1),
            ("rack1-worker-0: its last change has not been acted on",),
        ),
        (machine_set(), ("rack1-worker-0: its last change has not been acted on",)),
        (
            machine_set(observedGeneration=1, errorMessage="its selector is empty"),
            ("rack1-worker-0: 0 of 2 machines ready (its selector is empty)",),
        ),
    ],
)
def test_a_set_has_as_many_ready_machines_as_it_wants(
    found: KubeObject[Content], missing: tuple[str, ...]
) -> None:
    assert missing_machines(Fleet.of([found], [])) == missing


def test_workers_come_of_a_set() -> None:
    assert missing_machines(Fleet()) == ("no MachineSet is there",)


def test_a_machine_without_a_host_says_why() -> None:
    machines = [
        machine("worker-a", "True", "its host is metal3/w-0"),
        machine("worker-b", "False", NO_HOST),
        machine("worker-c", "False", "goes", deletionTimestamp="2026-01-01T00:00:00Z"),
    ]
    fleet = Fleet.of([machine_set(readyReplicas=1, observedGeneration=1)], machines)
    assert missing_machines(fleet) == (
        "rack1-worker-0: 1 of 2 machines ready",
        f"worker-b: {NO_HOST}",
    )


@pytest.mark.parametrize(
    ("hosts", "lacking", "awaited"),
    [
        ([LEADS, JOINED], 0, []),
        ([CLAIMED, BOOTING, JOINED], 2, ["w-0", "w-1"]),
        # One that a Machine does not need is a spare, whatever becomes of it.
        ([JOINED, FREE], 0, []),
        ([JOINED, COMING], 0, []),
        ([CLAIMED, COMING, FREE], 2, ["w-0"]),
        # Where there is no spare, Machines wait for whichever is left.
        ([CLAIMED, COMING], 2, ["w-0", "w-8"]),
        ([COMING, FREE], 2, ["w-8", "w-9"]),
        ([CLAIMED], 0, ["w-0"]),
    ],
)
def test_servers_that_machines_need_are_waited_for(
    hosts: list[HostProgress], lacking: int, awaited: list[str]
) -> None:
    assert [host.name for host in awaited_workers(hosts, lacking=lacking)] == awaited


def test_all_that_is_missing_is_told_with_how_each_server_stands() -> None:
    fleet = Fleet(sets=(replace(SET, ready=0),), without_host={"worker-b": NO_HOST})
    assert missing_workers(fleet, [CLAIMED, BOOTING]) == (
        "rack1-worker-0: 0 of 2 machines ready",
        f"worker-b: {NO_HOST}",
        "w-0 provisioning (its agent is at work)",
        "w-1 provisioned (boots from its disk)",
    )


def test_nothing_is_missing_once_every_set_is_ready_and_every_node_too() -> None:
    fleet = Fleet(sets=(SET,))
    assert missing_workers(fleet, [LEADS, JOINED, FREE]) == ()
    assert missing_workers(fleet, [JOINED, BOOTING]) == ("w-1 provisioned (boots from its disk)",)


def test_a_spare_of_the_control_plane_becomes_no_worker() -> None:
    spare = replace(COMING, name="cp-3", role="spare")
    assert awaited_workers([CLAIMED, spare], lacking=2) == (CLAIMED,)
