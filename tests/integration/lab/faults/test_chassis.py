"""Faults of boot settings and media, with a chassis over a machine of a real driver."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ingot.lab.chassis import PowerAction
from ingot.lab.faults.book import Fault, FaultBook
from ingot.lab.faults.kind import FaultKind
from ingot.lab.hostchassis import HostChassis
from ingot.machine.model import DEFAULT_ORDER, BootSource, MachineSpec, Power
from ingot.machine.uml.driver import UmlDriver
from tests.e2e.site import eventually
from tests.integration.lab.faults.plans import lab_plan

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="machines need root")

HOST = "a"
NETWORK_ONLY = (BootSource.NETWORK,)


@dataclass(frozen=True)
class Rig:
    """A host, its faults, and what really is behind its chassis."""

    chassis: HostChassis
    driver: UmlDriver
    book: FaultBook
    image: Path

    def cycle(self) -> None:
        """Have the host off, and then on."""
        self.chassis.act(PowerAction.FORCE_OFF)
        self.comes_to(Power.OFF)
        self.chassis.act(PowerAction.ON)
        self.comes_to(Power.ON)

    def comes_to(self, power: Power) -> None:
        """Wait until it really is on or off."""
        eventually(lambda: self.driver.power(HOST) is power, within=20, every=0.02)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    driver = UmlDriver(
        tmp_path / "machines",
        kernel=Path("/nowhere"),
        namespace_prefix=f"ingot-test-chassis{os.getpid()}",
        firmware=("/bin/sh", "-c", "exec sleep 1000"),  # It is on, and boots nothing.
    )
    uuid = "00000000-0000-0000-0000-000000000001"
    driver.define(MachineSpec(name=HOST, uuid=uuid, memory_mib=64, disks=(), nics=()))
    book = FaultBook(tmp_path / "faults.json")
    chassis = HostChassis(lab_plan(host=HOST).hosts[0], driver=driver, faults=book)
    image = tmp_path / "image.iso"
    image.touch()
    try:
        yield Rig(chassis, driver, book, image)
    finally:
        chassis.close()
        driver.undefine(HOST)


def test_boot_order_reset_falls_back_at_power_on_until_it_is_cleared(rig: Rig) -> None:
    rig.book.set(Fault(host=HOST, kind=FaultKind.BOOT_ORDER_RESET))
    rig.chassis.set_boot_order(NETWORK_ONLY)
    assert rig.driver.boot_settings(HOST).order == NETWORK_ONLY
    rig.cycle()
    assert rig.driver.boot_settings(HOST).order == DEFAULT_ORDER
    rig.book.clear(HOST)
    rig.chassis.set_boot_order(NETWORK_ONLY)
    rig.cycle()
    assert rig.driver.boot_settings(HOST).order == NETWORK_ONLY


def test_media_not_attached_is_shown_but_not_there_until_it_is_cleared(rig: Rig) -> None:
    rig.book.set(Fault(host=HOST, kind=FaultKind.MEDIA_NOT_ATTACHED))
    rig.chassis.insert_media(rig.image)
    assert rig.chassis.boot_settings().media == rig.image
    assert rig.driver.boot_settings(HOST).media is None
    rig.book.clear(HOST)
    rig.chassis.insert_media(rig.image)
    assert rig.driver.boot_settings(HOST).media == rig.image


def test_powers_off_pulls_the_plug_of_a_host_that_came_on_until_it_is_cleared(rig: Rig) -> None:
    rig.book.set(Fault(host=HOST, kind=FaultKind.POWERS_OFF, amount=1))
    rig.cycle()
    rig.comes_to(Power.OFF)
    rig.book.clear(HOST)
    rig.cycle()
    assert rig.driver.power(HOST) is Power.ON
