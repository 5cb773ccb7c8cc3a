"""Everything that makes faults of cards, disks, clocks and processors so.

Faults of BMCs, of power and of media are not made here: whoever answers a request asks the book
then. These are there without anybody asking, so they are made when a fault is set or cleared, and
made again when a host is started.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from ingot.errors import IngotError
from ingot.lab.faults.availability import check_available
from ingot.lab.faults.book import FaultBook
from ingot.lab.faults.disk import Domain, accesses_per_second, shim_faults
from ingot.lab.faults.fault import Fault
from ingot.lab.faults.kind import FaultKind
from ingot.lab.faults.processor import Allowance, Processors
from ingot.lab.faults.wire import Wire, WireFaults
from ingot.lab.plan import DriverKind, HostPlan, LabPlan
from ingot.machine.home import Home
from ingot.machine.libvirt.domain import domain_name
from ingot.machine.libvirt.virsh import Virsh
from ingot.machine.uml.shim import write_faults

__all__ = ["Actuators", "allowance", "wire_faults"]

COUNTED = (FaultKind.NO_DHCP, FaultKind.BOOT_SLOW, FaultKind.CLOCK_WRONG)
"""What lasts from one start of a host to the next; each start is an occasion."""

BOOT_SECONDS = 30
"""How long a boot is held to take; one that is so many times slower, so many times longer."""

_LOG = logging.getLogger(__name__)


class Actuators:
    """What makes the faults of a lab's hosts so, on the lab's network; callable from any thread."""

    def __init__(
        self,
        plan: LabPlan,
        book: FaultBook,
        machines: Path,
        *,
        virsh: Callable[[HostPlan], Virsh],
    ) -> None:
        """Prepare; nothing happens before `start`.

        Args:
            plan: the lab.
            book: its faults.
            machines: where the folders of User-Mode Linux hosts are, by the hosts' names.
            virsh: the way to the libvirt of a host that has one.
        """
        self._plan = plan
        self._book = book
        self._machines = machines
        self._virsh = virsh
        self._wire = Wire()
        self._processors = Processors()
        self._lock = threading.RLock()
        self._limited_domains: set[str] = set()
        self._started = False
        book.watch(self._changed)

    def start(self) -> None:
        """Make so what the book says, from now on.

        What cannot be made so is logged. A lab whose faults fail is still a lab.
        """
        uml = [host for host in self._plan.hosts if host.driver is DriverKind.UML]
        self._processors.start(self._home(host).process for host in uml)
        self._started = True
        for host in self._plan.hosts:
            try:
                self._make_so(host)
            except IngotError as error:
                _LOG.error("faults of %s: %s; %s", host.name, error.what, error.remedy)

    def stop(self) -> None:
        """Let all processors run. Cards and disks stay as they are: hosts outlive the daemon."""
        self._started = False
        self._processors.stop()

    def on_power_on(self, name: str) -> None:
        """Count an occasion; to be called just before a host is started or reset.

        Raises:
            IngotError: a fault that is set on it cannot be made so.
        """
        host = self._plan.host(name)
        if host is None:
            return
        for kind in COUNTED:
            self._book.strikes(name, kind)
        self._make_so(host, restarted=True)

    def _changed(self, name: str) -> None:
        host = self._plan.host(name)
        if host is None:
            return
        for fault in self._book.faults(name):
            check_available(host, fault.kind)
        if self._started:
            self._make_so(host)

    def _make_so(self, host: HostPlan, *, restarted: bool = False) -> None:
        with self._lock:
            faults = self._book.faults(host.name)
            self._wire.apply(host.name, [nic.port for nic in host.nics], wire_faults(faults))
            if host.driver is DriverKind.UML:
                self._make_uml_so(host, faults, restarted=restarted)
            else:
                self._make_libvirt_so(host, faults)

    def _make_uml_so(self, host: HostPlan, faults: tuple[Fault, ...], *, restarted: bool) -> None:
        home = self._home(host)
        if home.path.is_dir():
            write_faults(home.faults, shim_faults(faults))
        self._processors.allow(host.name, home.process, allowance(faults), restarted=restarted)

    def _make_libvirt_so(self, host: HostPlan, faults: tuple[Fault, ...]) -> None:
        limit = accesses_per_second(faults)
        if limit or host.name in self._limited_domains:
            virsh = self._virsh(host)
            Domain(virsh, domain_name(self._plan.namespace, host.name)).limit_disks(limit)
            self._limited_domains.add(host.name)
            if not limit:
                self._limited_domains.discard(host.name)

    def _home(self, host: HostPlan) -> Home:
        return Home(self._machines / host.name)


def wire_faults(faults: tuple[Fault, ...]) -> WireFaults:
    """Return what is to be wrong with a host's cards when these faults are set on it."""
    by_kind = {fault.kind: fault for fault in faults}
    dhcp = by_kind.get(FaultKind.NO_DHCP)
    lossy = by_kind.get(FaultKind.NIC_LOSSY)
    slow = by_kind.get(FaultKind.NIC_SLOW)
    return WireFaults(
        dhcp_lost=dhcp is not None and dhcp.striking,
        lost_percent=(lossy.amount or 0) if lossy else 0,
        seed=lossy.seed if lossy else 0,
        megabits=slow.amount if slow else None,
    )


def allowance(faults: tuple[Fault, ...]) -> Allowance:
    """Return what a host gets of its processor when these faults are set on it."""
    by_kind = {fault.kind: fault for fault in faults}
    starved = by_kind.get(FaultKind.CPU_STARVED)
    slow = by_kind.get(FaultKind.BOOT_SLOW)
    times = slow.amount if slow and slow.striking and slow.amount else 1
    return Allowance(
        share=(starved.amount or 0) / 100 if starved else 1,
        boot_share=1 / times,
        boot_seconds=BOOT_SECONDS * times if times > 1 else 0,
    )
