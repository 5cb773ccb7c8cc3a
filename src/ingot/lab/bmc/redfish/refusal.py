"""How a BMC says no: a status and the error document that Redfish prescribes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http import HTTPStatus

__all__ = ["Refused", "error_document", "error_text"]

REGISTRY = "Base.1.18"
"""The message registry of the standard that the message ids below are from."""


class Refused(Exception):  # noqa: N818 - it says what happened
    """A request that is answered with an error.

    Attributes:
        status: what HTTP says.
        message: what is said to a person.
        message_id: the name of the message in the standard's registry.
        headers: what goes with it.
    """

    def __init__(
        self,
        status: HTTPStatus,
        message: str,
        *,
        message_id: str = "GeneralError",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.message_id = message_id
        self.headers = dict(headers or {})


def error_document(message: str, *, message_id: str = "GeneralError") -> dict[str, object]:
    """Return the document; a client shows the most severe message in it."""
    name = f"{REGISTRY}.{message_id}"
    info = {
        "@odata.type": "#Message.v1_1_1.Message",
        "MessageId": name,
        "Message": message,
        "MessageArgs": [],
        "Severity": "Critical",
        "Resolution": "None",
    }
    return {"error": {"code": name, "message": message, "@Message.ExtendedInfo": [info]}}


def error_text(message: str, *, message_id: str = "GeneralError") -> bytes:
    """Return the same as it goes over the wire."""
    return json.dumps(error_document(message, message_id=message_id)).encode()
