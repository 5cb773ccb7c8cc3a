"""Which subscriptions name a host or a Secret."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ingot.kube.changes import Change
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.kube.sharedwatch import SharedWatch
from ingot.metal3.api.bmceventsubscription import BMCEventSubscription

__all__ = ["Named"]


class Named:
    """What subscriptions name, looked up from the other side.

    A site has thousands of Secrets, and each change of one asks: so they are not searched for.
    """

    def __init__(self, watch: SharedWatch[BMCEventSubscription]) -> None:
        self._hosts: dict[ObjectKey, set[ObjectKey]] = {}
        self._secrets: dict[ObjectKey, set[ObjectKey]] = {}
        self._said: dict[ObjectKey, tuple[ObjectKey, ObjectKey]] = {}
        watch.subscribe(self._note)

    def by_host(self, host: KubeObject[Any]) -> Iterable[ObjectKey]:
        """Return the subscriptions to a host's events."""
        return tuple(self._hosts.get(host.key, ()))

    def by_secret(self, secret: KubeObject[Any]) -> Iterable[ObjectKey]:
        """Return the subscriptions whose headers are in a Secret."""
        return tuple(self._secrets.get(secret.key, ()))

    def _note(self, change: Change[BMCEventSubscription]) -> None:
        key = change.object.key
        for index, name in zip(self._indexes, self._said.pop(key, ()), strict=False):
            index[name].discard(key)
            if not index[name]:
                del index[name]
        if change.new is None:
            return
        spec = change.new.model.spec
        headers = spec.http_headers_ref.name if spec.http_headers_ref else ""
        self._said[key] = (
            ObjectKey(key.namespace, spec.host_name),
            ObjectKey(key.namespace, headers),
        )
        for index, name in zip(self._indexes, self._said[key], strict=True):
            index.setdefault(name, set()).add(key)

    @property
    def _indexes(self) -> tuple[dict[ObjectKey, set[ObjectKey]], dict[ObjectKey, set[ObjectKey]]]:
        return self._hosts, self._secrets
