"""Hosts that are added later get what those of the install have: a pointer config and a token.

The hosts of the install are in the roster already, and are left alone. So is a Secret that somebody
made for a host: whoever brings a config of their own needs none of ours. Ours are known by their
labels, and are made again where they are lost or do not fit, as after the key was: else the config
server would refuse the host. A host becomes a worker unless it has the label of the control plane.
"""

from __future__ import annotations

import logging
import secrets
from base64 import b64decode, b64encode
from contextlib import suppress
from typing import Any, Final

from ingot.bmc.host import in_url
from ingot.errors import IngotError
from ingot.kube.changes import Change
from ingot.kube.controller import Controller, Result, Source
from ingot.kube.errors import AlreadyExists, NotFound
from ingot.kube.kind import Content, ObjectKey
from ingot.kube.object import KubeObject
from ingot.kube.runtime import Runtime
from ingot.metal3.api.label import ENVIRONMENT, ENVIRONMENT_VALUE
from ingot.metal3.cluster.deploying import secret
from ingot.metal3.cluster.names import CONFIG_SERVER, NAMESPACE, POINTER_KEY, SECRETS
from ingot.metal3.cluster.options import Options
from ingot.metal3.cluster.pointing import (
    Role,
    added_in,
    correction,
    pointer,
    roster,
    token_of,
)
from ingot.metal3.operator.kinds import HOST

__all__ = ["CONFIG_PORT", "PointerRoom", "RosterError", "user_data_name"]

log = logging.getLogger(__name__)

CONFIG_PORT: Final = 22623
KEY_BYTES: Final = 32
LOOK_SECONDS: Final = 300.0
"""How often all is looked at: nobody tells of a Secret that was deleted."""
CONTROL_PLANE: Final = ("installer.openshift.io/role", "control-plane")
"""The label of hosts that may be part of the control plane, as the field's installer sets it."""
_ROSTER: Final = "hosts.json"
_ONLY: Final = (ObjectKey(NAMESPACE, "pointers"),)


class RosterError(IngotError):
    """The roster of the config server cannot be added to."""


def user_data_name(host: str) -> str:
    """Return what the Secret with a host's pointer config is called."""
    return f"{host}-user-data"


class PointerRoom:
    """Gives pointer configs to hosts."""

    def __init__(self, runtime: Runtime, options: Options) -> None:
        self._client = runtime.client
        self._hosts = runtime.watches.of(HOST)
        self._url = f"https://{in_url(str(options.api_vips[0]))}:{CONFIG_PORT}"

    def controller(self) -> Controller:
        """Return what acts when a host comes or goes."""
        return Controller(
            name="pointers",
            reconcile=self.reconcile,
            sources=[Source(self._hosts, keep=_came_or_went, keys=lambda _: _ONLY)],
        )

    async def reconcile(self, _key: ObjectKey) -> Result:
        """Have every host in the roster, and a pointer config for each that was added later.

        Raises:
            Conflict: the roster, or a Secret, has changed since it was read.
            RosterError: it cannot be read.
        """
        try:
            found = await self._client.get(SECRETS, CONFIG_SERVER)
        except NotFound:
            return Result.again_in(LOOK_SECONDS)
        hosts = {
            one.metadata.name: _role_of(one)
            for one in self._hosts.store
            if not one.metadata.is_going
        }
        key = await self._key()
        text, authority = _file(found, _ROSTER), _file(found, "ca.crt")
        try:
            fresh = roster(text, hosts, key=key)
            added = added_in(fresh or text)
        except ValueError as error:
            raise _unusable(str(error)) from error
        if added and not authority:
            raise _unusable("it has no ca.crt, by which hosts know the config server")
        for name in added:
            await self._point(name, authority=authority, key=key)
        if fresh is not None:
            change = {
                "metadata": {"resourceVersion": found.metadata.resource_version},
                "data": {_ROSTER: b64encode(fresh.encode()).decode()},
            }
            await self._client.patch(SECRETS, CONFIG_SERVER, change)
            log.info("the roster has changed: %d hosts", len(hosts))
        return Result.again_in(LOOK_SECONDS)

    async def _point(self, host: str, *, authority: str, key: bytes) -> None:
        token = token_of(host, key=key)
        text = pointer(self._url, host=host, authority=authority, token=token)
        place = ObjectKey(NAMESPACE, user_data_name(host))
        body = secret(place, {"userData": text.encode()})
        # The operator looks at Secrets with this label only, and would have to add it.
        body["metadata"]["labels"][ENVIRONMENT] = ENVIRONMENT_VALUE
        try:
            found = await self._client.get(SECRETS, place)
        except NotFound:
            with suppress(AlreadyExists):
                await self._client.create(SECRETS, body)
                log.info("%s has a pointer config", host)
            return
        change = correction(found.content, body)
        if change is not None:
            await self._client.patch(SECRETS, place, change)
            log.info("%s has another pointer config: the one that it had does not fit", host)

    async def _key(self) -> bytes:
        """Return what tokens follow from; made when it is needed first."""
        try:
            found = await self._client.get(SECRETS, POINTER_KEY)
        except NotFound:
            body = secret(POINTER_KEY, {"key": secrets.token_bytes(KEY_BYTES)})
            found = await self._client.create(SECRETS, body)
        return _key_in(found)


def _unusable(why: str) -> RosterError:
    return RosterError(
        f"Secret {CONFIG_SERVER}: {why}", remedy="apply the manifests of the install again"
    )


def _file(found: KubeObject[Content], name: str) -> str:
    data: dict[str, str] = found.content.get("data") or {}
    return b64decode(data.get(name, "")).decode()


def _key_in(found: KubeObject[Content]) -> bytes:
    data: dict[str, Any] = found.content.get("data") or {}
    key = b64decode(data.get("key", ""))
    if len(key) < KEY_BYTES:
        raise RosterError(
            f"Secret {POINTER_KEY} has no key of {KEY_BYTES} bytes",
            remedy="delete it: another is made, and hosts that were added later get other tokens",
        )
    return key


def _role_of(host: KubeObject[Any]) -> Role:
    label, value = CONTROL_PLANE
    leads = host.metadata.labels.get(label) == value
    return Role.CONTROL_PLANE if leads else Role.WORKER


def _came_or_went(change: Change[Any]) -> bool:
    """Tell whether a host came, went, or is to become something else."""
    old, new = change.old, change.new
    if old is None or new is None:
        return True
    return (old.metadata.is_going, _role_of(old)) != (new.metadata.is_going, _role_of(new))
