"""Healing the control plane on a real API server; the test plays etcd and the host operator."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import partial

from ingot.kube.kind import Content, ObjectKey
from ingot.machineapi.healing.checks import CheckRoom
from ingot.machineapi.healing.healings import HealingRoom
from ingot.machineapi.healing.kinds import HEALTH_CHECK
from ingot.machineapi.healing.record import Phase
from ingot.machineapi.kinds import HOST, MACHINE, NODE
from ingot.machineapi.machines.room import MachineRoom
from tests.integration.kube.widgets import awaited
from tests.integration.kubeapi import KubeApi
from tests.integration.machineapi.clinic import Clinic, clinic
from tests.integration.machineapi.members import Members
from tests.integration.machineapi.ward import (
    MASTER,
    SPARE,
    check,
    healing_of,
    held,
    is_in,
    members,
    never_comes_back,
    tainted,
    told,
    turned_off,
    watched_over,
)


@awaited()
async def test_a_server_of_the_control_plane_stays_on_while_etcd_needs_it(
    machine_kube: KubeApi,
) -> None:
    etcd = members(sick=[0, 2])
    async with silent_server(machine_kube, etcd, spare=False) as at:
        await at.becomes(MACHINE, "cp-0", is_in(Phase.FENCING))
        await told(at, "cp-0", "NotHealed", "2 are needed")
        assert not held(await at.get(HOST, "cp-0"))
        etcd.members_[:] = members(sick=[0]).members_
        await at.touch("cp-0")
        await at.becomes(HOST, "cp-0", held)


@awaited()
async def test_a_server_is_judged_by_the_members_that_a_machine_which_went_before_has_left(
    machine_kube: KubeApi,
) -> None:
    etcd = members(sick=[])
    rooms = (CheckRoom, partial(HealingRoom, etcd=etcd))
    async with clinic(machine_kube) as at, at.running(*rooms) as parts:
        await at.machine("cp-0", labels=MASTER)
        await check(at)
        async with parts.unseating:  # as one that leaves etcd has it
            await at.node("cp-0", ready="Unknown", boot="first")
            await at.becomes(MACHINE, "cp-0", is_in(Phase.FENCING))
            etcd.members_.pop()
        await told(at, "cp-0", "NotHealed", "of 2 members")
        assert not held(await at.get(HOST, "cp-0"))
        await at.client.delete(NODE, ObjectKey("", "cp-0"))


@awaited()
async def test_a_server_stays_on_while_another_of_the_control_plane_is_turned_off(
    machine_kube: KubeApi,
) -> None:
    async with watched_over(machine_kube, members(sick=[])) as at:
        await at.machine("cp-0", labels=MASTER)
        await at.host("cp-1")
        by_hand = {"metadata": {"annotations": {"reboot.metal3.io/person": ""}}}
        await at.client.patch(HOST, at.key("cp-1"), by_hand)
        await check(at)
        await at.node("cp-0", ready="Unknown", boot="first")
        await told(at, "cp-0", "NotHealed", "2 are needed")
        assert not held(await at.get(HOST, "cp-0"))
        await at.client.delete(NODE, ObjectKey("", "cp-0"))


@awaited()
async def test_a_dead_control_plane_node_leaves_etcd_and_a_spare_takes_its_place(
    machine_kube: KubeApi,
) -> None:
    etcd = members(sick=[0])
    async with silent_server(machine_kube, etcd, spare=True) as at:
        await never_comes_back(at, "cp-0")
        await turned_off(at, "cp-0")
        await _is_replaced(at)
        assert [one.name for one in etcd.members_] == ["cp-1", "cp-2"]


@awaited()
async def test_a_control_plane_machine_that_healing_replaces_gives_its_host_back(
    machine_kube: KubeApi,
) -> None:
    etcd = members(sick=[0])
    rooms = (CheckRoom, partial(HealingRoom, etcd=etcd), partial(MachineRoom, etcd=etcd))
    async with clinic(machine_kube) as at, at.running(*rooms):
        await at.machine("cp-0", labels=MASTER)
        await at.host("spare", labels=SPARE)
        await check(at)
        await at.node("cp-0", ready="Unknown", boot="first")
        await never_comes_back(at, "cp-0")
        await turned_off(at, "cp-0")
        await at.becomes(HOST, "cp-0", lambda one: "image" not in one["spec"])
        assert etcd.names == ["cp-1", "cp-2"]
        await at.stands("cp-0", "available")
        await at.becomes(MACHINE, "cp-0", lambda one: not one)
        assert not await at.get(NODE, "cp-0")
        await told(at, "cp-0", "NoEtcdMember", "etcd has no member cp-0")


@awaited()
async def test_without_a_spare_a_control_plane_server_is_left_on_and_may_come_back(
    machine_kube: KubeApi,
) -> None:
    etcd = members(sick=[])
    async with silent_server(machine_kube, etcd, spare=False) as at:
        await at.host("plain")
        await never_comes_back(at, "cp-0")
        await at.becomes(MACHINE, "cp-0", is_in(Phase.FAILED))
        await told(at, "cp-0", "NotHealed", "no spare host")
        await told(at, "cp-0", "NotHealed", "installer.openshift.io/role: control-plane")
        assert not held(await at.get(HOST, "cp-0"))
        assert [one.name for one in etcd.members_] == ["cp-0", "cp-1", "cp-2"]
        found = await at.becomes(HEALTH_CHECK, "all", lambda one: _replacement(one) == "False")
        assert "Machine cp-0 is not replaced: there is no spare" in str(found["status"])
        await at.node("cp-0", ready="True", boot="second")
        await at.becomes(MACHINE, "cp-0", lambda one: healing_of(one) is None)
        await at.becomes(HEALTH_CHECK, "all", lambda one: _replacement(one) == "True")
        assert not tainted(await at.get(NODE, "cp-0"))


@awaited()
async def test_when_a_spare_turns_up_later_the_healing_begins_again_and_ends_well(
    machine_kube: KubeApi,
) -> None:
    etcd = members(sick=[0])
    async with silent_server(machine_kube, etcd, spare=False) as at:
        await never_comes_back(at, "cp-0")
        await at.becomes(MACHINE, "cp-0", is_in(Phase.FAILED))
        await at.host("spare", labels=SPARE)
        at.clock.ahead += timedelta(hours=1)
        await at.touch("cp-0")
        await never_comes_back(at, "cp-0")
        await turned_off(at, "cp-0")
        await _is_replaced(at)


@awaited()
async def test_when_the_spare_vanishes_before_etcd_forgot_anything_the_server_is_let_go(
    machine_kube: KubeApi,
) -> None:
    etcd = members(sick=[])
    async with silent_server(machine_kube, etcd, spare=True) as at:
        await never_comes_back(at, "cp-0")
        await at.becomes(HOST, "cp-0", held)
        await at.client.delete(HOST, at.key("spare"))
        await turned_off(at, "cp-0")
        await at.becomes(MACHINE, "cp-0", is_in(Phase.FAILED))
        await at.becomes(HOST, "cp-0", lambda one: not held(one))
        assert [one.name for one in etcd.members_] == ["cp-0", "cp-1", "cp-2"]


@awaited()
async def test_when_another_member_fails_before_etcd_forgot_anything_the_server_is_let_go(
    machine_kube: KubeApi,
) -> None:
    etcd = members(sick=[])
    async with silent_server(machine_kube, etcd, spare=True) as at:
        await never_comes_back(at, "cp-0")
        await at.becomes(HOST, "cp-0", held)
        etcd.members_[:] = members(sick=[2]).members_
        await turned_off(at, "cp-0")
        await told(at, "cp-0", "NotHealed", "its server is turned on again: of 3 members")
        await at.becomes(HOST, "cp-0", lambda one: not held(one))
        assert [one.name for one in etcd.members_] == ["cp-0", "cp-1", "cp-2"]


@asynccontextmanager
async def silent_server(api: KubeApi, etcd: Members, *, spare: bool) -> AsyncIterator[Clinic]:
    """Watch over `cp-0`, whose Node has fallen silent, with or without a host to replace it."""
    async with watched_over(api, etcd) as at:
        await at.machine("cp-0", labels=MASTER)
        if spare:
            await at.host("spare", labels=SPARE)
        await check(at)
        await at.node("cp-0", ready="Unknown", boot="first")
        yield at
        await at.client.delete(NODE, ObjectKey("", "cp-0"))


async def _is_replaced(at: Clinic) -> None:
    """Wait until another Machine has taken the place of `cp-0`, and its host is given back."""
    made = await at.becomes(MACHINE, "cp-0-r1", bool)
    assert made["metadata"]["labels"] == {**MASTER, **_touched(made)}
    await at.becomes(MACHINE, "cp-0", lambda one: not one)
    await at.becomes(HOST, "cp-0", lambda one: not held(one))


def _replacement(check: Content) -> str:
    """Return what a check says of whether Machines can be replaced; "" if nothing."""
    listed = check.get("status", {}).get("conditions", ())
    return next((one["status"] for one in listed if one["type"] == "ReplacementPossible"), "")


def _touched(found: Content) -> dict[str, str]:
    return {name: text for name, text in found["metadata"]["labels"].items() if name == "touched"}
