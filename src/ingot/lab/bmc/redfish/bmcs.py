"""All Redfish BMCs of a lab, as its daemon holds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from ingot.lab.bmc.certificates import Authority
from ingot.lab.bmc.redfish.bmc import Bmc
from ingot.lab.bmc.redfish.emulator import emulator
from ingot.lab.bmc.redfish.exchange import Site
from ingot.lab.bmc.redfish.gate import Gate
from ingot.lab.bmc.redfish.listening import Door, Doorkeeper
from ingot.lab.bmc.redfish.refusing import Refusing
from ingot.lab.chassis import Chassis
from ingot.lab.faults.book import FaultBook

__all__ = ["PORT", "RedfishBmcs"]

PORT = 443


class RedfishBmcs:
    """One HTTPS server for each host, on its BMC's address, in this process.

    Args:
        home: the lab's folder: what BMCs keep goes to `bmc/`, what they fetch to `media/`.
        port: where to listen; 0 takes any that is free.
        restarted: told the name of a host whose BMC was started over by a client, so that its
            IPMI side starts over as well.
    """

    def __init__(
        self,
        chassis: Sequence[Chassis],
        *,
        faults: FaultBook,
        home: Path,
        authority: Authority,
        port: int = PORT,
        restarted: Callable[[str], None] = lambda _: None,
    ) -> None:
        (home / "bmc").mkdir(parents=True, exist_ok=True)
        self._faults = faults
        self._bmcs = {
            one.plan.name: Bmc(one, faults=faults, home=home, restarted=restarted)
            for one in chassis
        }
        application = emulator()
        self._doors = {
            name: Door(
                Site(name, Gate(bmc, application)),
                (bmc.plan.bmc.address, port),
                Refusing(faults, name),
                authority.credentials(f"{name}-bmc", bmc.plan.bmc.address),
            )
            for name, bmc in self._bmcs.items()
        }
        self._keeper = Doorkeeper(tuple(self._doors.values()))
        self._running = False

    def start(self) -> None:
        """Begin to answer; every BMC can be reached when this returns.

        Raises:
            CannotListen: one address cannot be listened on; none is then.
        """
        for bmc in self._bmcs.values():
            bmc.drive.tidy()
        self._keeper.start()
        self._running = True
        self._faults.watch(self._changed)

    def stop(self) -> None:
        """Answer no more: requests that hang are let go, downloads broken off."""
        if not self._running:
            return
        self._running = False
        for bmc in self._bmcs.values():
            bmc.drive.stop()
            bmc.holds.close()
        self._keeper.stop()

    def port(self, host: str) -> int:
        """Return where the BMC of a host listens."""
        return self._doors[host].port

    def _changed(self, host: str) -> None:
        # A book of faults has no way to stop watching it, so this may come after the end.
        if self._running and host in self._bmcs:
            self._bmcs[host].holds.ring()
            self._keeper.ring()
