"""A few hosts in memory with real IPMI BMCs on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ingot.bmc.address import parse
from ingot.bmc.live.access import BmcAccess
from ingot.lab.bmc.ipmi.server import IpmiBmcs
from ingot.lab.faults.book import FaultBook
from ingot.lab.hostchassis import HostChassis
from tests.integration.lab.test_ipmi_bmc import free_port
from tests.unit.lab.memory import InterruptingDriver, host_plan


@dataclass
class IpmiBench:
    """What a test has in its hands."""

    driver: InterruptingDriver
    book: FaultBook
    chassis: dict[str, HostChassis]
    port: int

    def address(self, host: str) -> str:
        return f"ipmi://{self.chassis[host].plan.bmc.address}:{self.port}"

    def access(self, host: str) -> BmcAccess:
        bmc = self.chassis[host].plan.bmc
        where = parse(self.address(host))
        return BmcAccess(address=where, username=bmc.username, password=bmc.password)


@contextmanager
def ipmi_bench(home: Path, *hosts: str) -> Iterator[IpmiBench]:
    book = FaultBook(home / "ipmi-faults.json")
    driver = InterruptingDriver(*hosts)
    chassis = {
        name: HostChassis(
            host_plan(name, address=f"127.0.63.{number + 1}", number=number + 1),
            driver=driver,
            faults=book,
        )
        for number, name in enumerate(hosts)
    }
    port = free_port()
    bmcs = IpmiBmcs(tuple(chassis.values()), faults=book, port=port)
    bmcs.start()
    try:
        yield IpmiBench(driver, book, chassis, port)
    finally:
        bmcs.stop()
        for each in chassis.values():
            each.close()
