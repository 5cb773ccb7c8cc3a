"""The BMC of one host: what it does with each packet that comes in.

A frozen one (fault `ipmi-frozen`) is one whose IPMI has stopped answering anyone, as happens to
real ones after many commands; their Redfish goes on. No packet can wake it, so a reset by IPMI does
not help either. It wakes when the fault is cleared, or when the BMC is reset from elsewhere: by
`IpmiBmc.reset`, which is also what a start of the lab's daemon amounts to.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from ingot.lab.bmc.ipmi.commands import Commands
from ingot.lab.bmc.ipmi.opening import OpenRequest, Status
from ingot.lab.bmc.ipmi.presession import IPMI_HEADER, answer_ping, answer_presession, wire_guid
from ingot.lab.bmc.ipmi.request import Privilege, Reply, Request
from ingot.lab.bmc.ipmi.session import ServedSession
from ingot.lab.bmc.lockout import Lockout
from ingot.lab.chassis import Chassis
from ingot.lab.faults.book import FaultBook
from ingot.lab.faults.kind import FaultKind

__all__ = ["IpmiBmc"]

Peer = tuple[str, int]
"""The address and port of a client."""

IDLE_SECONDS: Final = 60.0
"""After that long in silence a session is closed (§6.12.15)."""

LOG_IN_SECONDS: Final = 20.0
"""After that long in silence a log-in is forgotten; clients repeat themselves for some seconds."""

DOUBT_SECONDS: Final = 1.0
"""After that long in silence a log-in counts as wrong. ipmitool learns from our proof that its
password is wrong, and goes without a word. One that is only late is forgiven when it succeeds."""

MOST_SESSIONS: Final = 32

_VERSION_20: Final = 6
_HEADER_20: Final = 16
_OPEN: Final = 0x10
_RAKP1: Final = 0x12
_RAKP3: Final = 0x14
_MESSAGE: Final = 0x00
_NOBODY: Final = bytes(4)


class IpmiBmc:
    """One BMC; used by one thread, but for `reset`.

    Attributes:
        guid: what it calls itself during a log-in.
    """

    def __init__(
        self,
        chassis: Chassis,
        *,
        faults: FaultBook,
        lockout: Lockout,
        send: Callable[[bytes, Peer], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.guid = wire_guid(chassis.plan.uuid)
        self._host = chassis.plan.name
        self._bmc = chassis.plan.bmc
        self._faults = faults
        self._lockout = lockout
        self._send = send
        self._clock = clock
        self._commands = Commands(chassis, reset=self._ask_for_reset)
        self._sessions: dict[bytes, ServedSession] = {}
        self._is_frozen = False
        self._is_to_reset = False

    @property
    def sessions(self) -> int:
        """How many sessions there are, log-ins included."""
        return len(self._sessions)

    def reset(self) -> None:
        """Start the BMC over: it wakes, and everyone is logged out."""
        self._is_frozen = False
        self._is_to_reset = True

    def receive(self, packet: bytes, peer: Peer) -> None:
        """Take a packet, and send what there is to say to it."""
        if self._is_lost():
            return
        if self._is_to_reset:
            self._start_over()
        self._look_at_the_silent()
        if self._belongs_to_session(packet):
            self._receive_20(packet, peer)
        else:
            answer = answer_ping(packet) or answer_presession(packet, guid=self.guid)
            if answer:
                self._send(answer, peer)
        if self._is_to_reset:
            self._start_over()

    # ------------------------------------------------------------------ faults

    def _is_lost(self) -> bool:
        if self._faults.strikes(self._host, FaultKind.IPMI_LOSS):
            return True
        if self._is_frozen:
            fault = self._faults.present(self._host, FaultKind.IPMI_FROZEN)
            self._is_frozen = fault is not None and fault.struck > 0
        if not self._is_frozen and self._faults.strikes(self._host, FaultKind.IPMI_FROZEN):
            self._is_frozen = True
        return self._is_frozen

    def _ask_for_reset(self) -> None:
        self._is_to_reset = True

    def _start_over(self) -> None:
        self._is_to_reset = False
        self._sessions.clear()
        self._lockout.forget()

    # ------------------------------------------------------------------ sessions

    @staticmethod
    def _belongs_to_session(packet: bytes) -> bool:
        return (
            len(packet) >= _HEADER_20
            and packet.startswith(IPMI_HEADER)
            and packet[4] == _VERSION_20
            and (packet[5] & 0x3F != _MESSAGE or packet[6:10] != _NOBODY)
        )

    def _receive_20(self, packet: bytes, peer: Peer) -> None:
        kind = packet[5] & 0x3F
        payload = packet[_HEADER_20:][: int.from_bytes(packet[14:16], "little")]
        if kind == _OPEN:
            self._open(payload, peer)
            return
        session = self._sessions.get(packet[6:10] if kind == _MESSAGE else payload[4:8])
        if session is None or session.peer != peer:
            return
        session.heard = self._clock()
        if kind == _RAKP1:
            session.receive_rakp1(payload)
        elif kind == _RAKP3:
            session.receive_rakp3(payload)
        elif kind == _MESSAGE:
            session.receive_protected(packet)
        if session.is_closed:
            self._sessions.pop(session.number, None)

    def _open(self, payload: bytes, peer: Peer) -> None:
        request = OpenRequest.parse(payload)
        if request is None:
            return
        if request.suite is None:
            self._send(request.refused(Status.NO_MATCHING_CIPHERS), peer)
        elif len(self._sessions) >= MOST_SESSIONS:
            self._send(request.refused(Status.NO_RESOURCES), peer)
        else:
            session = ServedSession(
                self,
                request,
                request.suite,
                peer=peer,
                send=lambda packet: self._send(packet, peer),
            )
            session.heard = self._clock()
            self._sessions[session.number] = session

    def _look_at_the_silent(self) -> None:
        now = self._clock()
        for number, session in list(self._sessions.items()):
            silence = now - session.heard
            if silence > (IDLE_SECONDS if session.is_active else LOG_IN_SECONDS):
                del self._sessions[number]
            if silence > DOUBT_SECONDS:
                session.doubt()

    # ------------------------------------------------------------------ the account

    def password(self, username: str) -> str | None:
        """Return a user's password; None for one who cannot log in."""
        if username != self._bmc.username or self._lockout.is_locked(username):
            return None
        return self._bmc.password

    def failed(self, username: str) -> None:
        """Count a wrong log-in."""
        self._lockout.failed(username)

    def succeeded(self, username: str) -> None:
        """Count a right one."""
        self._lockout.succeeded(username)

    def execute(self, request: Request, *, privilege: Privilege) -> Reply:
        """Do what is asked."""
        return self._commands.execute(request, privilege=privilege)
