"""What the API server refuses, by its kind: a caller handles a class, never a number or a text.

The server explains itself in a `Status` object. Where something else answers (a proxy, a balancer
without a backend), the number of the answer has to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from ingot.errors import ExitCode, IngotError

__all__ = [
    "AlreadyExists",
    "ApiError",
    "Cause",
    "Conflict",
    "Forbidden",
    "Gone",
    "Invalid",
    "NotFound",
    "Overdue",
    "Unauthorized",
    "Unavailable",
    "error_of",
    "status_error",
    "unreadable",
]

SHOWN_BYTES = 200
"""How much of an answer that is no Status an error shows."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason why an object was refused.

    Attributes:
        field: where, such as `spec.bmc.address`.
        message: what is wrong there.
        reason: the server's word for it, such as `FieldValueInvalid`.
    """

    field: str
    message: str
    reason: str


class ApiError(IngotError):
    """The API server did not do what was asked.

    Attributes:
        call: what was asked: method and path.
        code: the number of the answer; 0 where none came.
        reason: the server's word for it, such as `NotFound`.
        message: the server's sentence.
    """

    exit_code = ExitCode.INFRASTRUCTURE
    remedy_of_class = "see the message of the API server"

    def __init__(self, call: str, *, code: int, reason: str, message: str) -> None:
        super().__init__(f"{call}: {message or reason or code}", remedy=self.remedy_of_class)
        self.call = call
        self.code = code
        self.reason = reason
        self.message = message


class NotFound(ApiError):  # noqa: N818 - named as the API names it, as are all below
    """The object, or its whole kind, is not there."""

    remedy_of_class = "check the name and the namespace, and that its kind is installed"


class AlreadyExists(ApiError):  # noqa: N818
    """An object of that name is there."""

    remedy_of_class = "change the object that is there, or take another name"


class Conflict(ApiError):  # noqa: N818
    """The object is no longer the one that was read, or another owner holds the field."""

    remedy_of_class = "read it again, and decide again"


class Invalid(ApiError):  # noqa: N818
    """The object breaks its schema or a rule.

    Attributes:
        causes: every reason that the server gave.
    """

    remedy_of_class = "correct the fields that the message names"
    causes: tuple[Cause, ...] = ()


class Forbidden(ApiError):  # noqa: N818
    """We are known, and may not do this."""

    remedy_of_class = "grant the right by a Role and its binding"


class Unauthorized(ApiError):  # noqa: N818
    """We are not known."""

    remedy_of_class = "check the credentials: expired, or of another cluster"


class Gone(ApiError):  # noqa: N818
    """The version to go on from is forgotten: list again."""

    remedy_of_class = "list again, and watch from there"


class Unavailable(ApiError):  # noqa: N818
    """No answer, or none now. Whether a write was done is not known.

    Attributes:
        retry_after: seconds that the server asks to wait; None if it did not say.
    """

    remedy_of_class = "try again later; if it lasts, see whether the API server runs"
    retry_after: float | None = None


class Overdue(Unavailable):
    """The deadline of a request has passed."""


class _StatusCause(msgspec.Struct, frozen=True):
    field: str = ""
    message: str = ""
    reason: str = ""


class _Details(msgspec.Struct, frozen=True, rename="camel"):
    causes: tuple[_StatusCause, ...] = ()
    retry_after_seconds: float = 0


class _Status(msgspec.Struct, frozen=True):
    code: int = 0
    reason: str = ""
    message: str = ""
    details: _Details | None = None


_BY_REASON: Mapping[str, type[ApiError]] = {
    "AlreadyExists": AlreadyExists,
    "Conflict": Conflict,
    "Expired": Gone,
    "Forbidden": Forbidden,
    "Gone": Gone,
    "InternalError": Unavailable,
    "Invalid": Invalid,
    "NotFound": NotFound,
    "ServerTimeout": Unavailable,
    "ServiceUnavailable": Unavailable,
    "Timeout": Unavailable,
    "TooManyRequests": Unavailable,
    "Unauthorized": Unauthorized,
}

_BY_CODE: Mapping[int, type[ApiError]] = {
    400: Invalid,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    408: Unavailable,
    409: Conflict,
    410: Gone,
    413: Invalid,
    415: Invalid,
    422: Invalid,
    429: Unavailable,
}

_SERVER_SIDE = 500


def error_of(call: str, code: int, headers: Mapping[str, str], content: bytes) -> ApiError:
    """Return the error that an answer stands for."""
    try:
        status = msgspec.json.decode(content, type=_Status)
    except (msgspec.DecodeError, msgspec.ValidationError):
        shown = content[:SHOWN_BYTES].decode(errors="replace").strip()
        status = _Status(code=code, message=f"{code} {shown}")
    return _made(call, code, status, _seconds(headers.get("Retry-After", "")))


def status_error(call: str, content: bytes) -> ApiError:
    """Return the error of a Status that came inside of a watch."""
    status = msgspec.json.decode(content, type=_Status)
    return _made(call, status.code, status, None)


def unreadable(call: str, odd: Exception) -> Unavailable:
    """Return the error of an answer that is none of the API's, though it says that all is well."""
    return Unavailable(
        call, code=0, reason="Unreadable", message=f"the answer is no object of the API: {odd}"
    )


def _made(call: str, code: int, status: _Status, retry_after: float | None) -> ApiError:
    fallback = Unavailable if code >= _SERVER_SIDE else ApiError
    kind = _BY_REASON.get(status.reason) or _BY_CODE.get(code, fallback)
    error = kind(call, code=code, reason=status.reason, message=status.message)
    details = status.details or _Details()
    if isinstance(error, Invalid):
        error.causes = tuple(Cause(one.field, one.message, one.reason) for one in details.causes)
    if isinstance(error, Unavailable):
        error.retry_after = retry_after or details.retry_after_seconds or None
    return error


def _seconds(text: str) -> float | None:
    return float(text) if text.isdecimal() else None
