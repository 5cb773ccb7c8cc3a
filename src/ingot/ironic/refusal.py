"""Every way in which a call of Ironic can fail, and whether trying again can help.

The client itself never tries again: only the caller knows whether the wish still stands, and a
reconciler has a queue with back-off already. So each error carries `retry_after`, in seconds; None
means that the same call will fail again until somebody changes something.

No error shows a request's body, headers or credentials, nor an answer's beyond Ironic's own
sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

from ingot.errors import ExitCode, IngotError

__all__ = [
    "AlreadyExistsError",
    "AnswerError",
    "Call",
    "DeadlineError",
    "FaultError",
    "IronicError",
    "NodeBusyError",
    "NotFoundError",
    "OverloadedError",
    "RefusedError",
    "UnauthorizedError",
    "UnreachableError",
    "UntrustedError",
    "VersionError",
]


@dataclass(frozen=True, slots=True)
class Call:
    """One request, as far as it may be shown.

    Attributes:
        method: GET, POST, PATCH, PUT or DELETE.
        path: what follows the address, with the query.
        request_id: Ironic's own name of the request, which its log has too.
    """

    method: str
    path: str
    request_id: str = ""

    @property
    def reads(self) -> bool:
        """Whether it changes nothing, however it ended."""
        return self.method == "GET"

    def __str__(self) -> str:
        known = f" ({self.request_id})" if self.request_id else ""
        return f"{self.method} {self.path}{known}"


class IronicError(IngotError):
    """A call of Ironic failed.

    Attributes:
        call: which one.
        reason: what Ironic, or the network, said.
        retry_after: in how many seconds to try again; None: not before something has changed.
    """

    exit_code = ExitCode.INFRASTRUCTURE
    seen = "failed"
    remedy_for_all = ""
    default_retry: float | None = None

    def __init__(self, call: Call, reason: str, *, retry_after: float | None = None) -> None:
        super().__init__(f"Ironic: {call} {self.seen}: {reason}", remedy=self.remedy_for_all)
        self.call = call
        self.reason = reason
        self.retry_after = self.default_retry if retry_after is None else retry_after

    @property
    def may_have_acted(self) -> bool:
        """Whether Ironic may have done what was asked all the same."""
        return False


class UnreachableError(IronicError):
    """No connection could be made, or it broke before an answer was there."""

    seen = "was not answered"
    remedy_for_all = "see whether Ironic runs and can be reached at its address"
    default_retry = 5.0

    def __init__(self, call: Call, reason: str, *, sent: bool) -> None:
        super().__init__(call, reason)
        self._sent = sent

    @property
    def may_have_acted(self) -> bool:
        """Whether the request was on its way already."""
        return self._sent and not self.call.reads


class UntrustedError(UnreachableError):
    """The other side could not show that it is Ironic, or wants to know who we are."""

    seen = "was not sent, since TLS failed"
    remedy_for_all = "see that the CA file is the one that issued Ironic's certificate"
    default_retry = 30.0


class DeadlineError(IronicError):
    """There was no answer in time."""

    seen = "was not answered in time"
    remedy_for_all = "look into Ironic's log for what it is busy with"
    default_retry = 5.0

    @property
    def may_have_acted(self) -> bool:
        """Ironic may still be at it."""
        return not self.call.reads


class OverloadedError(IronicError):
    """Ironic has no worker left, or too many of our own calls wait already."""

    seen = "has to wait"
    remedy_for_all = "try again later, or give Ironic more workers"
    default_retry = 10.0


class NodeBusyError(IronicError):
    """The node is locked, or in the middle of something: HTTP 409."""

    seen = "met a busy node"
    remedy_for_all = "try again once the operation that runs on it is over"
    default_retry = 3.0


class AlreadyExistsError(IronicError):
    """A name, UUID, MAC address or instance is taken: HTTP 409 too, but here waiting is no help."""

    seen = "would make a second one"
    remedy_for_all = "use or remove the one that exists"


class NotFoundError(IronicError):
    """There is no such node, port or document."""

    seen = "found nothing"
    remedy_for_all = "register the node again"


class UnauthorizedError(IronicError):
    """The credentials are wrong, missing or not enough."""

    seen = "was not allowed"
    remedy_for_all = "compare the user name and password with Ironic's htpasswd file"


class RefusedError(IronicError):
    """Ironic understands the request and will not do it: it is wrong, or not now."""

    seen = "was refused"
    remedy_for_all = "see what the message says of the node's state or of the value"


class VersionError(IronicError):
    """Ironic's API is not one that this client can use."""

    seen = "needs another API version"
    remedy_for_all = "update Ironic: its API has to offer version 1.89 or newer"
    default_retry = 60.0


class FaultError(IronicError):
    """Ironic failed inside: HTTP 500 and its like."""

    seen = "met a fault inside Ironic"
    remedy_for_all = "look for the request in Ironic's log"
    default_retry = 10.0

    @property
    def may_have_acted(self) -> bool:
        """It may have failed after the deed."""
        return not self.call.reads


class AnswerError(IronicError):
    """An answer came that is not Ironic's."""

    seen = "was answered with something else"
    remedy_for_all = "see whether the address is that of Ironic's API, and what is between"
    default_retry = 10.0

    @property
    def may_have_acted(self) -> bool:
        """The answer cannot be read, so nobody knows."""
        return not self.call.reads
