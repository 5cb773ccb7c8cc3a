"""The agent finds a real Ironic, by mDNS or by its address, and tells it what the machine is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.ironic_service import URL, Ironic, running_ironic
from tests.e2e.ramdisk_machine import Parts, built_parts, ramdisk_machine
from tests.e2e.site import eventually, mac_of, opened_site

SECONDS = 240


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Parts:
    return built_parts(tmp_path_factory.mktemp("parts"))


@pytest.fixture(scope="module")
def ironic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ironic]:
    with opened_site(tmp_path_factory.mktemp("site")) as site, running_ironic(site) as running:
        yield running


def waiting_for_inspection(ironic: Ironic, number: int) -> str:
    """Return a node of Ironic that waits for its agent."""
    node = str(ironic.ask("POST", "/v1/nodes", {"driver": "fake-hardware"})["uuid"])
    ironic.ask("POST", "/v1/ports", {"node_uuid": node, "address": mac_of(number)})
    for target, state in (("manage", "manageable"), ("inspect", "inspect wait")):
        ironic.ask("PUT", f"/v1/nodes/{node}/states/provision", {"target": target})
        reach(ironic, node, state, within=60)
    return node


def reach(ironic: Ironic, node: str, state: str, *, within: float) -> None:
    def reached() -> bool:
        return bool(ironic.ask("GET", f"/v1/nodes/{node}")["provision_state"] == state)

    eventually(reached, within=within, every=2)


def test_agent_told_only_to_look_around_finds_its_node(ironic: Ironic, parts: Parts) -> None:
    node = waiting_for_inspection(ironic, 4)
    with ramdisk_machine(ironic.site, 4, parts, ["ipa-api-url=mdns"]) as machine:
        machine.wait_for_console(f"Lookup succeeded, node UUID is {node}", within=SECONDS)


def test_ironic_learns_disk_and_card(ironic: Ironic, parts: Parts) -> None:
    node = waiting_for_inspection(ironic, 5)
    arguments = [f"ipa-api-url={URL}", f"ipa-inspection-callback-url={URL}/v1/continue_inspection"]
    with ramdisk_machine(ironic.site, 5, parts, arguments) as machine:
        machine.wait_for_console("inspection finished successfully", within=SECONDS)
        reach(ironic, node, "manageable", within=SECONDS)
    found = ironic.ask("GET", f"/v1/nodes/{node}/inventory")["inventory"]
    assert [disk["name"] for disk in found["disks"]] == ["/dev/ubda"]
    assert [card["mac_address"] for card in found["interfaces"]] == [mac_of(5)]
