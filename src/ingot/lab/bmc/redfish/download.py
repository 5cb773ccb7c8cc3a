"""Fetching an image, as a BMC does it: by itself, straight to where it is kept.

Nothing is between the server and the disk but one block, so an image may be larger than memory. The
file has its name only when it is whole.
"""

from __future__ import annotations

import errno
import http.client
import os
import shutil
import ssl
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from ingot.lab.bmc.redfish.refusal import Refused

__all__ = ["Download"]

BLOCK = 256 * 1024
TIMEOUT_SECONDS = 30
"""How long a server may be silent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """What to fetch, and how.

    Attributes:
        url: http or https.
        username: for a server that asks; none without one.
        verify: whether the server's certificate counts. BMCs do not look at it unless told to.
        trust: certificates to trust instead of the system's.
        breaks: whether to break off half way, as a fault.
        stopped: asked between blocks; the download ends when it returns true.
        progress: told the bytes that are there, and how many there will be if that is known.
    """

    url: str
    username: str = ""
    password: str = ""
    verify: bool = False
    trust: str | None = None
    breaks: bool = False
    stopped: Callable[[], bool] = lambda: False
    progress: Callable[[int, int | None], None] = lambda done, total: None  # noqa: ARG005

    def fetch(self, file: Path) -> None:
        """Have the image in a file.

        Raises:
            Refused: it cannot be had; nothing is left of it.
        """
        if urlsplit(self.url).scheme not in {"http", "https"}:
            raise Refused(
                HTTPStatus.BAD_REQUEST,
                "the image must be at an http or https address",
                message_id="ActionParameterValueFormatError",
            )
        part = file.with_name(file.name + ".part")
        try:
            with self._open() as answer, part.open("wb") as target:
                self._copy(answer, target.write, part.parent)
            part.replace(file)
        except urllib.error.HTTPError as e:
            e.close()
            # A wrong address is the client's mistake, and a broken server is not.
            ours = e.code >= HTTPStatus.INTERNAL_SERVER_ERROR
            status = HTTPStatus.BAD_GATEWAY if ours else HTTPStatus.BAD_REQUEST
            raise Refused(status, f"the server of the image answered {e.code}") from e
        except (ValueError, http.client.InvalidURL) as e:
            raise Refused(HTTPStatus.BAD_REQUEST, f"the image's address is wrong: {e}") from e
        except (OSError, http.client.HTTPException) as e:
            full = isinstance(e, OSError) and e.errno in {errno.ENOSPC, errno.EDQUOT}
            status = HTTPStatus.INSUFFICIENT_STORAGE if full else HTTPStatus.INTERNAL_SERVER_ERROR
            raise Refused(status, f"the image could not be fetched: {e}") from e
        finally:
            part.unlink(missing_ok=True)

    def _open(self) -> http.client.HTTPResponse:
        request = urllib.request.Request(self.url)  # noqa: S310 - checked by `fetch`
        if self.username:
            word = b64encode(f"{self.username}:{self.password}".encode()).decode()
            request.add_unredirected_header("Authorization", f"Basic {word}")
        # A BMC knows nothing of the proxies of the PC that plays it.
        opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=self._tls())
        )
        answer: http.client.HTTPResponse = opener.open(request, timeout=TIMEOUT_SECONDS)
        return answer

    def _tls(self) -> ssl.SSLContext:
        if self.verify:
            return ssl.create_default_context(cadata=self.trust)
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context

    def _copy(
        self, answer: http.client.HTTPResponse, write: Callable[[bytes], int], folder: Path
    ) -> None:
        total = answer.length
        if total is not None and total > shutil.disk_usage(folder).free:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        done = 0
        limit = (total or 0) // 2 if self.breaks else None
        while block := answer.read(BLOCK if limit is None else min(BLOCK, max(1, limit - done))):
            write(block)
            done += len(block)
            self.progress(done, total)
            if self.stopped():
                raise ConnectionAbortedError("the BMC was stopped")
            if limit is not None and done >= limit:
                raise ConnectionResetError(f"it broke off after {done} of {total or 'some'} bytes")
        # What closes early without a word looks like an end when the length is not checked.
        if total is not None and done != total:
            raise ConnectionResetError(f"it broke off after {done} of {total} bytes")
