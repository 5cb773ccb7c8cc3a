"""The BMCs of a lab on their addresses: a socket and a thread for each.

Each has a thread of its own, as they are computers of their own: one whose host is slow to answer,
say because its hypervisor is far away, does not hold up the others. A thread waits for packets and
for nothing else, so at rest it costs nothing but its stack.
"""

from __future__ import annotations

import logging
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import Final

from ingot.errors import ExitCode, IngotError
from ingot.lab.bmc.ipmi.bmc import IpmiBmc
from ingot.lab.bmc.lockout import Lockout
from ingot.lab.chassis import Chassis
from ingot.lab.faults.book import FaultBook

__all__ = ["AddressUnavailable", "IpmiBmcs"]

PORT: Final = 623

_LONGEST_PACKET: Final = 4096
_ENDING_SECONDS: Final = 10.0
_LOG = logging.getLogger(__name__)


class AddressUnavailable(IngotError):  # noqa: N818 - it says what was seen
    """A BMC cannot have the address it was given."""

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, host: str, address: str, port: int, error: OSError) -> None:
        super().__init__(
            f"the BMC of {host} cannot listen on {address}, UDP port {port}: {error.strerror}",
            remedy="see that the address is on a link of the lab, and that nothing else uses it",
        )


class IpmiBmcs:
    """All of them, between `start` and `stop`."""

    def __init__(
        self,
        chassis: Sequence[Chassis],
        *,
        faults: FaultBook,
        port: int = PORT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._chassis = tuple(chassis)
        self._faults = faults
        self._port = port
        self._clock = clock
        self._bmcs: dict[str, IpmiBmc] = {}
        self._threads: list[threading.Thread] = []
        self._held = ExitStack()
        self._wake = -1

    def start(self) -> None:
        """Listen on every address; they answer when this returns.

        Raises:
            AddressUnavailable: and then none of them listens.
        """
        with ExitStack() as held:
            self._wake = os.eventfd(0, os.EFD_CLOEXEC)
            held.callback(os.close, self._wake)
            sockets = [held.enter_context(self._listen(chassis)) for chassis in self._chassis]
            self._held = held.pop_all()
        for chassis, listening in zip(self._chassis, sockets, strict=True):
            name = chassis.plan.name
            bmc = IpmiBmc(
                chassis,
                faults=self._faults,
                lockout=Lockout(clock=self._clock),
                send=_sender(listening),
                clock=self._clock,
            )
            self._bmcs[name] = bmc
            thread = threading.Thread(
                target=self._serve, args=(bmc, listening), name=f"ipmi-{name}", daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Stop listening; nothing where it has not begun."""
        if self._threads:
            os.eventfd_write(self._wake, 1)
        for thread in self._threads:
            thread.join(_ENDING_SECONDS)
        self._threads.clear()
        self._bmcs.clear()
        self._held.close()

    def reset(self, host: str) -> None:
        """Start a host's BMC over, from elsewhere than IPMI; this wakes a frozen one."""
        self._bmcs[host].reset()

    def sessions(self, host: str) -> int:
        """Return how many sessions a host's BMC has, log-ins included."""
        return self._bmcs[host].sessions

    def _listen(self, chassis: Chassis) -> socket.socket:
        address = str(chassis.plan.bmc.address)
        listening = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            listening.bind((address, self._port))
        except OSError as error:
            listening.close()
            raise AddressUnavailable(chassis.plan.name, address, self._port, error) from error
        return listening

    def _serve(self, bmc: IpmiBmc, listening: socket.socket) -> None:
        waiting = select.poll()
        waiting.register(listening, select.POLLIN)
        waiting.register(self._wake, select.POLLIN)
        while self._wake not in {ready for ready, _ in waiting.poll()}:
            try:
                packet, peer = listening.recvfrom(_LONGEST_PACKET, socket.MSG_DONTWAIT)
            except OSError:
                continue  # An answer of ours found nobody, or a packet was damaged.
            try:
                bmc.receive(packet, peer)
            except Exception:  # noqa: BLE001 - no packet may end the service, whatever is in it
                _LOG.exception("a packet from %s was dropped", peer)


def _sender(listening: socket.socket) -> Callable[[bytes, tuple[str, int]], None]:
    def send(packet: bytes, peer: tuple[str, int]) -> None:
        with suppress(OSError):  # A client that cannot be reached asks again, or does not.
            listening.sendto(packet, peer)

    return send
