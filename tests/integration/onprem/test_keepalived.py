"""The real keepalived: it accepts what is rendered, and does what is meant by it."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from subprocess import Popen

import pytest

from ingot.machine import namespaces
from ingot.onprem.answering import is_answered
from ingot.onprem.checking import check_keepalived
from ingot.onprem.heard import listen
from ingot.onprem.interfaces import read_addresses
from ingot.onprem.keepalived import DOWN_SECONDS, keepalived_of
from ingot.onprem.model import Family, Role, Situation, VipKind
from ingot.onprem.priority import ApiBonus
from ingot.onprem.problem import RefusedConfigError
from ingot.onprem.vipaddress import held_vips, take_away
from ingot.onprem.vipduty import Duty, write_duty
from ingot.onprem.vrid import HeardAdvert, router_ids
from tests.e2e.site import eventually
from tests.integration.onprem.wires import running, wired
from tests.unit.onprem.situations import V4, V6, cluster, own, peers, situation

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

STACKS = [(V4,), (V6,), (V4, V6), (V6, V4)]
HOLD = Duty(40, ApiBonus.BALANCED, "may")
FAULT = Duty(40, None, "may not")
API_VIP = ip_address("10.9.0.100")


@pytest.fixture
def site() -> Iterator[dict[str, str]]:
    with wired(
        {
            "bootstrap": ["10.9.0.10/24", "fd09::10/64"],
            "master-0": ["10.9.0.11/24", "fd09::11/64"],
            "master-1": ["10.9.0.12/24", "fd09::12/64"],
        }
    ) as spaces:
        yield spaces


class Node:
    """A node with a keepalived of its own."""

    def __init__(self, name: str, spaces: dict[str, str], folder: Path, *stacks: str) -> None:
        self.name, self.space, self.stacks = name, spaces[name], stacks
        self.folder = folder / name
        self.folder.mkdir()
        rendered = keepalived_of(self.situation(), run=self.folder)
        assert rendered is not None
        self.keepalived = rendered

    def situation(self) -> Situation:
        return replace(situation(self.name, *self.stacks), peers=peers(*self.stacks)[:2])

    def duty(self, duty: Duty) -> float:
        write_duty(self.keepalived.duty_file(VipKind.API), duty)
        return time.monotonic()

    def running(self) -> AbstractContextManager[Popen[bytes]]:
        conf = self.folder / "keepalived.conf"
        conf.write_text(self.keepalived.render())
        os.mkfifo(self.keepalived.notifications)
        return running(self.space, *self.keepalived.command(conf), log=self.folder / "log")

    def holds(self) -> bool:
        seen = namespaces.inside(self.space, read_addresses)
        return any(one.address == API_VIP for one in held_vips(seen, [API_VIP]))

    def said(self, words: str) -> bool:
        return words in (self.folder / "log").read_text()

    def kill(self) -> None:
        """End both its processes as one: whichever is left sees the other's end, and acts on it."""
        pids = [int(path.read_text()) for path in self.keepalived.pid_files[:2]]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in pids:
                os.kill(pid, number)


@pytest.mark.parametrize("stacks", STACKS, ids="+".join)
@pytest.mark.parametrize("name", ["bootstrap", "master-0", "worker-1"])
def test_keepalived_accepts_what_is_rendered(
    site: dict[str, str], tmp_path: Path, name: str, stacks: tuple[str, ...]
) -> None:
    rendered = keepalived_of(situation(name, *stacks), run=tmp_path)
    assert rendered is not None
    namespaces.inside(site["master-0"], lambda: check_keepalived(rendered.render()))


def test_what_keepalived_refuses_is_an_error_with_its_words(
    site: dict[str, str], tmp_path: Path
) -> None:
    rendered = keepalived_of(situation("master-0", interface="eth7"), run=tmp_path)
    assert rendered is not None
    with pytest.raises(RefusedConfigError, match="eth7"):
        namespaces.inside(site["master-0"], lambda: check_keepalived(rendered.render()))


def test_a_node_without_a_duty_file_holds_nothing(site: dict[str, str], tmp_path: Path) -> None:
    node = Node("master-0", site, tmp_path)
    with node.running():
        eventually(lambda: node.said("FAULT state"), within=10, every=0.01)
        assert node.keepalived.duty_file(VipKind.API).read_text().strip() == "-254"
        assert not node.holds()


def test_a_vip_follows_duty_and_moves_from_a_dead_holder_in_under_a_second(
    site: dict[str, str], tmp_path: Path
) -> None:
    first, second = (Node(name, site, tmp_path) for name in ("master-0", "master-1"))
    first.duty(HOLD)
    second.duty(FAULT)
    with first.running(), second.running():
        eventually(first.holds, within=10, every=0.01)
        second.duty(HOLD)
        eventually(lambda: second.said("Entering BACKUP"), within=10, every=0.01)

        began = first.duty(FAULT)
        eventually(second.holds, within=10, every=0.01)
        assert time.monotonic() - began < DOWN_SECONDS / 2  # by priority 0, not by silence
        assert not first.holds()

        first.duty(HOLD)
        eventually(
            lambda: (first.folder / "log").read_text().count("Entering BACKUP") == 2, within=10
        )
        began = time.monotonic()
        second.kill()
        eventually(first.holds, within=10, every=0.01)
        assert time.monotonic() - began < 1.0

        assert second.holds()  # the kernel goes on answering
        taken = namespaces.inside(second.space, lambda: take_away([API_VIP]))
        assert [one.address for one in taken] == [API_VIP]
        assert not second.holds()


def test_a_bootstrap_that_knows_nobody_yet_holds_the_vip_and_keeps_it_when_it_learns(
    site: dict[str, str], tmp_path: Path
) -> None:
    alone = Situation(
        cluster=cluster(), name="bootstrap", role=Role.BOOTSTRAP, own=own("bootstrap"), peers=()
    )
    node = Node("bootstrap", site, tmp_path)
    learnt = node.keepalived.render()
    rendered = keepalived_of(alone, run=node.folder)
    assert rendered is not None
    node.keepalived = rendered
    node.duty(Duty(70, 0, "serves"))
    with node.running() as process:
        eventually(node.holds, within=10, every=0.01)
        (node.folder / "keepalived.conf").write_text(learnt)
        process.send_signal(signal.SIGHUP)
        heard = namespaces.inside(site["master-1"], lambda: asyncio.run(first_heard(Family.IPV4)))
        assert heard.priority == 70
        assert node.holds()
        assert (node.folder / "log").read_text().count("Entering MASTER") == 1


async def first_heard(family: Family) -> HeardAdvert:
    async with asyncio.timeout(10):
        async for advert in listen("eth0", family):
            return advert
    raise AssertionError


@pytest.mark.parametrize(
    ("stack", "family"), [(V4, Family.IPV4), (V6, Family.IPV6)], ids=["IPv4", "IPv6"]
)
def test_a_holder_is_heard_by_the_peers_it_lists_and_answers_for_its_vip(
    site: dict[str, str], tmp_path: Path, stack: str, family: Family
) -> None:
    vip = ip_address(f"{stack}100")

    def answered() -> bool:
        return asyncio.run(is_answered(vip, "eth0"))

    node = Node("master-0", site, tmp_path, stack)
    assert not namespaces.inside(site["master-1"], answered)
    node.duty(HOLD)
    with node.running():
        heard = namespaces.inside(site["master-1"], lambda: asyncio.run(first_heard(family)))
        assert namespaces.inside(site["master-1"], answered)
    assert heard == HeardAdvert(
        router_id=router_ids("ostest").api,
        source=ip_address(f"{stack}11"),
        destination=ip_address(f"{stack}12"),
        version=3,
        priority=60,
        vips=(vip,),
    )
