"""Files by HTTP and HTTPS.

A certificate is not checked: a boot ROM has neither a trusted clock nor this lab's authorities.
"""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Callable, Mapping
from typing import BinaryIO
from urllib.parse import SplitResult, urlencode, urljoin, urlsplit

__all__ = ["WebError", "receive"]

REDIRECTS = 5
CHUNK_BYTES = 1 << 18


class WebError(OSError):
    """A server refused, or broke off."""


def receive(
    url: str,
    target: BinaryIO,
    on_progress: Callable[[int, int | None], None],
    *,
    resolve: Callable[[str], str],
    patience: float,
    form: Mapping[str, str] | None = None,
) -> int:
    """Receive a file; return its size.

    Args:
        url: where it is.
        target: where it is written to.
        on_progress: told how much has come, of how much where the server says.
        resolve: gives the address of a name.
        patience: how long nothing may come.
        form: fields to send with the request.

    Raises:
        WebError: the server refused, or broke off.
        OSError: it cannot be reached.
    """
    for _ in range(REDIRECTS):
        parts = urlsplit(url)
        connection = _connection(parts, resolve(parts.hostname or ""), patience)
        try:
            answer = _ask(connection, parts, form)
            if answer.status in (301, 302, 303, 307, 308):
                url = urljoin(url, answer.getheader("Location") or "")
                continue
            if answer.status != http.client.OK:
                raise WebError(f"{answer.status} {answer.reason}")
            return _copy(answer, target, on_progress)
        except http.client.HTTPException as broken:
            raise WebError(f"broken answer: {broken!r}") from broken
        finally:
            connection.close()
    raise WebError(f"redirected more than {REDIRECTS} times")


def _connection(parts: SplitResult, address: str, patience: float) -> http.client.HTTPConnection:
    if parts.scheme == "https":
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return http.client.HTTPSConnection(address, parts.port, timeout=patience, context=context)
    return http.client.HTTPConnection(address, parts.port, timeout=patience)


def _ask(
    connection: http.client.HTTPConnection, parts: SplitResult, form: Mapping[str, str] | None
) -> http.client.HTTPResponse:
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = {"Host": parts.netloc.rpartition("@")[2], "User-Agent": "iPXE/1.21"}
    if form is None:
        connection.request("GET", path, headers=headers)
    else:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request("POST", path, body=urlencode(form), headers=headers)
    return connection.getresponse()


def _copy(
    answer: http.client.HTTPResponse,
    target: BinaryIO,
    on_progress: Callable[[int, int | None], None],
) -> int:
    announced = answer.getheader("Content-Length")
    total = int(announced) if announced and announced.isdecimal() else None
    size = 0
    while chunk := answer.read1(CHUNK_BYTES):
        target.write(chunk)
        size += len(chunk)
        on_progress(size, total)
    if total is not None and size != total:
        raise WebError(f"broke off after {size} of {total} bytes")
    return size
