"""Ironic dies and forgets everything, while hosts are in use and on their way."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator

import pytest

from ingot.ironic.client import Ironic
from ingot.ironic.node import NodeStatus
from ingot.ironic.states import ProvisionState
from tests.e2e.site import eventually
from tests.integration.metal3.served import NAMESPACE
from tests.operator_site.crowd import name_of
from tests.operator_site.following import state_of
from tests.operator_site.site import OperatorSite, metal3_root, operator_site

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="the image's root is entered as root only"
)

WITHIN = 600.0
IN_USE = range(8)
ON_THE_WAY = range(8, 16)
NEW = range(16, 24)
COUNT = 24


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OperatorSite]:
    folder = tmp_path_factory.mktemp("site")
    with metal3_root(folder) as root, operator_site(folder, root, count=COUNT) as started:
        yield started


def nodes(site: OperatorSite) -> dict[str, NodeStatus]:
    async def listed() -> list[NodeStatus]:
        async with Ironic(site.ironic.access) as ironic:
            return await ironic.nodes.statuses()

    return {status.name or "": status for status in asyncio.run(listed())}


def adopted(site: OperatorSite) -> bool:
    """Return whether Ironic has all hosts in use, and takes them for deployed."""
    known = nodes(site)
    found = [known.get(f"{NAMESPACE}~{name_of(number)}") for number in IN_USE]
    return all(node and node.provision_state is ProvisionState.ACTIVE for node in found)


def test_hosts_in_use_stay_untouched_and_all_others_arrive(site: OperatorSite) -> None:
    operator = site.operator(LEADER_ELECTION="false")
    operator.start()
    site.add_hosts([*IN_USE, *ON_THE_WAY])
    site.wait_until_available(len(IN_USE) + len(ON_THE_WAY), within=WITHIN)
    site.provision(IN_USE)
    site.wait_until_provisioned(len(IN_USE), within=WITHIN)

    site.provision(ON_THE_WAY)
    site.add_hosts(NEW)
    site.hosts.wait(lambda host: state_of(host) == "provisioning", count=1, within=WITHIN)
    told = site.bmcs.actions()
    site.ironic.stop()
    site.ironic.forget()
    site.ironic.start()

    site.wait_until_provisioned(len(IN_USE) + len(ON_THE_WAY), within=WITHIN)
    site.wait_until_available(len(NEW), within=WITHIN)
    # Their status never said anything else, so it does not tell when Ironic knows them again.
    eventually(lambda: adopted(site), within=WITHIN)
    for number in IN_USE:
        assert site.bmcs.actions()[number] == told[number], name_of(number)
        assert [state for state, _ in site.hosts.path[name_of(number)]][-1] == "provisioned"
    assert set(nodes(site)) == {f"{NAMESPACE}~{name_of(number)}" for number in range(COUNT)}
    power = site.bmcs.power()
    assert {power[number] for number in (*IN_USE, *ON_THE_WAY)} == {"On"}
    assert not site.hosts.removed
    assert not site.hosts.errors()
