"""A BMC on no network, with everything around it in memory."""

from __future__ import annotations

from dataclasses import dataclass, field

from ingot.lab.bmc.ipmi.bmc import IpmiBmc
from ingot.lab.bmc.lockout import Lockout
from ingot.lab.faults.book import Fault, FaultBook
from ingot.lab.faults.kind import FaultKind
from ingot.lab.hostchassis import HostChassis
from tests.unit.lab.bmc.ipmi.client import Client
from tests.unit.lab.memory import ManualAgenda, MemoryDriver, host_plan

HOST = "master-0"
PEER = ("192.0.2.1", 40000)
CHASSIS, APP, STORAGE = 0, 6, 10
OK, INVALID_COMMAND, WRONG_LENGTH, INVALID_FIELD = 0, 0xC1, 0xC7, 0xCC
PING = bytes([6, 0, 0xFF, 6, 0, 0, 0x11, 0xBE, 0x80, 7, 0, 0])


@dataclass
class Bench:
    """One BMC, and everything around it."""

    book: FaultBook
    agenda: ManualAgenda = field(default_factory=ManualAgenda)
    driver: MemoryDriver = field(default_factory=lambda: MemoryDriver(HOST))
    sent: list[tuple[bytes, tuple[str, int]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chassis = HostChassis(
            host_plan(HOST), driver=self.driver, faults=self.book, agenda=self.agenda
        )
        self.bmc = IpmiBmc(
            self.chassis,
            faults=self.book,
            lockout=Lockout(clock=self.agenda.now),
            send=lambda packet, peer: self.sent.append((packet, peer)),
            clock=self.agenda.now,
        )

    def exchange(self, packet: bytes, peer: tuple[str, int] = PEER) -> list[bytes]:
        self.sent.clear()
        self.bmc.receive(packet, peer)
        assert all(receiver == peer for _, receiver in self.sent)
        return [answer for answer, _ in self.sent]

    def client(self, **details: object) -> Client:
        return Client(self.exchange, **details)  # type: ignore[arg-type] # as given

    def admin(self) -> Client:
        client = self.client()
        client.log_in()
        assert client.ask(APP, 0x3B, b"\4") == (OK, b"\4")
        return client

    def fault(self, kind: FaultKind, **details: float) -> None:
        self.book.set(Fault(host=HOST, kind=kind, **details))  # type: ignore[arg-type] # as given
