"""From an answer that is no success to the error it means. Pure, so that every case is tested.

Ironic says 409 for two things that call for opposite reactions: a node that is locked, which is
over soon, and a name or MAC address that is taken, which is not. Only its sentence tells them
apart; the words are those of Ironic's own exceptions, and a test creates each of them for real.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ingot.ironic.refusal import (
    AlreadyExistsError,
    AnswerError,
    Call,
    FaultError,
    IronicError,
    NodeBusyError,
    NotFoundError,
    OverloadedError,
    RefusedError,
    UnauthorizedError,
    VersionError,
)

__all__ = ["error_of", "sentence_of"]

REQUEST_ID = "openstack-request-id"
SHOWN = 2000
"""How much of a sentence is kept: Ironic may quote a whole request of ours, or a page of HTML."""

TAKEN = ("already exists", "already associated")

BY_STATUS: Mapping[int, type[IronicError]] = {
    401: UnauthorizedError,
    403: UnauthorizedError,
    404: NotFoundError,
    406: VersionError,
    429: OverloadedError,
    500: FaultError,
    501: RefusedError,
    503: OverloadedError,
}
"""What is neither here nor 409 is a refusal from 400 on, and a fault from 500 on."""


def error_of(call: Call, status: int, headers: Mapping[str, str], content: bytes) -> IronicError:
    """Return the error that an answer means."""
    known = replace(call, request_id=headers.get(REQUEST_ID, ""))
    sentence = sentence_of(content) or f"HTTP {status}"
    return _type_of(status, sentence)(known, sentence, retry_after=_seconds(headers))


def sentence_of(content: bytes) -> str:
    """Return what Ironic says in the body of an error, whichever of its layers has written it."""
    try:
        said: Any = json.loads(content)
        for _ in range(3):  # an error in an error message in JSON in a text
            said = _inner(said)
    except ValueError:
        said = None if content.lstrip().startswith(b"<") else content.decode(errors="replace")
    return said.strip()[:SHOWN] if isinstance(said, str) else ""


def _inner(said: Any) -> Any:  # noqa: ANN401 - JSON of any kind
    if isinstance(said, dict):
        for key in ("error_message", "error", "faultstring", "description", "message"):
            if said.get(key):
                return said[key]
        return None
    if isinstance(said, str) and said.startswith("{"):
        return _inner(json.loads(said))
    return said


def _type_of(status: int, sentence: str) -> type[IronicError]:
    if status == 409:  # noqa: PLR2004 - HTTP's Conflict
        taken = any(words in sentence for words in TAKEN)
        return AlreadyExistsError if taken else NodeBusyError
    if status < 400:  # noqa: PLR2004 - neither a success nor an error: a redirection
        return AnswerError
    return BY_STATUS.get(status, RefusedError if status < 500 else FaultError)  # noqa: PLR2004 - HTTP


def _seconds(headers: Mapping[str, str]) -> float | None:
    given = headers.get("retry-after", "")
    return float(given) if given.isdecimal() else None
