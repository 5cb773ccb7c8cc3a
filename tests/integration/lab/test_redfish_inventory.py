"""What a Redfish client can read about a host, and about its BMC."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sushy
from sushy.exceptions import MissingAttributeError

from tests.integration.lab.redfish_bench import (
    FIRST,
    SECOND,
    Bench,
    bench,
)

SESSIONS = "/redfish/v1/SessionService/Sessions"


@pytest.fixture
def rack(tmp_path: Path) -> Iterator[Bench]:
    with bench(tmp_path) as made:
        yield made


# ---------------------------------------------------------------- inventory


def test_the_system_says_what_it_is(rack: Bench) -> None:
    system, plan = rack.system(), rack.plans[FIRST]
    assert (system.manufacturer, system.model, system.sku) == ("Ingot", "Lab Server", "ingot-lab-1")
    assert (system.serial_number, system.uuid, system.name) == (plan.serial, plan.uuid, FIRST)
    assert system.memory_summary.size_gib == 3
    assert system.memory_summary.health == "OK"
    assert system.processors.summary.count == 2
    (processor,) = system.processors.get_members()
    assert processor.instruction_set.value == "x86-64"
    assert (processor.total_cores, processor.total_threads) == (2, 2)


def test_network_cards_have_their_addresses_in_their_order(rack: Bench) -> None:
    cards = rack.system().ethernet_interfaces.get_members()
    assert [card.mac_address for card in cards] == [nic.mac for nic in rack.plans[FIRST].nics]
    assert [card.speed_mbps for card in cards] == [1000, 1000]
    assert set(rack.system().ethernet_interfaces.summary) == {
        nic.mac for nic in rack.plans[FIRST].nics
    }


def test_disks_have_serial_number_name_and_size(rack: Bench) -> None:
    system, plan = rack.system(), rack.plans[FIRST]
    (controller,) = system.storage.get_members()
    drives = controller.drives
    assert [drive.serial_number for drive in drives] == [disk.serial for disk in plan.disks]
    assert [drive.capacity_bytes for drive in drives] == [10 << 30, 20 << 30]
    names = [drive.identifiers[0] for drive in drives]
    assert [name.durable_name for name in names] == [
        disk.wwn.removeprefix("0x").upper() for disk in plan.disks
    ]
    assert {name.durable_name_format.value for name in names} == {"NAA"}
    assert {drive.media_type for drive in drives} == {"SSD"}
    assert controller.storage_controllers[0].speed_gbps == 6
    assert controller.volumes.get_members() == []
    assert system.storage.drives_sizes_bytes == [10 << 30, 20 << 30]
    assert system.simple_storage.disks_sizes_bytes == [10 << 30, 20 << 30]


def test_the_chassis_and_the_manager_belong_to_the_system(rack: Bench) -> None:
    system, plan = rack.system(), rack.plans[FIRST]
    (box,) = system.chassis
    assert (box.serial_number, box.manufacturer) == (plan.serial, "Ingot")
    assert box.json["Links"]["ComputerSystems"] == [{"@odata.id": rack.system_path()}]
    assert len(box.json["Links"]["Drives"]) == 2
    (manager,) = system.managers
    assert (manager.firmware_version, manager.model) == ("1.0.0", "Lab BMC")
    path = manager.json["EthernetInterfaces"]["@odata.id"]
    (card,) = rack.ask("GET", path).json()["Members"]
    address = rack.ask("GET", card["@odata.id"]).json()["IPv4Addresses"][0]["Address"]
    assert address == str(plan.bmc.address)


def test_firmware_can_be_listed_and_updated(rack: Bench) -> None:
    service = rack.root().get_update_service()
    components = {one.identity: one for one in service.firmware_inventory.get_members()}
    assert set(components) == {"BIOS", "BMC"}
    monitor = service.simple_update("http://127.0.0.1/bios.bin", targets=[rack.system_path()])
    assert not monitor.is_processing
    assert rack.system().bios_version == "1.1.0"
    assert rack.system(SECOND).bios_version == "1.0.0"


def test_the_clock_of_a_bmc_cannot_be_set(rack: Bench) -> None:
    path = f"/redfish/v1/Managers/{rack.plans[FIRST].uuid}"
    body = {"DateTime": "2001-01-01T00:00:00+00:00", "DateTimeLocalOffset": "+00:00"}
    assert rack.ask("PATCH", path, json=body).status_code == 400
    assert not rack.ask("GET", path).json()["DateTime"].startswith("2001")


def test_a_bmc_that_is_started_over_forgets_who_was_logged_in(rack: Bench) -> None:
    rack.system().managers[0].reset_manager(sushy.RESET_MANAGER_GRACEFUL_RESTART)
    assert rack.restarted == [FIRST]
    assert rack.ask("GET", SESSIONS).json()["Members"] == []


def test_every_link_leads_somewhere(rack: Bench) -> None:
    """What a client finds in one document it may ask for, and gets 200 with the same name."""
    seen: set[str] = set()
    todo = ["/redfish/v1/"]

    def links(document: object) -> Iterator[str]:
        if isinstance(document, dict):
            for key, value in document.items():
                if key == "@odata.id" and isinstance(value, str):
                    yield value.partition("#")[0]
                else:
                    yield from links(value)
        elif isinstance(document, list):
            for one in document:
                yield from links(one)

    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        answer = rack.ask("GET", path)
        assert answer.status_code == 200, path
        assert answer.headers["OData-Version"] == "4.0"
        assert answer.json()["@odata.id"].rstrip("/") == path.rstrip("/")
        assert "Contoso" not in answer.text, path
        todo.extend(links(answer.json()))
    assert len(seen) > 35


def test_what_a_host_does_not_have_is_missing_and_no_error(rack: Bench) -> None:
    """Ironic asks for these, and gets by without them when they are said to be missing."""
    system = rack.system()
    assert system.pcie_devices.get_members() == []
    with pytest.raises(MissingAttributeError):
        _ = system.chassis[0].network_adapters
    assert system.storage.volumes_sizes_bytes == []
