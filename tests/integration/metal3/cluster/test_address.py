"""The provisioning address on real cards: one pod has it, for seconds, and then the next."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from ingot.kube.access import from_kubeconfig
from ingot.kube.client import KubeClient
from ingot.kube.kind import ObjectKey
from ingot.kube.leadership import Leadership
from ingot.metal3.pod.interface import NoInterfaceError
from ingot.metal3.pod.keeping import LIFETIME, TERMS, AddressKeeper
from ingot.metal3.pod.settings import Settings
from ingot.process import run
from tests.integration.kubeapi import kube_api
from tests.integration.onprem.wires import wired
from tests.unit.metal3.pod.told import UNMANAGED, settings

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces are root's")

ADDRESS = "172.22.0.2"
KEPT = {**UNMANAGED, "keptIn": "172.22.0.0/24", "interface": "eth0"}
WITHIN = 60.0


@pytest.fixture
def spaces() -> Iterator[dict[str, str]]:
    with wired({"one": [], "two": []}) as made:
        yield made


def ip(space: str, words: Sequence[str]) -> str:
    return run(["ip", "-n", space, *words])


def lifetimes(space: str) -> dict[str, int]:
    """Return the addresses of a card, each with the seconds that it has left."""
    (card,) = json.loads(ip(space, ["-j", "-4", "address", "show", "dev", "eth0"])) or [{}]
    return {one["local"]: one["valid_life_time"] for one in card.get("addr_info", ())}


def keeper(space: str, told: Settings | None = None, *, leads: bool = True) -> AddressKeeper:
    return AddressKeeper(told or settings(KEPT), lambda: leads, ip=partial(ip, space), every=0.1)


async def until(check: object, *, within: float = WITHIN) -> None:
    assert callable(check)
    async with asyncio.timeout(within):
        while not await asyncio.to_thread(check):  # noqa: ASYNC110 - another process is looked at
            await asyncio.sleep(0.05)


def test_the_kernel_takes_the_address_from_who_does_not_renew_it(spaces: dict[str, str]) -> None:
    async def scenario() -> None:
        stop = asyncio.Event()
        keeping = asyncio.create_task(keeper(spaces["one"]).keep(stop))
        await until(lambda: ADDRESS in lifetimes(spaces["one"]))
        assert 0 < lifetimes(spaces["one"])[ADDRESS] <= LIFETIME
        stop.set()
        await keeping

    asyncio.run(scenario())


@pytest.mark.parametrize("how", ["told to stop", "cancelled"])
def test_who_ends_has_no_address_any_more(spaces: dict[str, str], how: str) -> None:
    async def scenario() -> None:
        stop = asyncio.Event()
        keeping = asyncio.create_task(keeper(spaces["one"]).keep(stop))
        await until(lambda: ADDRESS in lifetimes(spaces["one"]))
        if how == "cancelled":
            keeping.cancel()
        stop.set()
        await asyncio.gather(keeping, return_exceptions=True)

    asyncio.run(scenario())
    assert lifetimes(spaces["one"]) == {}


def test_a_card_that_was_down_is_up(spaces: dict[str, str]) -> None:
    ip(spaces["one"], ["link", "set", "eth0", "down"])
    keeper(spaces["one"]).renew()
    ip(spaces["one"], ["-o", "link", "show", "dev", "eth0", "up"])
    assert ADDRESS in lifetimes(spaces["one"])


def test_who_does_not_lead_never_has_it(spaces: dict[str, str]) -> None:
    keeper(spaces["one"], leads=False).renew()
    assert lifetimes(spaces["one"]) == {}


def test_a_machine_without_the_card_ends_with_its_name(spaces: dict[str, str]) -> None:
    told = settings({**KEPT, "interface": "ens9"})
    with pytest.raises(NoInterfaceError, match="ens9"):
        asyncio.run(keeper(spaces["one"], told).keep(asyncio.Event()))


def test_of_two_pods_one_has_it_and_the_other_follows(
    spaces: dict[str, str], tmp_path: Path
) -> None:
    def holders() -> list[str]:
        return [name for name, space in spaces.items() if ADDRESS in lifetimes(space)]

    async def scenario(kubeconfig: Path) -> None:
        stops = {name: asyncio.Event() for name in spaces}
        async with KubeClient(from_kubeconfig(kubeconfig)) as client:

            async def pod(name: str) -> None:
                lease = Leadership(client, ObjectKey("default", "metal3-address"), terms=TERMS)
                own = AddressKeeper(
                    settings(KEPT), lease.held, ip=partial(ip, spaces[name]), every=0.1
                )
                await lease.run(partial(own.keep, stops[name]), stops[name])

            pods = {name: asyncio.create_task(pod(name)) for name in spaces}
            await until(holders)
            first = holders()
            assert len(first) == 1
            stops[first[0]].set()
            other = [name for name in spaces if name not in first]
            await until(lambda: holders() == other)
            for stop in stops.values():
                stop.set()
            await asyncio.gather(*pods.values())
        assert holders() == []

    with kube_api(tmp_path / "kube") as api:
        asyncio.run(scenario(api.kubeconfig()))
