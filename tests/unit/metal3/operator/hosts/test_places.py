"""Places that are limited, and who gets the next."""

from __future__ import annotations

import asyncio

import pytest

from ingot.ironic.access import Access
from ingot.ironic.client import Ironic
from ingot.ironic.node import NodeId, NodeStatus
from ingot.ironic.states import Verb
from ingot.kube.kind import ObjectKey
from ingot.metal3.node import calls
from ingot.metal3.operator.census import Census
from ingot.metal3.operator.hosts.places import Places, boots_a_ramdisk

NODE = NodeId("a")


def status(uuid: str, state: str, boot: str = "ipxe", since: str = "t") -> NodeStatus:
    return NodeStatus.read(
        {
            "uuid": uuid,
            "provision_state": state,
            "boot_interface": boot,
            "provision_updated_at": since,
        }
    )


class Site:
    """A census that is told what to see, and the places that follow from it."""

    def __init__(self) -> None:
        self.census = Census(Ironic(Access("http://127.0.0.1:1")))
        self.places = Places(self.census)
        self._moment = 0.0

    def lists(self, *seen: NodeStatus) -> None:
        self._moment += 1
        self.census.take(list(seen), began=self._moment)


async def touched(census: Census, node: NodeId) -> None:
    census.touch(node)


@pytest.mark.parametrize(
    ("call", "automated", "boots"),
    [
        (calls.Ask(node=NODE, verb=Verb.INSPECT), True, True),
        (calls.Ask(node=NODE, verb=Verb.PROVIDE), True, True),
        (calls.Ask(node=NODE, verb=Verb.PROVIDE), False, False),
        (calls.Ask(node=NODE, verb=Verb.MANAGE), True, False),
        (calls.Ask(node=NODE, verb=Verb.ADOPT), True, False),
        (calls.Deploy(node=NODE), True, True),
        (calls.Clean(node=NODE, steps=()), False, True),
        (calls.DeleteNode(node=NODE), True, False),
    ],
)
def test_which_calls_boot_a_ramdisk(call: calls.Call, *, automated: bool, boots: bool) -> None:
    assert boots_a_ramdisk([call], automated_clean=automated) is boots


def test_listed_work_is_counted_without_virtual_media() -> None:
    site = Site()
    site.lists(
        status("a", "inspect wait"),
        status("b", "deploying"),
        status("c", "clean wait", boot="redfish-virtual-media"),
        status("d", "available"),
    )
    seen = site.places.seen(NodeId("d"))
    assert (seen.working, seen.booting, seen.working_here) == (2, 1, False)
    own = site.places.seen(NodeId("a"))
    assert (own.working, own.booting, own.working_here, own.booting_here) == (1, 0, True, True)


def test_who_was_let_in_counts_before_a_listing_shows_it() -> None:
    site = Site()
    site.lists(status("a", "manageable"), status("b", "manageable"))
    asyncio.run(touched(site.census, NodeId("a")))
    site.places.let_in(NodeId("a"), ObjectKey("metal3", "a"))
    assert site.places.seen(NodeId("b")).booting == 1


def test_agent_that_called_gives_its_place_back() -> None:
    site = Site()
    waiting = status("a", "inspect wait")
    site.lists(waiting)
    site.places.came_up(waiting)
    assert site.places.seen(NodeId("b")).booting == 0
    site.lists(status("a", "clean wait", since="later"))
    assert site.places.seen(NodeId("b")).booting == 1, "a later boot is another one"


def test_first_who_waits_is_called_when_a_place_is_free() -> None:
    site = Site()
    called: list[ObjectKey] = []
    site.places.on_free(called.append)
    site.lists(status("a", "inspect wait"), status("b", "inspect wait"))
    for name in ("x", "y"):
        site.places.waits(ObjectKey("metal3", name), waits=True)
    site.places.look()
    assert called == []
    site.lists(status("a", "inspect wait"), status("b", "manageable"))
    assert called == [ObjectKey("metal3", "x")]
