"""How busy the site is, for one host that asks for a place.

What Ironic lists is a moment old. So a host that has just been let in is remembered until a listing
shows what became of it: else all that ask within that moment would be let in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from ingot.ironic.node import NodeId, NodeStatus
from ingot.ironic.states import ProvisionState, Verb
from ingot.kube.kind import ObjectKey
from ingot.metal3.host.observation import Site
from ingot.metal3.node import calls
from ingot.metal3.operator.census import Census

__all__ = ["Places", "boots_a_ramdisk"]

WORKING: Final = frozenset(
    {
        ProvisionState.CLEANING,
        ProvisionState.CLEAN_WAIT,
        ProvisionState.INSPECTING,
        ProvisionState.INSPECT_WAIT,
        ProvisionState.DEPLOYING,
        ProvisionState.DEPLOY_WAIT,
        ProvisionState.DELETING,
    }
)
"""What upstream counts for its limit too."""

_BOOTING_VERBS: Final = frozenset({Verb.INSPECT, Verb.DELETED})


def boots_a_ramdisk(asked: Iterable[calls.Call], *, automated_clean: bool) -> bool:
    """Return whether calls make a server boot its ramdisk."""
    for call in asked:
        match call:
            case calls.Deploy() | calls.Clean() | calls.Service():
                return True
            case calls.Ask(verb=verb) if verb in _BOOTING_VERBS:
                return True
            case calls.Ask(verb=Verb.PROVIDE) if automated_clean:
                return True
            case _:
                continue
    return False


class Places:
    """Who has a place, and who waits for one."""

    def __init__(self, census: Census) -> None:
        self._census = census
        census.on_listing.append(self.look)
        self._let_in: set[NodeId] = set()
        self._come_up: dict[NodeId, str | None] = {}
        self._waiting: dict[ObjectKey, None] = {}
        self._callers: list[Callable[[ObjectKey], None]] = []
        self._free_seen = (0, 0)
        self._counted = -1
        self._working: set[NodeId] = set()
        self._booting: set[NodeId] = set()

    def seen(self, node: NodeId) -> Site:
        """Return how busy the site is with all but one."""
        if self._counted != self._census.listings:
            self._count()
        working, booting = self._working | self._let_in, self._booting | self._let_in
        return Site(
            working=len(working - {node}),
            working_here=node in working,
            booting=len(booting - {node}),
            booting_here=node in booting,
        )

    def let_in(self, node: NodeId, host: ObjectKey) -> None:
        """Give a place to a host that is about to boot its ramdisk."""
        self._let_in.add(node)
        self._waiting.pop(host, None)

    def came_up(self, status: NodeStatus) -> None:
        """Note that the agent of a node that Ironic waits for has been heard of."""
        self._come_up[status.uuid] = status.provision_updated_at
        self._booting.discard(status.uuid)

    def waits(self, host: ObjectKey, *, waits: bool) -> None:
        """Note whether a host waits for a place."""
        if waits:
            self._waiting.setdefault(host)
        else:
            self._waiting.pop(host, None)

    def forget(self, host: ObjectKey, node: NodeId) -> None:
        """Let go of a host that is gone."""
        self._waiting.pop(host, None)
        self._let_in.discard(node)
        self._come_up.pop(node, None)

    def on_free(self, caller: Callable[[ObjectKey], None]) -> Callable[[], None]:
        """Call somebody with a host that waits, when a place has become free."""
        self._callers.append(caller)
        return lambda: self._callers.remove(caller)

    def look(self) -> None:
        """Call for those who wait, first come first served, as many as places became free."""
        if not self._waiting:
            self._free_seen = (0, 0)
            return
        busy = self.seen(NodeId(""))
        now, before = (busy.working, busy.booting), self._free_seen
        self._free_seen = now
        freed = max(before[0] - now[0], before[1] - now[1])
        for host in list(self._waiting)[: max(freed, 0)]:
            for caller in tuple(self._callers):
                caller(host)

    def _count(self) -> None:
        """Count once for each listing, which serves all hosts."""
        self._counted = self._census.listings
        limited = [status for status in self._census if _is_limited(status)]
        self._working = {one.uuid for one in limited if one.provision_state in WORKING}
        self._booting = {
            one.uuid for one in limited if one.provision_state.is_wait and not self._is_up(one)
        }
        self._let_in = {one for one in self._let_in if not self._census.is_fresh(one)}

    def _is_up(self, status: NodeStatus) -> bool:
        return self._come_up.get(status.uuid, "") == status.provision_updated_at


def _is_limited(status: NodeStatus) -> bool:
    return "virtual-media" not in (status.boot_interface or "")
