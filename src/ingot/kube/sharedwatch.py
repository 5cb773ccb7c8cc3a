"""One watch of a kind for everybody who wants to know of it.

It lists once and then follows. A lost connection goes on where it was. Only when the server no
longer knows that place is listed again, and the difference told as changes: subscribers see
nothing of any of this.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Generic, TypeAlias, TypeVar

from ingot.kube.backoff import Backoff
from ingot.kube.changes import Change
from ingot.kube.client import EVERYWHERE, KubeClient, Selection
from ingot.kube.errors import ApiError, Gone, Overdue, Unavailable
from ingot.kube.kind import Kind
from ingot.kube.object import KubeObject
from ingot.kube.store import Store
from ingot.kube.stream import Event, EventType

__all__ = ["SharedWatch", "Watches"]

T = TypeVar("T")
Subscriber: TypeAlias = Callable[[Change[T]], None]

log = logging.getLogger(__name__)

CONNECTION_SECONDS = (300.0, 600.0)
"""How long one connection is kept. Drawn, so that all watches do not begin anew at once."""

SILENCE_SECONDS = 90.0
"""A bookmark comes every minute, but not for a kind of which there never was an object. So after
this long it is asked again, which costs one request and shows whether the server is alive."""

TOO_MANY = 429
"""The only refusal that says nothing of what was asked for."""

SHORT_SECONDS = 1.0
"""A connection that ends by itself sooner, without a word, is a failure."""


class SharedWatch(Generic[T]):
    """The objects of a kind that are selected, and what happens to them."""

    def __init__(self, client: KubeClient, kind: Kind[T], selection: Selection) -> None:
        self.kind = kind
        self.selection = selection
        self.store: Store[T] = Store()
        self.synced = asyncio.Event()
        """Set once the first listing is in the store."""
        self.problem: ApiError | None = None
        """Why it does not follow at present."""
        self.listings = 0
        """How often it had to list."""
        self._client = client
        self._subscribers: list[Subscriber[T]] = []
        self._version = ""

    def subscribe(self, subscriber: Subscriber[T]) -> Callable[[], None]:
        """Tell somebody of every change from now on, and of each object that is there as new.

        Returns:
            What ends it.
        """
        self._subscribers.append(subscriber)
        for known in self.store:
            subscriber(Change(None, known))
        return lambda: self._subscribers.remove(subscriber)

    def saw(self, found: KubeObject[T]) -> None:
        """Take what a write returned, before the watch tells it: who wrote reads it next time.

        An object that is not known is passed over, as it may have been deleted since.
        """
        known = self.store.get(found.key)
        if known is not None and known.metadata.uid == found.metadata.uid:
            self._tell(self.store.put(found))

    async def run(self) -> None:
        """Follow until cancelled."""
        backoff = Backoff()
        while True:
            try:
                if not self._version:
                    await self._list()
                if await self._follow():
                    backoff.reset()
                continue
            except ApiError as error:
                delay = backoff.failed(at_least=getattr(error, "retry_after", None))
                self._note(error, delay)
            await asyncio.sleep(delay)

    async def _list(self) -> None:
        page = await self._client.list(self.kind, self.selection)
        self._version = page.resource_version
        self.listings += 1
        self._tell(self.store.replace(page.objects))
        self.problem = None
        self.synced.set()

    async def _follow(self) -> bool:
        """Follow over one connection; tell whether it was a good one."""
        loop = asyncio.get_running_loop()
        began, heard = loop.time(), False
        events = self._client.watch(
            self.kind,
            self.selection,
            resource_version=self._version,
            seconds=random.uniform(*CONNECTION_SECONDS),  # noqa: S311 - no secret
            silence=SILENCE_SECONDS,
            on_open=self._opened,
        )
        try:
            async with aclosing(events):  # type: ignore[type-var] # mypy does not see the generator
                async for event in events:
                    heard = True
                    self._take(event)
        except Overdue:
            if loop.time() - began < SILENCE_SECONDS:
                raise
            # Nobody has such objects, or the server hangs. If so, the next request tells.
            return True
        if not heard and loop.time() - began < SHORT_SECONDS:
            raise Unavailable(
                f"WATCH {self.kind}", code=0, reason="Closed", message="closed without a word"
            )
        return True

    def _opened(self) -> None:
        # Not with the first event: where nothing happens, that is a bookmark, a minute later.
        self.problem = None

    def _take(self, event: Event[T]) -> None:
        found = event.object
        if event.type is EventType.DELETED:
            self._tell(self.store.remove(found))
        elif event.type is not EventType.BOOKMARK:
            self._tell(self.store.put(found))
        self._version = found.metadata.resource_version

    def _tell(self, changes: list[Change[T]]) -> None:
        for change in changes:
            for subscriber in tuple(self._subscribers):
                try:
                    subscriber(change)
                except Exception:
                    # What one cannot read must not keep all from hearing of the others.
                    log.exception("change of %r was not taken", change.object)

    def _note(self, error: ApiError, delay: float) -> None:
        """Keep the problem, and decide whether to go on from where it was."""
        if error.code and error.code != TOO_MANY:
            # The server itself refused, so the place to go on from may be what is wrong.
            self._version = ""
        if not isinstance(error, Gone):
            self.problem = error
        log.warning("watch of %s: %s; again in %.1f s", self.kind, error, delay)


class Watches:
    """The watches of a program: one for each kind and selection, whoever asks for it.

    A program for one namespace is given it here, and sees nothing of the others.
    """

    def __init__(self, client: KubeClient, *, namespace: str = "") -> None:
        self._client = client
        self._namespace = namespace
        self._watches: dict[tuple[Kind[Any], Selection], SharedWatch[Any]] = {}
        self._running = False

    def of(self, kind: Kind[T], selection: Selection = EVERYWHERE) -> SharedWatch[T]:
        """Return the watch of a kind. Ask before `run`, which follows those asked for until then.

        Raises:
            RuntimeError: it is too late.
        """
        if kind.namespaced and not selection.namespace:
            selection = replace(selection, namespace=self._namespace)
        found: SharedWatch[T] | None = self._watches.get((kind, selection))
        if found is None and self._running:
            raise RuntimeError(f"the watch of {kind} was asked for after the watches have begun")
        if found is None:
            found = SharedWatch(self._client, kind, selection)
            self._watches[kind, selection] = found
        return found

    async def run(self) -> None:
        """Follow all of them until cancelled."""
        self._running = True
        async with asyncio.TaskGroup() as group:
            for watch in self._watches.values():
                group.create_task(watch.run(), name=f"watch {watch.kind}")

    async def synced(self) -> None:
        """Wait until each has its first listing; how long is the caller's to limit."""
        for watch in self._watches.values():
            await watch.synced.wait()

    def problems(self) -> list[str]:
        """Return what keeps watches from following, one sentence each."""
        return [
            f"watch of {watch.kind}: {watch.problem or 'not listed yet'}"
            for watch in self._watches.values()
            if watch.problem or not watch.synced.is_set()
        ]
