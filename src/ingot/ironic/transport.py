"""One pool of connections to Ironic, through which every call goes.

* The API version is asked for once, before the first call that needs it, and named in every call.
* A call first waits for its turn (`lanes`), then has a deadline for the answer. The two are apart:
  behind a thousand others a call may wait for minutes without anything being wrong.
* Connections are closed after being idle for less time than Ironic keeps them, so that a request is
  not sent into one that the other side is just closing.
* Proxies of the environment are ignored: Ironic is next door, and its API moves power switches.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TypeVar
from urllib.parse import urlencode

import httpx2

from ingot.ironic.access import Access
from ingot.ironic.answer import error_of
from ingot.ironic.document import Json, decoded, table, text
from ingot.ironic.lanes import Lane, Speed
from ingot.ironic.refusal import (
    AnswerError,
    Call,
    DeadlineError,
    OverloadedError,
    UnreachableError,
    UntrustedError,
    VersionError,
)
from ingot.ironic.version import BASELINE, Microversion

__all__ = ["SITE", "Limits", "Transport"]

T = TypeVar("T")

SITE = ""
"""Stands for the host in calls that are about none."""

VERSION_HEADER = "X-OpenStack-Ironic-API-Version"

IDLE_SECONDS = 5.0
"""Ironic's web server closes an idle connection after 10."""

CONNECT_SECONDS = 5.0
"""It is in the same pod or network: a connection that takes longer will not come."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a call may take, in seconds.

    Attributes:
        deadline: from being sent to its answer.
        patience: from being asked for to being sent.
    """

    deadline: float = 30.0
    patience: float = 300.0


class Transport:
    """Calls of one Ironic."""

    def __init__(self, access: Access, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._lanes = {speed: Lane(speed.value) for speed in Speed}
        self._version: Microversion | None = None
        self._negotiating = asyncio.Lock()
        places = sum(speed.value for speed in Speed)
        user = access.credentials
        self._http = httpx2.AsyncClient(
            base_url=access.root,
            auth=httpx2.BasicAuth(user.username, user.password) if user else None,
            verify=access.tls.context() if access.root.startswith("https:") else False,
            headers={"Accept": "application/json"},
            timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
            limits=httpx2.Limits(
                max_connections=places,
                max_keepalive_connections=places,
                keepalive_expiry=IDLE_SECONDS,
            ),
            trust_env=False,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._http.aclose()

    async def version(self) -> Microversion:
        """Return the version that is spoken, asking for it the first time.

        Raises:
            VersionError: Ironic is too old, or too new.
            IronicError: it could not be asked.
        """
        async with self._negotiating:
            if self._version is None:
                self._version = await self._negotiated()
            return self._version

    async def call(  # noqa: PLR0913 - a request and how it is sent
        self,
        method: str,
        path: str,
        *,
        read: Callable[[Json], T],
        host: str = SITE,
        speed: Speed = Speed.QUICK,
        query: Mapping[str, str] | None = None,
        body: Json | object = None,
    ) -> T:
        """Make a call and return its answer, read.

        Args:
            method: GET, POST, PATCH, PUT or DELETE.
            path: below `/v1`, with its slash.
            read: what turns the answer into a value.
            host: whose turn it is; all calls about one node give its identifier.
            speed: what the call waits for inside of Ironic.
            query: what follows the path.
            body: what is sent as JSON, if anything.

        Raises:
            IronicError: by its class, how it failed; by its `retry_after`, what to do.
        """
        version = await self.version()
        call = Call(method, f"/v1{path}{'?' + urlencode(query) if query else ''}")
        try:
            async with self._lanes[speed].turn(host, patience=self._limits.patience):
                return read(await self._answer(call, version, body))
        except VersionError:
            self._version = None  # another Ironic answers at this address now: ask again
            raise
        except (KeyError, TypeError, AttributeError) as odd:
            raise AnswerError(call, f"{odd.__class__.__name__}: {odd}") from odd
        except TimeoutError:
            waited = self._limits.patience
            raise OverloadedError(
                call, f"{waited:g} seconds have passed behind other calls"
            ) from None

    async def _negotiated(self) -> Microversion:
        call = Call("GET", "/v1")
        answer = await self._answer(call, BASELINE, None)
        try:
            offered = table(answer, "version") if isinstance(answer, dict) else {}
            lowest = Microversion.read(text(offered, "min_version"))
            highest = Microversion.read(text(offered, "version"))
        except (KeyError, TypeError, ValueError) as odd:
            raise AnswerError(call, "it does not say which versions it offers") from odd
        best = Microversion.best(lowest=lowest, highest=highest)
        if best is None:
            raise VersionError(
                call, f"it offers {lowest} to {highest}, and {BASELINE} is the oldest of use here"
            )
        return best

    async def _answer(self, call: Call, version: Microversion, body: Json | object) -> Json:
        deadline = self._limits.deadline
        try:
            async with asyncio.timeout(deadline):
                response = await self._http.request(
                    call.method,
                    call.path,
                    json=body,
                    headers={VERSION_HEADER: str(version)},
                )
        except TimeoutError:
            raise DeadlineError(call, f"{deadline:g} seconds have passed") from None
        except (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout) as lost:
            raise _not_connected(call, lost) from None
        except httpx2.TransportError as lost:
            raise UnreachableError(call, _said(lost), sent=True) from None
        if not response.is_success:
            raise error_of(call, response.status_code, response.headers, response.content)
        try:
            return decoded(response.content)
        except ValueError as odd:
            raise AnswerError(call, "what came is no JSON") from odd


def _not_connected(call: Call, lost: httpx2.TransportError) -> UnreachableError:
    cause: BaseException | None = lost
    while cause is not None:
        if isinstance(cause, ssl.SSLError):
            return UntrustedError(call, _said(cause), sent=False)
        cause = cause.__cause__ or cause.__context__
    return UnreachableError(call, _said(lost), sent=False)


def _said(lost: BaseException) -> str:
    return str(lost) or lost.__class__.__name__
