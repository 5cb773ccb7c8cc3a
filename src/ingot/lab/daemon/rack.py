"""Everything of a lab that lives in its daemon, put together."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Protocol

from ingot.lab.bmc.certificates import Authority
from ingot.lab.bmc.ipmi.server import IpmiBmcs
from ingot.lab.bmc.redfish.bmcs import RedfishBmcs
from ingot.lab.daemon.hosts import Hosts
from ingot.lab.drivers import drivers_of, virsh_of
from ingot.lab.faults.actuators import Actuators
from ingot.lab.faults.book import FaultBook
from ingot.lab.hostchassis import HostChassis
from ingot.lab.labs import Lab
from ingot.lab.services import Services, site_services

__all__ = ["Rack"]


class Part(Protocol):
    """Something that runs while the daemon does."""

    def start(self) -> None:
        """Begin; it works when this returns."""

    def stop(self) -> None:
        """End; nothing of it is left when this returns."""


class Rack:
    """A lab's hosts with their BMCs, and what is around them.

    Attributes:
        hosts: all of them.
        services: the programs of the site.
    """

    def __init__(self, lab: Lab) -> None:
        plan = lab.plan()
        faults = FaultBook(lab.faults)
        drivers = drivers_of(lab, plan)
        self._chassis = tuple(
            HostChassis(host, driver=drivers[host.name], faults=faults) for host in plan.hosts
        )
        self.hosts = Hosts(
            plan=plan,
            drivers=drivers,
            chassis={one.plan.name: one for one in self._chassis},
            faults=faults,
        )
        self.services: Services = site_services(plan, lab.home)
        self._parts = _parts(lab, self.hosts, self._chassis)
        self._running = ExitStack()

    def start(self) -> None:
        """Have BMCs, faults and services work; what has begun ends again if one of them cannot."""
        with ExitStack() as begun:
            for one in self._chassis:
                begun.callback(one.close)
            self.services.start()
            for part in self._parts:
                part.start()
                begun.callback(part.stop)
            self._running = begun.pop_all()

    def stop(self) -> None:
        """End what runs in this process; hosts and services go on."""
        self._running.close()


def _parts(lab: Lab, hosts: Hosts, chassis: tuple[HostChassis, ...]) -> tuple[Part, ...]:
    """Return what is started with the rack, in this order, and stopped in the other."""
    actuators = Actuators(
        hosts.plan, hosts.faults, lab.machines, virsh=lambda host: virsh_of(lab, host)
    )
    for one in chassis:
        one.add_observer(actuators.on_power_on)
    ipmi = IpmiBmcs(chassis, faults=hosts.faults)
    redfish = RedfishBmcs(
        chassis,
        faults=hosts.faults,
        home=lab.home,
        authority=Authority(lab.bmc),
        restarted=ipmi.reset,
    )
    return actuators, ipmi, redfish
