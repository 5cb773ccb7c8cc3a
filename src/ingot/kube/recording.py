"""Events: what happened to an object, for the person who looks at it.

Recording one never waits and never fails: it is put aside, and written when there is time. If the
API server is away for long the oldest are lost, and counted.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections import OrderedDict
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import uuid4

from ingot.kube.backoff import Backoff
from ingot.kube.client import KubeClient
from ingot.kube.digest import Digest, Happening, Note, Severity
from ingot.kube.errors import AlreadyExists, ApiError, NotFound, Unavailable
from ingot.kube.kind import Content, Kind, ObjectKey
from ingot.kube.metrics import Metrics
from ingot.kube.object import KubeObject

__all__ = ["EVENTS", "Recorder"]

log = logging.getLogger(__name__)

EVENTS: Final = Kind.untyped("", "v1", "Event", "events")

WAITING = 1000
"""Events that wait to be written."""

TRIES = 12
"""How often one is tried while the server is away."""

MESSAGE_CHARACTERS = 1024
"""What the API takes."""

FLUSH_SECONDS = 3.0


class Recorder:
    """Writes events in the name of one component."""

    def __init__(self, client: KubeClient, metrics: Metrics, *, component: str) -> None:
        self._client = client.apart(at_once=1)
        self._metrics = metrics
        self._component = component
        self._instance = f"{socket.gethostname()}-{os.getpid()}"
        self._run_id = uuid4().hex[:10]
        self._digest = Digest()
        self._waiting: OrderedDict[int, Note] = OrderedDict()
        self._written: OrderedDict[int, None] = OrderedDict()
        self._more = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._loop = asyncio.get_running_loop()

    def record(
        self,
        subject: KubeObject[Any],
        reason: str,
        message: str,
        *,
        severity: Severity = Severity.NORMAL,
    ) -> None:
        """Note that something happened to an object. Returns at once."""
        happening = Happening(
            subject.kind.api_version,
            subject.kind.kind,
            subject.key,
            subject.metadata.uid,
            severity,
            reason,
            message[:MESSAGE_CHARACTERS],
        )
        note = self._digest.take(happening, now=self._loop.time())
        if note is None:
            self._metrics.events_dropped.labels("rate limit").inc()
            return
        self._waiting[note.number] = note
        if len(self._waiting) > WAITING:
            self._waiting.popitem(last=False)
            self._metrics.events_dropped.labels("queue full").inc()
        self._idle.clear()
        self._more.set()

    async def run(self) -> None:
        """Write events until cancelled."""
        while True:
            while self._waiting:
                _, note = self._waiting.popitem(last=False)
                await self._write(note)
            self._idle.set()
            self._more.clear()
            await self._more.wait()

    async def flush(self, *, within: float = FLUSH_SECONDS) -> None:
        """Give what waits some time to be written."""
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._idle.wait()

    async def _write(self, note: Note) -> None:
        backoff = Backoff()
        for _ in range(TRIES):
            try:
                await self._put(note)
            except Unavailable as error:
                await asyncio.sleep(backoff.failed(at_least=error.retry_after))
            except ApiError as error:
                # Its namespace is going, or we may not: telling again would not help.
                log.warning("event %s not written: %s", note.happening.reason, error)
                break
            else:
                return
        self._metrics.events_dropped.labels("not written").inc()

    async def _put(self, note: Note) -> None:
        body = self._body(note)
        name = ObjectKey(body["metadata"]["namespace"], body["metadata"]["name"])
        if note.number in self._written:
            change = {"count": body["count"], "lastTimestamp": body["lastTimestamp"]}
            try:
                await self._client.patch(EVENTS, name, change)
            except NotFound:
                await self._client.create(EVENTS, body)
        else:
            with suppress(AlreadyExists):  # The answer to an earlier try was lost.
                await self._client.create(EVENTS, body)
        self._written[note.number] = None
        if len(self._written) > 2 * WAITING:
            self._written.popitem(last=False)

    def _body(self, note: Note) -> Content:
        what = note.happening
        now = datetime.now(UTC)
        first = now - timedelta(seconds=self._loop.time() - note.first)
        namespace = what.key.namespace or "default"
        return {
            "metadata": {
                "namespace": namespace,
                "name": f"{what.key.name[:200]}.{self._run_id}{note.number:x}",
            },
            "involvedObject": {
                "apiVersion": what.api_version,
                "kind": what.kind,
                "namespace": what.key.namespace,
                "name": what.key.name,
                "uid": what.uid,
            },
            "type": what.severity.value,
            "reason": what.reason,
            "message": what.message,
            "count": note.count,
            "firstTimestamp": _stamp(first),
            "lastTimestamp": _stamp(now),
            "source": {"component": self._component},
            "reportingComponent": self._component,
            "reportingInstance": self._instance,
        }


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
