"""The config server, as a node speaks to it: a fresh config, and reports of how joining goes."""

from __future__ import annotations

import logging
import ssl
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

import httpx2

from ingot.configserver import ignition, joinfile
from ingot.configserver.joinfile import JoinFacts, Source
from ingot.configserver.report import Report
from ingot.errors import IngotError

__all__ = ["NoFreshConfig", "Reporter", "client_of", "fresh_facts"]

log = logging.getLogger(__name__)

TOKEN_HEADER: Final = "X-Ingot-Token"  # noqa: S105 - a header's name
FETCH_SECONDS: Final = 30.0
REPORT_SECONDS: Final = 10.0


class NoFreshConfig(IngotError):  # noqa: N818 - it says what was seen
    """The config server gave no fresh config."""

    def __init__(self, what: str) -> None:
        super().__init__(
            what, remedy="see the config server's log: `crictl logs`, or on the bootstrap machine"
        )


def fresh_facts(source: Source | None) -> JoinFacts:
    """Return what the config server says of this node now, with a fresh token.

    Raises:
        NoFreshConfig: it cannot be asked, or does not say.
    """
    if source is None:
        raise NoFreshConfig(
            f"{joinfile.PATH} does not say where a fresh token could be had: it lacks configUrl, "
            "configToken and configCa"
        )
    try:
        with client_of(source, FETCH_SECONDS) as client:
            answer = client.get(source.url)
    except (httpx2.HTTPError, OSError) as error:
        raise NoFreshConfig(f"{source.url} does not answer: {error}") from error
    if answer.status_code != httpx2.codes.OK:
        raise NoFreshConfig(f"{source.url} answers {answer.status_code}, and gives no config")
    text = ignition.file_in(ignition.parse(answer.text, source=source.url), joinfile.PATH)
    if text is None:
        raise NoFreshConfig(f"{source.url} gives a config without {joinfile.PATH}")
    return JoinFacts.parse(text, source=source.url)


def client_of(source: Source, seconds: float) -> httpx2.Client:
    """Return a client that the config server knows, and that knows it."""
    context = ssl.create_default_context(cadata=source.authority)
    return httpx2.Client(
        verify=context,
        timeout=seconds,
        headers={TOKEN_HEADER: source.token},
        trust_env=False,
    )


@dataclass(slots=True)
class Reporter:
    """Tells the config server how joining goes, in its own time: nobody waits for it.

    Attributes:
        source: where, and as whom; None: nobody is told.
    """

    source: Source | None
    _post: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="report")
    )
    _last: Report | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._post.shutdown(wait=kind is None, cancel_futures=kind is not None)

    def report(self, phase: str, message: str, *, failed: bool = False) -> None:
        """Tell something, once."""
        told = Report(phase, message, failed)
        if self.source is not None and told != self._last:
            self._last = told
            self._post.submit(_sent, self.source, told)


def _sent(source: Source, report: Report) -> None:
    parts = urlsplit(source.url)
    try:
        with client_of(source, REPORT_SECONDS) as client:
            answer = client.post(f"{parts.scheme}://{parts.netloc}/report", content=report.text())
    except (httpx2.HTTPError, OSError) as error:
        log.debug("the config server was not told: %s", error)
        return
    if not answer.is_success:
        log.debug("the config server does not take a report: %d", answer.status_code)
