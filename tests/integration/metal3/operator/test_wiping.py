"""Servers whose disks are to be wiped, with the real operator and the real Ironic."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from typing import Any

import pytest

from ingot.assets.wipehosts import wipe_host
from ingot.ironic.client import Ironic
from ingot.ironic.states import ProvisionState
from ingot.metal3.api.reading import written
from tests.integration.metal3.served import NAMESPACE
from tests.operator_site.crowd import host_of, name_of, secret_of
from tests.operator_site.ironic import Hardware
from tests.operator_site.site import OperatorSite, metal3_root, operator_site
from tests.unit.assets.clusters import PAYLOAD, cluster

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="the image's root is entered as root only"
)

WITHIN = 300.0
NEW, WIPED = 0, 1


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OperatorSite]:
    folder = tmp_path_factory.mktemp("site")
    with (
        metal3_root(folder) as root,
        operator_site(folder, root, count=2, hardware=Hardware.FAKE) as started,
    ):
        yield started


def wiped(site: OperatorSite) -> dict[str, Any]:
    """Return a host as the VM that wipes has it, with a BMC of the site."""
    config = cluster()
    made = written(wipe_host(config, PAYLOAD, config.baremetal.hosts[0]))
    plain = host_of(WIPED, site.bmcs)
    annotations = made["metadata"]["annotations"]
    bmc = {name: plain["spec"][name] for name in ("bmc", "bootMACAddress")}
    return {
        **plain,
        "metadata": {**plain["metadata"], "annotations": annotations},
        "spec": {**made["spec"], **bmc},
    }


def new(site: OperatorSite) -> dict[str, Any]:
    """Return a host without an image that is to be cleaned before use, as hosts are by default."""
    plain = host_of(NEW, site.bmcs)
    return {**plain, "spec": {**plain["spec"], "automatedCleaningMode": "metadata"}}


def states(site: OperatorSite) -> dict[str, ProvisionState]:
    async def listed() -> dict[str, ProvisionState]:
        async with Ironic(site.ironic.access) as ironic:
            found = await ironic.nodes.statuses()
        return {
            (one.name or "").removeprefix(f"{NAMESPACE}~"): one.provision_state for one in found
        }

    return asyncio.run(listed())


def test_a_host_that_is_to_be_wiped_is_cleaned_by_ironic_where_a_new_one_is_not(
    site: OperatorSite,
) -> None:
    site.operator(LEADER_ELECTION="false").start()
    for number, host in ((NEW, new(site)), (WIPED, wiped(site))):
        site.cluster.create(secret_of(number))
        site.cluster.create(host)
    site.wait_until_available(2, within=WITHIN)
    assert states(site) == {
        name_of(NEW): ProvisionState.MANAGEABLE,
        name_of(WIPED): ProvisionState.AVAILABLE,
    }
    path = [state for state, _ in site.hosts.path[name_of(WIPED)]]
    assert path.index("deprovisioning") < path.index("available")
    assert not site.hosts.errors()
