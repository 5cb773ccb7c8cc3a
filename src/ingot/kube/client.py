"""The verbs of the API, for any kind.

lightkube's own request layer is not used: it has neither preconditions for deleting nor bookmarks,
and reads every object in full. See docs/decisions/0011-kube-client.md.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import msgspec
from lightkube.config.kubeconfig import SingleConfig

from ingot.kube.access import opened
from ingot.kube.channel import AnswerObserver, Channel
from ingot.kube.errors import unreadable
from ingot.kube.kind import Content, Kind, ObjectKey
from ingot.kube.object import KubeObject
from ingot.kube.stream import Event, events_of

__all__ = ["KubeClient", "Page", "Patch", "Propagation", "Selection"]

T = TypeVar("T")

DEADLINE_SECONDS = 30.0
AT_ONCE = 32
"""Requests under way; upstream's operator allows itself 30 in a burst."""

PAGE_OBJECTS = 500


class Patch(StrEnum):
    """How the body of a patch is meant."""

    MERGE = "application/merge-patch+json"
    JSON = "application/json-patch+json"
    APPLY = "application/apply-patch+yaml"


class Propagation(StrEnum):
    """What happens to the objects that an object owns, when it is deleted."""

    BACKGROUND = "Background"
    FOREGROUND = "Foreground"
    ORPHAN = "Orphan"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which objects of a kind are meant.

    Attributes:
        namespace: empty for all.
        labels: a label selector, as kubectl takes it.
        fields: a field selector.
    """

    namespace: str = ""
    labels: str = ""
    fields: str = ""

    def params(self) -> dict[str, str]:
        """Return what a query says of it."""
        named = {"labelSelector": self.labels, "fieldSelector": self.fields}
        return {name: value for name, value in named.items() if value}


EVERYWHERE = Selection()


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """The objects of a listing, and the version of the whole, from which a watch goes on."""

    objects: list[KubeObject[T]]
    resource_version: str


class _ListMetadata(msgspec.Struct, rename="camel"):
    resource_version: str = ""
    continue_: str = msgspec.field(default="", name="continue")


class _List(msgspec.Struct):
    metadata: _ListMetadata
    items: list[msgspec.Raw] = []


class KubeClient:
    """One pool of connections to one API server."""

    def __init__(
        self,
        access: SingleConfig,
        *,
        deadline: float = DEADLINE_SECONDS,
        at_once: int = AT_ONCE,
        field_manager: str = "ingot",
    ) -> None:
        self._channel = Channel(opened(access), deadline=deadline, at_once=at_once, observers=[])
        self._field_manager = field_manager

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._channel.close()

    def apart(self, *, at_once: int = 1, deadline: float | None = None) -> KubeClient:
        """Return a client on the same connections whose requests wait for none of ours.

        A lease must be renewed however busy the workers are.
        """
        other = object.__new__(KubeClient)
        other._channel = self._channel.apart(at_once=at_once, deadline=deadline)
        other._field_manager = self._field_manager
        return other

    @property
    def on_answer(self) -> list[AnswerObserver]:
        """Who is told of every answer; may be added to."""
        return self._channel.observers

    async def get(self, kind: Kind[T], key: ObjectKey) -> KubeObject[T]:
        """Return an object.

        Raises:
            NotFound: it is not there.
        """
        return await self._one("GET", kind, kind.path(*key))

    async def list(
        self, kind: Kind[T], selection: Selection = EVERYWHERE, *, page: int = PAGE_OBJECTS
    ) -> Page[T]:
        """Return objects, fetched in pages that belong together.

        Raises:
            Gone: it took so long that the server forgot the version of the first page.
        """
        params = {"limit": str(page), **selection.params()}
        found: list[KubeObject[T]] = []
        while True:
            path = kind.path(selection.namespace)
            raw = await self._channel.ask("GET", path, params=params)
            try:
                part = msgspec.json.decode(raw, type=_List)
                # Each is copied: a view would keep the page for as long as one object of it.
                found.extend(KubeObject(kind, bytes(item)) for item in part.items)
            except msgspec.MsgspecError as odd:
                raise unreadable(f"GET {path}", odd) from odd
            if not part.metadata.continue_:
                return Page(found, part.metadata.resource_version)
            params["continue"] = part.metadata.continue_

    async def watch(
        self,
        kind: Kind[T],
        selection: Selection = EVERYWHERE,
        *,
        resource_version: str,
        seconds: float,
        silence: float,
        on_open: Callable[[], None] = lambda: None,
    ) -> AsyncIterator[Event[T]]:
        """Yield what happens after a version, over one connection, until it ends.

        Args:
            kind: which kind.
            selection: which objects of it.
            resource_version: what has been seen.
            seconds: how long the server shall keep the connection.
            silence: after how many seconds without a word the server is taken for dead. Bookmarks
                come every minute, so a healthy one is never silent for long.
            on_open: told when the server has begun to answer; the first word may be long in coming.

        Raises:
            Gone: the version is forgotten: list again.
            Unavailable: there is no connection, or it was lost.
        """
        params = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": resource_version,
            "timeoutSeconds": str(max(1, int(seconds))),
            **selection.params(),
        }
        path = kind.path(selection.namespace)
        async with self._channel.listen(path, params) as chunks:
            on_open()
            async for event in events_of(kind, f"WATCH {path}", chunks, silence=silence):
                yield event

    async def create(self, kind: Kind[T], body: Content, *, namespace: str = "") -> KubeObject[T]:
        """Create an object.

        Args:
            kind: what it is.
            body: the object; its `apiVersion` and `kind` may be left out.
            namespace: where, if the object does not say.

        Raises:
            AlreadyExists: one of that name is there.
            Invalid: it breaks its schema or a rule.
        """
        where = namespace or body.get("metadata", {}).get("namespace", "")
        return await self._one("POST", kind, kind.path(where), _named(kind, body))

    async def replace(
        self, kind: Kind[T], body: Content, *, subresource: str = ""
    ) -> KubeObject[T]:
        """Put an object in the place of one that was read.

        Raises:
            Conflict: that one has changed since. Only if the body has a resource version.
        """
        metadata = body["metadata"]
        path = kind.path(metadata.get("namespace", ""), metadata["name"], subresource)
        return await self._one("PUT", kind, path, _named(kind, body))

    async def patch(
        self,
        kind: Kind[T],
        key: ObjectKey,
        body: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        how: Patch = Patch.MERGE,
        subresource: str = "",
        force: bool = False,
    ) -> KubeObject[T]:
        """Change a part of an object.

        Args:
            kind: what it is.
            key: which one.
            body: the change.
            how: how the body is meant. `APPLY` creates the object if it is not there.
            subresource: such as `status`.
            force: with `APPLY`, take over fields that somebody else has applied.

        Raises:
            Conflict: the body names a resource version that is no longer the present one, or a
                field that somebody else has applied.
            Invalid: the result breaks the schema or a rule, or a JSON patch does not fit.
        """
        params = {}
        if how is Patch.APPLY:
            body = _named(kind, dict(body))  # type: ignore[arg-type] # an applied body is an object
            params["force"] = "true" if force else "false"
        path = kind.path(*key, subresource)
        return await self._one("PATCH", kind, path, body, media_type=how.value, params=params)

    async def delete(
        self,
        kind: Kind[T],
        key: ObjectKey,
        *,
        uid: str = "",
        resource_version: str = "",
        propagation: Propagation = Propagation.BACKGROUND,
    ) -> None:
        """Ask for an object to be deleted; its finalizers may keep it for a while.

        Args:
            kind: what it is.
            key: which one.
            uid: only if it is still this one.
            resource_version: only if it is still this version.
            propagation: what happens to what it owns.

        Raises:
            NotFound: it is not there.
            Conflict: it is another one, or another version.
        """
        only_if = {"uid": uid, "resourceVersion": resource_version}
        options: Content = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": propagation.value,
            "preconditions": {name: value for name, value in only_if.items() if value},
        }
        await self._channel.ask("DELETE", kind.path(*key), content=msgspec.json.encode(options))

    async def _one(
        self,
        method: str,
        kind: Kind[T],
        path: str,
        body: object = None,
        *,
        media_type: str = "application/json",
        params: Mapping[str, str] | None = None,
    ) -> KubeObject[T]:
        """Send a request whose answer is one object."""
        if body is None:
            raw = await self._channel.ask(method, path)
        else:
            raw = await self._channel.ask(
                method,
                path,
                params={"fieldManager": self._field_manager, **(params or {})},
                content=msgspec.json.encode(body),
                media_type=media_type,
            )
        try:
            return KubeObject(kind, raw)
        except msgspec.MsgspecError as odd:
            raise unreadable(f"{method} {path}", odd) from odd


def _named(kind: Kind[Any], body: Content) -> Content:
    return {"apiVersion": kind.api_version, "kind": kind.kind, **body}
