"""The Secrets that hosts name.

Only Secrets with the label of bare metal are watched: a cluster has thousands of others. One that a
host names and that has no label yet is read by itself once, and labelled.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ingot.kube.changes import Change
from ingot.kube.client import KubeClient, Patch, Selection
from ingot.kube.errors import Conflict, Invalid, NotFound
from ingot.kube.kind import Content, ObjectKey
from ingot.kube.object import KubeObject
from ingot.kube.sharedwatch import SharedWatch, Watches
from ingot.metal3.api import finalizer, label
from ingot.metal3.api.baremetalhost import BareMetalHost, HostSpec
from ingot.metal3.operator.kinds import HOST, SECRET

__all__ = ["Secret", "Secrets", "named_secrets"]

LABELLED: Final = Selection(labels=f"{label.ENVIRONMENT}={label.ENVIRONMENT_VALUE}")


@dataclass(frozen=True, slots=True)
class Secret:
    """A Secret, decoded.

    Attributes:
        version: its resource version.
        data: what it holds; what is no base64 is left out.
    """

    key: ObjectKey
    version: str
    data: Mapping[str, bytes] = field(repr=False)

    def text(self, name: str) -> str | None:
        """Return an entry as text; None if it is not there, or is no text."""
        try:
            return self.data[name].decode() if name in self.data else None
        except UnicodeDecodeError:
            return None


def named_secrets(spec: HostSpec) -> tuple[str, ...]:
    """Return the names of all Secrets that a host names; they are in its own namespace."""
    references = (spec.user_data, spec.network_data, spec.meta_data)
    names = [
        spec.bmc.credentials_name if spec.bmc else "",
        spec.preprovisioning_network_data_name,
        spec.image.oci_auth_secret_name if spec.image else "",
        *(reference.name for reference in references if reference),
    ]
    return tuple(dict.fromkeys(name for name in names if name))


class Secrets:
    """The Secrets of all hosts."""

    def __init__(self, client: KubeClient, watches: Watches) -> None:
        self._client = client
        self.watch: SharedWatch[Content] = watches.of(SECRET, LABELLED)
        self._users: dict[ObjectKey, set[ObjectKey]] = {}
        self._used: dict[ObjectKey, tuple[ObjectKey, ...]] = {}
        watches.of(HOST).subscribe(self._note)

    def users(self, secret: KubeObject[Any]) -> Iterable[ObjectKey]:
        """Return the hosts that name a Secret."""
        return tuple(self._users.get(secret.key, ()))

    def known(self, key: ObjectKey) -> Secret | None:
        """Return a Secret that is watched already, if it is there."""
        found = self.watch.store.get(key)
        return Secret(key, found.metadata.resource_version, _decoded(found)) if found else None

    async def get(
        self, key: ObjectKey, *, holder: Mapping[str, object] | None = None
    ) -> Secret | None:
        """Return a Secret, if it is there; from now on it is watched.

        Args:
            key: which one.
            holder: an owner reference to the host that keeps it for as long as it is there itself.
        """
        found = self.watch.store.get(key)
        if found is None:
            try:
                found = await self._client.get(SECRET, key)
            except NotFound:
                return None
        change = _claim(found, holder)
        if change:
            change["resourceVersion"] = found.metadata.resource_version
            found = await self._client.patch(SECRET, key, {"metadata": change})
            self.watch.saw(found)
        return Secret(key, found.metadata.resource_version, _decoded(found))

    async def release(self, secret: ObjectKey, host: ObjectKey) -> None:
        """Let go of a Secret for a host that goes, unless another host uses it."""
        if self._users.get(secret, set()) - {host}:
            return
        try:
            found = await self._client.get(SECRET, secret)
            finalizers = found.metadata.finalizers
            if finalizer.SECRET not in finalizers:
                return
            place = finalizers.index(finalizer.SECRET)
            path = f"/metadata/finalizers/{place}"
            await self._client.patch(
                SECRET,
                secret,
                [
                    {"op": "test", "path": path, "value": finalizer.SECRET},
                    {"op": "remove", "path": path},
                ],
                how=Patch.JSON,
            )
        except NotFound:
            return
        except Invalid as moved:
            raise Conflict(
                f"PATCH {secret}", code=409, reason="Conflict", message=moved.message
            ) from moved

    def _note(self, change: Change[BareMetalHost]) -> None:
        """Keep who names what."""
        host = change.object.key
        for secret in self._used.pop(host, ()):
            users = self._users[secret]
            users.discard(host)
            if not users:
                del self._users[secret]
        if change.new is None:
            return
        names = named_secrets(change.new.model.spec)
        self._used[host] = tuple(ObjectKey(host.namespace, name) for name in names)
        for secret in self._used[host]:
            self._users.setdefault(secret, set()).add(host)


def _claim(found: KubeObject[Content], holder: Mapping[str, object] | None) -> dict[str, object]:
    """Return what is missing in a Secret's metadata."""
    meta = found.metadata
    change: dict[str, object] = {}
    if meta.labels.get(label.ENVIRONMENT) != label.ENVIRONMENT_VALUE:
        change["labels"] = {label.ENVIRONMENT: label.ENVIRONMENT_VALUE}
    if holder is None or meta.is_going:
        return change
    if finalizer.SECRET not in meta.finalizers:
        change["finalizers"] = [*meta.finalizers, finalizer.SECRET]
    if all(one.uid != holder["uid"] for one in meta.owner_references):
        owners = found.content["metadata"].get("ownerReferences", ())
        change["ownerReferences"] = [*owners, holder]
    return change


def _decoded(found: KubeObject[Content]) -> dict[str, bytes]:
    entries = found.content.get("data") or {}
    decoded: dict[str, bytes] = {}
    for name, value in entries.items():
        try:
            decoded[name] = base64.b64decode(value, validate=True)
        except (binascii.Error, TypeError, ValueError):
            continue
    return decoded
