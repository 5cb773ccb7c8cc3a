"""The few words of HTTP that are spoken here: a request's head and content, and an answer.

A request is small and alone on its connection, as on the other servers of Ingot: a framework would
cost more memory than all the nodes' configs.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from http import HTTPStatus
from typing import Final

__all__ = ["Answer", "Refused", "Request", "read_request", "refusal"]

HEAD_BYTES: Final = 8 * 1024
BODY_BYTES: Final = 8 * 1024
"""A report is a few hundred bytes; nothing else is sent to us."""

JSON: Final = "application/json"


class Refused(Exception):  # noqa: N818 - an answer, not a mistake of ours
    """A request that gets no more than its reason.

    Attributes:
        status: by which number.
        why: said to who asked, so it tells nothing that they should not know.
        after: seconds after which it makes sense to ask again; 0 if never.
    """

    def __init__(self, status: HTTPStatus, why: str, *, after: int = 0) -> None:
        super().__init__(why)
        self.status = status
        self.why = why
        self.after = after


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was asked.

    Attributes:
        headers: by their names in small letters.
        peer: the address of who asks.
    """

    method: str
    path: str
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False, default=b"")
    peer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is answered."""

    status: HTTPStatus = HTTPStatus.OK
    content: bytes = field(repr=False, default=b"")
    media_type: str = JSON
    headers: Mapping[str, str] = field(default_factory=dict)

    def wire(self, *, head_only: bool = False) -> bytes:
        """Return it as it is sent; what is only asked about is not."""
        lines = [
            f"HTTP/1.1 {self.status.value} {self.status.phrase}",
            f"Date: {formatdate(usegmt=True)}",  # Nodes compare their clocks with it.
            f"Content-Type: {self.media_type}",
            *([] if head_only else [f"Content-Length: {len(self.content)}"]),
            "Cache-Control: no-store",
            *(f"{name}: {value}" for name, value in self.headers.items()),
            "Connection: close",
        ]
        head = "\r\n".join([*lines, "", ""]).encode()
        return head if head_only else head + self.content


def refusal(refused: Refused) -> Answer:
    """Return the answer that a refusal is."""
    headers = {"Retry-After": str(refused.after)} if refused.after else {}
    if refused.status is HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = "GET, HEAD, POST"
    return Answer(
        status=refused.status,
        content=json.dumps({"error": refused.why}).encode() + b"\n",
        headers=headers,
    )


async def read_request(reader: asyncio.StreamReader, peer: str) -> Request:
    """Return a request, once all of it is there.

    Raises:
        Refused: it is none, or too large.
        asyncio.IncompleteReadError: it breaks off.
    """
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.LimitOverrunError, ValueError):
        raise Refused(
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "the request's head is too long"
        ) from None
    first, *lines = head.decode("latin-1").split("\r\n")
    match first.split():
        case [method, target, _]:
            pass
        case _:
            raise Refused(HTTPStatus.BAD_REQUEST, "this is no HTTP request")
    headers = {
        name.strip().lower(): value.strip()
        for name, colon, value in (line.partition(":") for line in lines)
        if colon
    }
    content = await reader.readexactly(_length(method, headers))
    return Request(
        method=method,
        path=target.partition("?")[0],
        headers=headers,
        content=content,
        peer=peer,
    )


def _length(method: str, headers: Mapping[str, str]) -> int:
    if "transfer-encoding" in headers:
        raise Refused(HTTPStatus.LENGTH_REQUIRED, "send the content's length")
    said = headers.get("content-length", "" if method == "POST" else "0")
    if not (said.isascii() and said.isdigit()):
        raise Refused(HTTPStatus.LENGTH_REQUIRED, "send the content's length")
    if len(said) > len(str(BODY_BYTES)) or int(said) > BODY_BYTES:
        raise Refused(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"the content may have {BODY_BYTES} bytes"
        )
    return int(said)
