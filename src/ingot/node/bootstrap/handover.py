"""The hand-over: everything of the bootstrap ends, one after the other, and the cluster goes on.

The VIP goes first, and before it the lead in etcd. Whatever is stopped on the VM after that keeps
its processor busy, and nobody waits for it. With Ironic stopped first, a client that asked ten
times a second had no answer for 14 seconds, from a VM with one processor. Clients never meet an API
server whose etcd is gone either: the bootstrap's own is drained while nobody new comes to it, and
leaves etcd last.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from ingot.errors import IngotError
from ingot.node.bootstrap.options import Places
from ingot.node.bootstrap.staticpods import stopped
from ingot.node.etcd import Etcd, EtcdError, Member
from ingot.onprem.interfaces import read_addresses
from ingot.onprem.model import Address
from ingot.onprem.monitor.asking import LOOPBACK, is_ready

__all__ = ["OWN_ETCD", "HandOverError", "give_lead", "hand_over"]

log = logging.getLogger(__name__)

IRONIC_PORT = 6385
OPERATOR_PORT = 9440
MACHINES_PORT = 9441
API_PORT = 6443
LEADING_PORTS = (10257, 10259)
"""Of the controller manager and the scheduler."""
STOPPED_AFTER_THE_VIP = (
    "30-metal3",
    "40-machine-controller",
    "20-config-server",
    "kube-scheduler",
    "kube-controller-manager",
)
OWN_ETCD = f"https://{LOOPBACK}:2379"
LOOK_SECONDS = 0.2
CONNECT_SECONDS = 1.0

Say = Callable[[str], Awaitable[None]]


class HandOverError(IngotError):
    """A part of the bootstrap does not end, or nobody takes over."""


async def hand_over(
    places: Places,
    etcd: Etcd,
    vips: Sequence[Address],
    *,
    name: str,
    say: Say,
    give_leases: Callable[[], Awaitable[None]],
) -> None:
    """End the bootstrap's part of the cluster; each step is nothing where it was done before.

    Args:
        places: where things are on this machine.
        etcd: all members.
        vips: where the API is reached.
        name: this node's.
        say: told what is done.
        give_leases: gives back what the controller manager and the scheduler held.
    """
    await say("the lead in etcd goes to the control plane")
    await give_lead(etcd, name)

    await say("the VIP goes to the control plane")
    places.done.touch()
    await _until(
        lambda: _taken_over(vips), within=60, what="no control-plane node answers for the VIP"
    )

    await say("Ironic and the controllers of hosts and machines stop")
    for pod in STOPPED_AFTER_THE_VIP:
        stopped(places, pod)
    # Whoever comes after the operator waits for its lease, which it gives back to a live API.
    await _until(_closed(OPERATOR_PORT), within=90, what="the host operator does not end")
    await _until(_closed(MACHINES_PORT), within=60, what="the machine controller does not end")

    for port in LEADING_PORTS:
        await _until(_closed(port), within=60, what="the controller manager does not end")
    await give_leases()

    await say("the bootstrap's API server drains")
    stopped(places, "kube-apiserver")
    await _until(_closed(API_PORT), within=120, what="the API server does not end")
    await _until(_closed(IRONIC_PORT), within=90, what="Ironic does not end")

    await say("the bootstrap leaves etcd")
    await _leave(etcd, name)
    stopped(places, "etcd")
    stopped(places, "10-onprem")


async def _taken_over(vips: Sequence[Address]) -> bool:
    ours = {one.address for one in await asyncio.to_thread(read_addresses)}
    if ours & set(vips):
        return False
    return all([await is_ready(vip, API_PORT, "/readyz", tls=True) for vip in vips])


def _closed(port: int) -> Callable[[], Awaitable[bool]]:
    """Return a look at whether nobody listens any more; who is only slow still does."""

    async def closed() -> bool:
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                _reader, writer = await asyncio.open_connection(LOOPBACK, port)
        except ConnectionRefusedError:
            return True
        except (OSError, TimeoutError):
            return False
        writer.transport.abort()
        return False

    return closed


async def give_lead(etcd: Etcd, name: str) -> None:
    """Have a control-plane node lead etcd, if the bootstrap does."""
    _ours, others = await _members(etcd, name)
    if others:
        await etcd.give_lead_to(OWN_ETCD, others[0].number)


async def _leave(etcd: Etcd, name: str) -> None:
    ours, others = await _members(etcd, name)
    if ours is None or not others:
        return
    await etcd.give_lead_to(OWN_ETCD, others[0].number)
    await etcd.remove([one.urls[0] for one in others], ours.number)


async def _members(etcd: Etcd, name: str) -> tuple[Member | None, list[Member]]:
    """Return our member of etcd, and those of others that have a vote; none if ours has left."""
    try:
        members = await etcd.members(OWN_ETCD)
    except EtcdError:
        log.info("our etcd does not answer: it has left before")
        return None, []
    ours = next((one for one in members if one.name == name), None)
    return ours, [one for one in members if one.name != name and one.urls and not one.learner]


async def _until(check: Callable[[], Awaitable[bool]], *, within: float, what: str) -> None:
    try:
        async with asyncio.timeout(within):
            while not await check():  # noqa: ASYNC110 - what is awaited is not in this process
                await asyncio.sleep(LOOK_SECONDS)
    except TimeoutError as late:
        raise HandOverError(
            f"{what} within {within:.0f} s", remedy="it is tried again; see the pods on this VM"
        ) from late
