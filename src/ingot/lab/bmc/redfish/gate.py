"""What every request passes before the emulator sees it: faults of the protocol, then credentials.

Without credentials only the service root can be read, and a session begun. Wrong ones are answered
401. Five wrong log-ins in a row lock the account for a minute; it is then answered 401 as well,
right or wrong, with a message that says for how long: to a client a locked account is one that
cannot log in, which is what real BMCs make of it.
"""

from __future__ import annotations

import binascii
import socket
from base64 import b64decode
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from ingot.lab.bmc.redfish.bmc import Bmc, speaking_for
from ingot.lab.bmc.redfish.holds import ClientLeft
from ingot.lab.bmc.redfish.refusal import Refused, error_text
from ingot.lab.faults.kind import KINDS, FaultKind

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

__all__ = ["CONNECTION", "SESSIONS", "Gate", "log_in"]

CONNECTION = "ingot.connection"
"""Where the server leaves the connection, in the environment of a request."""

SESSIONS = "/redfish/v1/SessionService/Sessions"

_OPEN: Final = {"/redfish", "/redfish/v1"}
_SESSION_REQUESTS: Final = {SESSIONS, f"{SESSIONS}/Members"}
_BROKEN: Final = {
    FaultKind.BMC_500: HTTPStatus.INTERNAL_SERVER_ERROR,
    FaultKind.BMC_502: HTTPStatus.BAD_GATEWAY,
    FaultKind.BMC_503: HTTPStatus.SERVICE_UNAVAILABLE,
    FaultKind.BMC_504: HTTPStatus.GATEWAY_TIMEOUT,
}


class Gate:
    """The way to the emulator for the requests of one BMC."""

    def __init__(self, bmc: Bmc, application: WSGIApplication) -> None:
        self._bmc = bmc
        self._application = application

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request.

        Raises:
            ClientLeft: there is nothing to answer, close the connection.
        """
        try:
            self._misbehave(environ)
            self._authenticate(environ)
        except Refused as e:
            body = error_text(e.message, message_id=e.message_id)
            headers = {
                "Content-Type": "application/json",
                "Content-Length": str(len(body)),
                **e.headers,
            }
            start_response(f"{e.status.value} {e.status.phrase}", list(headers.items()))
            return [body]
        with speaking_for(self._bmc):
            # Read to its end here: what is rendered late would not know whom it speaks for.
            answer = self._application(environ, start_response)
            try:
                return list(answer)
            finally:
                close: Callable[[], None] | None = getattr(answer, "close", None)
                if close is not None:
                    close()

    def _misbehave(self, environ: WSGIEnvironment) -> None:
        connection: socket.socket = environ[CONNECTION]
        bmc = self._bmc
        if bmc.struck(FaultKind.BMC_HANGS):
            bmc.holds.keep(connection, None, lambda: bmc.has(FaultKind.BMC_HANGS))
            # The request that hung stays without an answer; only the next one gets one.
            raise ClientLeft
        if slow := bmc.struck(FaultKind.BMC_SLOW):
            seconds = slow.amount if slow.amount is not None else KINDS[slow.kind].default
            bmc.holds.keep(connection, seconds, lambda: bmc.has(FaultKind.BMC_SLOW))
        for kind, status in _BROKEN.items():
            if bmc.struck(kind):
                raise Refused(status, f"the BMC cannot answer: {status.phrase}")

    def _authenticate(self, environ: WSGIEnvironment) -> None:
        path = environ["PATH_INFO"].rstrip("/")
        method = environ["REQUEST_METHOD"]
        if path in _OPEN and method in {"GET", "HEAD"}:
            return
        begins_session = path in _SESSION_REQUESTS and method == "POST"
        token = environ.get("HTTP_X_AUTH_TOKEN")
        basic = environ.get("HTTP_AUTHORIZATION")
        if (begins_session or token or basic) and self._bmc.struck(FaultKind.BMC_401):
            raise _unauthorized("the credentials are wrong")
        if begins_session:
            return
        if token:
            if self._bmc.sessions.use(token) is None:
                raise _unauthorized("there is no such session", message_id="NoValidSession")
        elif basic:
            log_in(self._bmc, *_basic(basic))
        else:
            raise _unauthorized("credentials are needed", message_id="NoValidSession")


def log_in(bmc: Bmc, user: str, password: str) -> None:
    """Return if these are the right credentials.

    Raises:
        Refused: they are not, or the account is locked.
    """
    if bmc.lockout.is_locked(user):
        seconds = round(bmc.lockout.remaining(user)) or 1
        raise _unauthorized(
            f"too many wrong log-ins in a row: the account is locked for {seconds} more seconds"
        )
    if not bmc.admits(user, password):
        bmc.lockout.failed(user)
        raise _unauthorized("the credentials are wrong")
    bmc.lockout.succeeded(user)


def _basic(header: str) -> tuple[str, str]:
    scheme, _, word = header.partition(" ")
    if scheme.lower() != "basic":
        raise _unauthorized("only basic authentication and sessions are known")
    try:
        user, _, password = b64decode(word.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError) as e:
        raise _unauthorized("the Authorization header cannot be read") from e
    return user, password


def _unauthorized(message: str, *, message_id: str = "ResourceAtUriUnauthorized") -> Refused:
    return Refused(
        HTTPStatus.UNAUTHORIZED,
        message,
        message_id=message_id,
        headers={"WWW-Authenticate": 'Basic realm="BMC"'},
    )
