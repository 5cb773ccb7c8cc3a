"""The bootstrap's monitor: it keeps the VIP while needed, hands it over, and takes it back."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from ingot.onprem.handover import LOOKS_WITHOUT_API
from tests.e2e.site import eventually
from tests.integration.onprem.holding import ADVERT, LATE
from tests.integration.onprem.monitored import Monitored, monitored
from tests.onprem_site.node import Node
from tests.onprem_site.observation import Look, contested, longest, spans, vacant
from tests.onprem_site.plan import Plan, Role
from tests.onprem_site.prober import watching
from tests.onprem_site.servers import Server, config_server
from tests.onprem_site.service import Mode

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

IRONIC_PORT = 6385


@pytest.fixture
def young(tmp_path: Path, coredns_program: Path) -> Iterator[Monitored]:
    """A bootstrap and two control-plane nodes, of which nothing runs yet."""
    plan = Plan(bootstrap=True, control=2, workers=0)
    with monitored(tmp_path, plan, coredns_program) as found:
        yield found


@pytest.fixture
def bootstrap(young: Monitored) -> Node:
    return young.site["bootstrap"]


@pytest.fixture
def control(young: Monitored) -> tuple[Node, ...]:
    return young.site.of("", Role.CONTROL)


def ironic(node: Node) -> Server:
    """Return something that answers where Ironic does, with whatever."""
    found = config_server(node, None, port=IRONIC_PORT)
    found.start()
    return found


def test_the_vip_stays_through_blips_is_handed_over_and_is_taken_back(
    young: Monitored, bootstrap: Node, control: tuple[Node, ...]
) -> None:
    vip = young.api_vip
    names = {node.name for node in control}
    provisioning = ironic(bootstrap)
    young.serve(bootstrap)
    young.watch_over(bootstrap)
    with watching(young.site, vip) as seen:
        seen.wait_for(vip, bootstrap.name, within=30)
        held = time.monotonic()
        young.serve(*control)
        young.watch_over(*control)
        eventually(
            lambda: all(young.standing(node, vip).get("state") == "backup" for node in control),
            within=60,
            every=0.1,
        )
        young.api[bootstrap.name].become(Mode.UNREADY)
        eventually(
            lambda: "provisioning is under way" in young.standing(bootstrap, vip)["why"],
            within=10,
            every=0.1,
        )
        time.sleep(
            LOOKS_WITHOUT_API + 2
        )  # Longer than it would take to give up, if Ironic were not there.
        young.api[bootstrap.name].become(Mode.READY)
        eventually(
            lambda: "serves the API" in young.standing(bootstrap, vip)["why"], within=10, every=0.1
        )
        assert [span.holders for span in spans(_since(seen.read(), held), str(vip))] == [
            {bootstrap.name}
        ]

        provisioning.kill()
        young.api[bootstrap.name].kill()
        killed = time.monotonic()
        eventually(
            lambda: bool(seen.holders(vip)) and seen.holders(vip) <= names, within=30, every=0.05
        )
        assert time.monotonic() - killed > 3  # by the rule, not by a blip
        assert longest(vacant(spans(_since(seen.read(), held), str(vip)))) < 0.5

        for node in control:
            young.api[node.name].kill()
        young.serve(bootstrap)
        seen.wait_for(vip, bootstrap.name, within=30)
        assert "takes it back" in young.log(bootstrap)
        looks = _since(seen.read(), held)
    assert longest(contested(spans(looks, str(vip)))) <= ADVERT + LATE


def test_a_bootstrap_that_was_told_hands_over_at_once_and_does_not_forget(
    young: Monitored, bootstrap: Node, control: tuple[Node, ...]
) -> None:
    vip = young.api_vip
    young.serve(bootstrap, *control)
    young.watch_over(bootstrap, *control)
    with watching(young.site, vip) as seen:
        eventually(
            lambda: all(young.standing(node, vip).get("state") == "backup" for node in control),
            within=60,
            every=0.1,
        )
        seen.wait_for(vip, bootstrap.name, within=30)
        (bootstrap.folder / "done").touch()
        eventually(
            lambda: bool(seen.holders(vip)) and bootstrap.name not in seen.holders(vip), within=10
        )
        assert "2 control-plane nodes are ready" in young.log(bootstrap)
        moved = time.monotonic()
        young.monitors.pop(bootstrap.name).kill()
        young.watch_over(bootstrap)
        eventually(
            lambda: young.standing(bootstrap, vip).get("state") == "fault", within=30, every=0.1
        )
        after = spans(_since(seen.read(), moved), str(vip))
    assert not any(bootstrap.name in span.holders for span in after)


def test_nodes_that_nobody_planned_with_an_address_take_over_as_fast(
    young: Monitored, bootstrap: Node, control: tuple[Node, ...]
) -> None:
    """Servers that have their addresses from a DHCP server are newcomers to each other."""
    vip = young.api_vip
    young.options = {"planned": []}
    young.serve(bootstrap, *control)
    young.watch_over(bootstrap, *control)
    with watching(young.site, vip) as seen:
        seen.wait_for(vip, bootstrap.name, within=30)
        eventually(
            lambda: all(young.standing(node, vip).get("state") == "backup" for node in control),
            within=60,
            every=0.1,
        )
        assert all("hears the bootstrap, and is listed" in young.log(node) for node in control)
        begun = time.monotonic()
        (bootstrap.folder / "done").touch()
        eventually(
            lambda: bool(seen.holders(vip)) and bootstrap.name not in seen.holders(vip), within=10
        )
        found = spans(_since(seen.read(), begun), str(vip))
    assert longest(vacant(found)) < 0.5
    assert longest(contested(found)) <= ADVERT + LATE


def _since(looks: Iterable[Look], moment: float) -> list[Look]:
    return [look for look in looks if look.at >= moment]
