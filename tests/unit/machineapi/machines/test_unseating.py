"""When a member of etcd may be removed, and what is said while it may not."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field

import pytest

from ingot.errors import IngotError
from ingot.machineapi.etcd import MemberSeen
from ingot.machineapi.hosts import nodes_rebooting
from ingot.machineapi.machines.unseating import Unseating, risk_of_removing
from tests.unit.machineapi.objects import host


def three(*, sick: Collection[str] = ()) -> list[MemberSeen]:
    return [
        MemberSeen(number=name, name=name, healthy=name not in sick)
        for name in ("cp-0", "cp-1", "cp-2")
    ]


def nobody() -> tuple[str, ...]:
    """Return the nodes that are being turned off."""
    return ()


@dataclass
class Seen:
    """etcd that answers as it is told, and lets others go first each time."""

    known: list[MemberSeen] = field(default_factory=three)
    refuses: bool = False

    async def members(self) -> tuple[MemberSeen, ...]:
        seen = tuple(self.known)
        await asyncio.sleep(0)
        return seen

    async def remove(self, member: MemberSeen) -> None:
        if self.refuses:
            raise IngotError("nobody answers", remedy="wait")
        self.known.remove(member)


@pytest.mark.parametrize(
    ("members", "rebooting", "may"),
    [
        (three(), (), True),
        (three(sick=["cp-0"]), (), True),
        (three(sick=["cp-1"]), (), False),
        (three(), ("cp-1",), False),
        (three(), ("cp-0",), True),
        (three()[:2], (), False),
        (three()[:1], (), False),
    ],
    ids=[
        "all are well",
        "it is the sick one",
        "another is sick",
        "another is being turned off",
        "it is itself turned off",
        "one of two",
        "the last",
    ],
)
def test_a_member_may_be_removed_if_the_others_are_a_majority(
    members: list[MemberSeen],
    rebooting: Collection[str],
    may: bool,  # noqa: FBT001
) -> None:
    assert (risk_of_removing(members[0], members, rebooting=rebooting) == "") is may


def test_a_member_that_may_go_is_removed() -> None:
    etcd = Seen()
    said = asyncio.run(Unseating(etcd, asyncio.Lock()).leave("cp-0", rebooting=nobody))
    assert (said.holds, said.reason) == (True, "EtcdMemberRemoved")
    assert [one.name for one in etcd.known] == ["cp-1", "cp-2"]


def test_of_two_that_go_at_once_the_second_stays() -> None:
    async def both(etcd: Seen) -> set[str]:
        unseating = Unseating(etcd, asyncio.Lock())
        said = await asyncio.gather(
            *(unseating.leave(name, rebooting=nobody) for name in ("cp-0", "cp-1"))
        )
        return {one.reason for one in said}

    etcd = Seen()
    assert asyncio.run(both(etcd)) == {"EtcdMemberRemoved", "EtcdQuorumAtRisk"}
    assert [one.name for one in etcd.known] == ["cp-1", "cp-2"]


def test_a_server_that_is_turned_off_while_a_member_waits_for_its_turn_counts_as_lost() -> None:
    async def after(etcd: Seen) -> str:
        turn, off = asyncio.Lock(), set[str]()
        async with turn:  # as healing has it
            leaving = asyncio.create_task(
                Unseating(etcd, turn).leave("cp-0", rebooting=lambda: frozenset(off))
            )
            await asyncio.sleep(0)
            off.add("cp-1")
        return (await leaving).reason

    etcd = Seen()
    assert asyncio.run(after(etcd)) == "EtcdQuorumAtRisk"
    assert len(etcd.known) == 3


def test_a_member_that_is_gone_keeps_nobody_though_others_are_sick() -> None:
    etcd = Seen(three(sick=["cp-1", "cp-2"])[1:])
    said = asyncio.run(Unseating(etcd, asyncio.Lock()).leave("cp-0", rebooting=nobody))
    assert (said.holds, said.reason) == (True, "NoEtcdMember")


@pytest.mark.parametrize("etcd", [None, Seen(refuses=True)], ids=["unknown", "silent"])
def test_without_an_answer_of_etcd_nothing_goes_on(etcd: Seen | None) -> None:
    said = asyncio.run(Unseating(etcd, asyncio.Lock()).leave("cp-0", rebooting=nobody))
    assert (said.holds, said.reason) == (False, "EtcdNotAsked")


def test_what_is_at_risk_is_told_with_what_to_do() -> None:
    said = asyncio.run(
        Unseating(Seen(three(sick=["cp-1"])), asyncio.Lock()).leave("cp-0", rebooting=nobody)
    )
    assert said.message == (
        "its server stays as it is: of 3 members of etcd 1 would be left that are healthy (cp-2),"
        " and 2 are needed: heal or add others first"
    )


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("reboot.metal3.io", True),
        ("reboot.metal3.io/ingot-healing", True),
        ("baremetalhost.metal3.io/paused", False),
    ],
)
def test_a_node_counts_as_lost_while_its_host_is_rebooted(name: str, counts: bool) -> None:  # noqa: FBT001
    found = nodes_rebooting([host("cp-1", annotations={name: ""}), host("cp-2")])
    assert found == ({"cp-1"} if counts else set())
