"""What is answered to whom: every rule of the config server, without a socket.

Who has no good token learns nothing: not whether a host exists, nor which part was wrong. A good
token always counts, however often others at the same address were refused: behind a balancer all
come from one.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from ipaddress import IPv4Address, IPv6Address
from typing import Final

from ingot.configserver import ignition, joinfile
from ingot.configserver.ignition import File
from ingot.configserver.joinfile import JoinFacts, Source
from ingot.configserver.keeping import Keeper
from ingot.configserver.ledger import Ledger
from ingot.configserver.limits import Allowance, subject
from ingot.configserver.message import Answer, Refused, Request, refusal
from ingot.configserver.report import Report, ReportError
from ingot.configserver.role import Role
from ingot.configserver.roster import Host
from ingot.configserver.shelf import Shelf
from ingot.configserver.turns import Turns
from ingot.configserver.visits import CLOCK, WRONG_PATH, WRONG_TOKEN
from ingot.errors import IngotError
from ingot.kube.errors import ApiError

__all__ = ["HOST_HEADER", "TOKEN_HEADER", "Cluster", "Desk"]

log = logging.getLogger(__name__)

TOKEN_HEADER: Final = "x-ingot-token"  # noqa: S105 - a header's name
HOST_HEADER: Final = "x-ingot-host"
"""Who asks, by their own word. It opens nothing: by it a refusal is put down to a host."""

RETRY_SECONDS: Final = 5
_CONFIG: Final = "/config/"
_ANY: Final = "node"
"""The word for the config of whatever role the roster has for who asks."""
_REPORT: Final = "/report"
_TURN: Final = "/turn"
JOINED: Final = "joined"
"""The phase of a node's last report."""

_HEALTH: Final = "/healthz"
_FORBIDDEN: Final = "there is nothing here without the right token"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """What every node has to know of the cluster.

    Attributes:
        api_server: the address of its API, with the VIP.
        ca_certificate: its authority, as PEM.
        vips: all of it.
        config_url: where nodes reach us, without a path.
        config_ca: who signed our certificate, as PEM; "" if not known.
    """

    api_server: str
    ca_certificate: str
    vips: tuple[IPv4Address | IPv6Address, ...]
    config_url: str
    config_ca: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Answers requests.

    Attributes:
        cluster: what nodes are told.
        shelf: the files that are served from.
        keeper: what is written to the API.
        ledger: where it is noted who asked.
        clock: seconds that only grow.
        refusals: how often an address may be refused.
        grants: how often a host may have a config.
        reports: how often a host may report.
        turns: who joins the control plane now.
    """

    cluster: Cluster
    shelf: Shelf
    keeper: Keeper
    ledger: Ledger
    clock: Callable[[], float]
    refusals: Allowance = field(default_factory=lambda: Allowance(10, 6.0))
    grants: Allowance = field(default_factory=lambda: Allowance(10, 10.0))
    reports: Allowance = field(default_factory=lambda: Allowance(30, 2.0))
    turns: Turns = field(default_factory=Turns)

    async def answer(self, request: Request) -> Answer:
        """Return what is answered, and write down who asked; never with what."""
        if request.path == _HEALTH and request.method in {"GET", "HEAD"}:
            return Answer(content=b"ok\n", media_type="text/plain; charset=utf-8")
        host: Host | None = None
        try:
            host = self._bearer(request)
            return await self._for(host, request)
        except Refused as refused:
            return self._told(request, host, refused)
        except ApiError as error:
            log.warning("the API does not do what a host needs: %s", error)
            why = "the API of the cluster does not answer; ask again"
        except IngotError as error:
            log.error("%s; %s", error.what, error.remedy)  # noqa: TRY400 - it says all there is
            why = "this server has nothing to give yet; its log says why"
        away = Refused(HTTPStatus.SERVICE_UNAVAILABLE, why, after=RETRY_SECONDS)
        return self._told(request, host, away)

    def _bearer(self, request: Request) -> Host:
        """Return who asks; to all others everything looks the same."""
        roster = self.shelf.roster()
        host = roster.bearer(request.headers.get(TOKEN_HEADER, ""))
        if host is not None and _is_for(host, request.path):
            return host
        if host is not None:
            self.ledger.refused(host.name, request.peer, WRONG_PATH)
        elif roster.knows(named := request.headers.get(HOST_HEADER, "")):
            self.ledger.refused(named, request.peer, WRONG_TOKEN)
        wait = self.refusals.wait(subject(request.peer), now=self.clock())
        if wait:
            raise Refused(HTTPStatus.TOO_MANY_REQUESTS, "refused too often", after=wait)
        raise Refused(HTTPStatus.FORBIDDEN, _FORBIDDEN)

    async def _for(self, host: Host, request: Request) -> Answer:
        match request.method, request.path:
            case "POST", "/report":
                return await self._reported(host, request)
            case "POST", "/turn":
                return self._given_turn(host)
            case "GET", path if path.startswith(_CONFIG):
                return await self._granted(host, request)
            case "HEAD", path if path.startswith(_CONFIG):
                self.shelf.config(host.role)
                return Answer(media_type=ignition.MEDIA_TYPE)
            case _:
                raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, "GET a config, or POST a report")

    async def _granted(self, host: Host, request: Request) -> Answer:
        self._allow(self.grants, host)
        common = self.shelf.config(host.role)
        token = await self.keeper.grant(host.name)
        url = f"{self.cluster.config_url}{_CONFIG}{host.role.value}"
        facts = JoinFacts(
            name=host.name,
            role=host.role,
            api_server=self.cluster.api_server,
            token=token.spelled(),
            expires=token.expires,
            ca_certificate=self.cluster.ca_certificate,
            vips=self.cluster.vips,
            source=Source(url, request.headers[TOKEN_HEADER], self.cluster.config_ca)
            if self.cluster.config_ca
            else None,
        )
        files = [
            File("/etc/hostname", f"{host.name}\n"),
            File(joinfile.PATH, facts.text(), mode=0o600),
        ]
        log.info(
            "%s asked for %s: %s, granted until %s",
            request.peer,
            request.path,
            host.name,
            token.expires.isoformat(),
        )
        self.ledger.granted(host.name, request.peer)
        content = json.dumps(ignition.merged(common, files)).encode()
        return Answer(content=content, media_type=ignition.MEDIA_TYPE)

    def _given_turn(self, host: Host) -> Answer:
        if host.role is not Role.CONTROL_PLANE:
            return Answer(status=HTTPStatus.NO_CONTENT)
        holder = self.turns.asked(host.name, now=self.clock())
        if holder != host.name:
            raise Refused(HTTPStatus.CONFLICT, f"{holder} is joining", after=RETRY_SECONDS)
        return Answer(status=HTTPStatus.NO_CONTENT)

    async def _reported(self, host: Host, request: Request) -> Answer:
        try:
            report = Report.parse(request.content)
        except ReportError as error:
            raise Refused(HTTPStatus.BAD_REQUEST, error.what) from error
        if report.failed or report.phase == JOINED:
            self.turns.ended(host.name)
        self._allow(self.reports, host)
        level = logging.WARNING if report.failed else logging.INFO
        log.log(level, "%s reports %s: %s", host.name, report.phase, report.message)
        if report.phase == CLOCK:
            self.ledger.clock_told(host.name, report.message)
        await self.keeper.keep(host.name, report)
        return Answer(status=HTTPStatus.NO_CONTENT)

    def _allow(self, allowance: Allowance, host: Host) -> None:
        wait = allowance.wait(host.name, now=self.clock())
        if wait:
            raise Refused(HTTPStatus.TOO_MANY_REQUESTS, "asked too often", after=wait)

    def _told(self, request: Request, host: Host | None, refused: Refused) -> Answer:
        # Who is refused too often was written down that often; who waits its turn is no news.
        often = refused.status in {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.CONFLICT}
        log.log(
            logging.DEBUG if often else logging.WARNING,
            "%s asked for %s: %s, %d %s",
            request.peer,
            ascii(request.path[:100])[1:-1],
            host.name if host else _stranger(request),
            refused.status,
            refused.why,
        )
        return refusal(refused)


def _is_for(host: Host, path: str) -> bool:
    """Tell whether a path is one that a host may ask for: its role's, `node`, or its report's."""
    if path.startswith(_CONFIG):
        word = path.removeprefix(_CONFIG)
        return word == _ANY or Role.of(word) is host.role
    return path in {_REPORT, _TURN}


def _stranger(request: Request) -> str:
    """Return what to call somebody without a good token: with who they say to be."""
    named = request.headers.get(HOST_HEADER, "")
    return f"unknown, as {ascii(named[:100])[1:-1]}" if named else "unknown"
