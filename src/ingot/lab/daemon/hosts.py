"""A lab's hosts, as its daemon holds them."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from ingot.errors import ExitCode, IngotError
from ingot.lab.chassis import Chassis
from ingot.lab.faults.book import FaultBook
from ingot.lab.plan import LabPlan
from ingot.lab.reporting import report
from ingot.lab.status import LabStatus
from ingot.machine.driver import Driver
from ingot.machine.model import Power

__all__ = ["Hosts", "NoSuchHost"]

HANDS = 8


class NoSuchHost(IngotError):  # noqa: N818 - it names what was seen
    """There is no host of that name."""

    exit_code = ExitCode.USAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosts:
    """All of them.

    Attributes:
        plan: the lab.
        drivers: what runs each.
        chassis: what its BMCs speak to.
        faults: what is set on them.
    """

    plan: LabPlan
    drivers: Mapping[str, Driver]
    chassis: Mapping[str, Chassis]
    faults: FaultBook

    def host(self, name: str) -> Chassis:
        """Return one of them.

        Raises:
            NoSuchHost: naming those that exist.
        """
        if name not in self.chassis:
            raise NoSuchHost(
                f"the lab has no host {name!r}",
                remedy=f"those that exist: {', '.join(self.chassis)}",
            )
        return self.chassis[name]

    def status(self) -> LabStatus:
        """Return how they are doing."""
        return report(self.plan, self.drivers, self.faults, running=True)

    def powered(self) -> tuple[str, ...]:
        """Return the names of those that are on."""
        return tuple(
            name for name, driver in self.drivers.items() if driver.power(name) is Power.ON
        )

    def pull_every_plug(self) -> None:
        """Power all of them off, whatever faults say; they are off when this returns."""
        with ThreadPoolExecutor(HANDS) as hands:
            pulled = [hands.submit(driver.power_off, name) for name, driver in self.drivers.items()]
        for one in pulled:
            one.result()
