"""One client's session: its log-in, and what is said under its protection.

pyghmi packs and unpacks, encrypts and verifies. The log-in (RAKP, §13.20-13.23) is here: pyghmi's
own keeps silent where a real BMC says no, so that a client with a wrong password would wait for
nothing; it knows no cipher suite but 3, and no privileges.

pyghmi also brings a loop for sockets, in a thread that never ends and with tables from which no
session is ever removed. None of that is used: packets are handed in, and answers handed out.
"""

from __future__ import annotations

import hmac
import os
import threading
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final, Protocol, Self

from pyghmi.ipmi.private.constants import payload_types
from pyghmi.ipmi.private.serversession import ServerSession
from pyghmi.ipmi.private.session import Session

from ingot.lab.bmc.ipmi.opening import OpenRequest, Status, Suite
from ingot.lab.bmc.ipmi.request import Completion, Function, Privilege, Reply, Request

__all__ = ["Account", "ServedSession"]

_SET_PRIVILEGE: Final = 0x3B
_CLOSE: Final = 0x3C
_PASSWORD_LENGTH: Final = 20
_RAKP1_LENGTH: Final = 28
_RAKP3_LENGTH: Final = 8

_REGISTERING = threading.Lock()
"""pyghmi enters each new session in a table of the whole process, from where it is taken again."""


class Account(Protocol):
    """Who may log in, and what is done for them."""

    guid: bytes

    def password(self, username: str) -> str | None:
        """Return a user's password; None for one who cannot log in."""

    def failed(self, username: str) -> None:
        """Count a wrong log-in."""

    def succeeded(self, username: str) -> None:
        """Count a right one."""

    def execute(self, request: Request, *, privilege: Privilege) -> Reply:
        """Do what is asked."""


class ServedSession(ServerSession):  # type: ignore[misc] # pyghmi has no types
    """A session, from the request to open it until it is closed.

    Attributes:
        number: what we call it, in four bytes that are not all zero.
        is_active: whether its log-in is over.
        is_closed: whether it can be forgotten.
        heard: when its client was last heard; for whoever keeps it.
    """

    def __new__(cls, *_args: object, **_options: object) -> Self:
        """Make a session for each call, which is not what pyghmi does for clients."""
        return object.__new__(cls)

    def __init__(
        self,
        account: Account,
        request: OpenRequest,
        suite: Suite,
        *,
        peer: tuple[str, int],
        send: Callable[[bytes], None],
    ) -> None:
        self.number = os.urandom(3) + b"\1"
        self.is_active = False
        self.is_closed = False
        self.heard = 0.0
        self.peer = peer
        self._account = account
        self._request = request
        self._suite = suite
        self._deliver = send
        self._random = os.urandom(16)
        self._privilege = Privilege.USER
        self._limit = Privilege.ADMINISTRATOR
        self._awaits_proof = False
        self._welcome = b""
        self._last: tuple[object, Reply] | None = None
        with _REGISTERING:
            super().__init__({}, None, peer, None, b"", None, SimpleNamespace(port=0))
            Session.bmc_handlers.pop(peer, None)

    # ------------------------------------------------------------------ what pyghmi asks of us

    def create_open_session_response(self, _request: object) -> bytes:
        """Return the answer to the request that this session was made for."""
        self.currhashlib, self.currhashlen = self._suite.digest, self._suite.kept
        return self._request.accepted(
            self._suite, session=self.number, privilege=Privilege.ADMINISTRATOR
        )

    def _xmit_packet(self, *_args: object, **_options: object) -> None:
        if self.sequencenumber:
            self.sequencenumber += 1
        self._deliver(bytes(self.netpacket))

    # ------------------------------------------------------------------ the log-in

    def receive_rakp1(self, data: bytes) -> None:
        """Take the name of a user, and prove that we know the password."""
        if self.is_active or len(data) < _RAKP1_LENGTH:
            return
        tag, self._role = data[0], data[24]
        self._theirs = data[8:24]
        self._name = data[28 : 28 + data[27]]
        username = self._name.decode(errors="replace")
        password = self._account.password(username)
        limit = self._role & 0x0F
        if password is None:
            self._account.failed(username)
            self._refuse("rakp2", tag, Status.UNKNOWN_NAME)
        elif limit > Privilege.ADMINISTRATOR:
            self._refuse("rakp2", tag, Status.INVALID_ROLE)
        else:
            self._limit = Privilege(limit or Privilege.ADMINISTRATOR)
            self._privilege = min(self._limit, Privilege.USER)
            self._key = password.encode()[:_PASSWORD_LENGTH]
            proof = self._sign(
                self._key,
                self._request.client_session + self.number + self._theirs + self._random,
                self._account.guid + self._who(),
            )
            self._say("rakp2", tag, Status.OK, self._random + self._account.guid + proof)
            self._awaits_proof = True

    def receive_rakp3(self, data: bytes) -> None:
        """Check that the client knows the password, and begin."""
        if self.is_active:
            self._deliver(self._welcome)  # It was lost on the way.
            return
        if len(data) < _RAKP3_LENGTH or not hasattr(self, "_key"):
            return
        expected = self._sign(self._key, self._random + self._request.client_session + self._who())
        if data[1] != Status.OK or not hmac.compare_digest(expected, data[8:]):
            self.doubt()
            self._refuse("rakp4", data[0], Status.INVALID_INTEGRITY)
            return
        self._awaits_proof = False
        self._account.succeeded(self._name.decode(errors="replace"))
        self.sik = self._sign(self._key, self._theirs + self._random + self._who())
        self.k1 = self._sign(self.sik, b"\1" * 20)
        self.k2 = self._sign(self.sik, b"\2" * 20)
        self.aeskey = self.k2[:16]
        proof = self._sign(self.sik, self._theirs + self.number + self._account.guid)
        self._say("rakp4", data[0], Status.OK, proof[: self._suite.kept])
        self._welcome = bytes(self.netpacket)
        self.localsid = int.from_bytes(self.number, "little")
        self.sessionid = int.from_bytes(self._request.client_session, "little")
        self.sequencenumber = 1
        self.confalgo, self.integrityalgo = "aes", "protected"
        self.ipmicallback = self._answer
        self.is_active = True

    def doubt(self) -> None:
        """Count a log-in as wrong, once, of which only the proof of the client is missing."""
        if self._awaits_proof:
            self._awaits_proof = False
            self._account.failed(self._name.decode(errors="replace"))

    def _who(self) -> bytes:
        return bytes([self._role, len(self._name)]) + self._name

    def _sign(self, key: bytes, *parts: bytes) -> bytes:
        return hmac.new(key, b"".join(parts), self._suite.digest).digest()

    def _say(self, step: str, tag: int, status: Status, content: bytes = b"") -> None:
        payload = bytes([tag, status, 0, 0]) + self._request.client_session + content
        self.send_payload(payload, payload_types[step], retry=False)

    def _refuse(self, step: str, tag: int, status: Status) -> None:
        self._say(step, tag, status)
        self.is_closed = True

    # ------------------------------------------------------------------ after it

    def receive_protected(self, packet: bytes) -> None:
        """Take a packet of a session that is active."""
        if self.is_active:
            self._handle_ipmi2_packet(bytearray(packet))

    def _answer(self, message: dict[str, Any]) -> None:
        request = Request(message["netfn"], message["command"], bytes(message["data"]))
        # A client that misses an answer asks again under the same number; nothing is done twice.
        asked = self.seqlun, request
        if self._last is None or self._last[0] != asked:
            self._last = asked, self._execute(request)
        reply = self._last[1]
        self.send_ipmi_response(data=reply.data, code=reply.code)

    def _execute(self, request: Request) -> Reply:
        if request.function == Function.APPLICATION and request.command == _SET_PRIVILEGE:
            return self._set_privilege(request.data)
        if request.function == Function.APPLICATION and request.command == _CLOSE:
            if request.data[:4] != self.number:
                return Reply(Completion.NO_SUCH_SESSION)
            self.is_closed = True
            return Reply()
        return self._account.execute(request, privilege=self._privilege)

    def _set_privilege(self, data: bytes) -> Reply:
        wanted = data[0] & 0x0F if data else 0
        if wanted > self._limit:
            return Reply(Completion.PRIVILEGE_EXCEEDS_LIMIT)
        if wanted:
            self._privilege = Privilege(wanted)
        return Reply(data=bytes([self._privilege]))
