"""The controller of `Provisioning`: metal3 in the cluster is as it says, and it says how that goes.

Everything is applied as it shall be, whatever is there. What cannot be done leaves what is there as
it is. When metal3 serves, hosts that waited for the hand-over are let go.
"""

from __future__ import annotations

import logging
from base64 import b64decode
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

from ingot import __version__
from ingot.kube.changes import Change, annotations_changed, any_of, generation_changed
from ingot.kube.client import Patch
from ingot.kube.controller import Controller, Result, Source
from ingot.kube.digest import Severity
from ingot.kube.errors import NotFound
from ingot.kube.kind import Content, Kind, ObjectKey
from ingot.kube.object import KubeObject
from ingot.kube.runtime import Runtime
from ingot.metal3.api.annotation import PAUSED, PROVISIONING_PAUSED
from ingot.metal3.api.conditions import ConditionStatus
from ingot.metal3.api.provisioning import NAME, Provisioning
from ingot.metal3.api.reading import written
from ingot.metal3.cluster import deploying
from ingot.metal3.cluster.conditions import Rollout, conditions
from ingot.metal3.cluster.credentials import names_of, ring
from ingot.metal3.cluster.names import (
    AUTHORITY,
    CREDENTIALS,
    DEPLOYMENTS,
    IMAGES,
    METAL3_KEY,
    NODES,
    PAUSED_BY,
    PROVISIONING,
    SECRETS,
    SERVICES,
)
from ingot.metal3.cluster.options import Options
from ingot.metal3.cluster.situation import Situation, is_ready, look
from ingot.metal3.cluster.translating import mistakes, settings_of, unserved
from ingot.metal3.operator.kinds import HOST
from ingot.metal3.pod.settings import Settings

__all__ = ["ProvisioningRoom"]

log = logging.getLogger(__name__)

LOOK_SECONDS: Final = 6 * 3600.0
"""How long a certificate that is due waits at most to be renewed."""
_ONLY: Final = (ObjectKey("", NAME),)


def _utc() -> datetime:
    return datetime.now(UTC)


class ProvisioningRoom:
    """Sees to metal3 in the cluster."""

    def __init__(
        self, runtime: Runtime, options: Options, *, clock: Callable[[], datetime] = _utc
    ) -> None:
        self._runtime = runtime
        self._client = runtime.client
        self._options = options
        self._clock = clock
        watches = runtime.watches
        self._provisioning = watches.of(PROVISIONING)
        self._deployments = watches.of(DEPLOYMENTS)
        self._nodes = watches.of(NODES)
        self._hosts = watches.of(HOST)

    def controller(self) -> Controller:
        """Return what acts when something of this changes."""
        return Controller(
            name="provisioning",
            reconcile=self.reconcile,
            sources=[
                Source(
                    self._provisioning,
                    keep=any_of(generation_changed, annotations_changed),
                    forgives=True,
                ),
                Source(self._deployments, keys=lambda _: _ONLY),
                Source(self._nodes, keep=_counts, keys=lambda _: _ONLY),
                Source(self._hosts, keep=annotations_changed, keys=lambda _: _ONLY),
            ],
        )

    async def reconcile(self, key: ObjectKey) -> Result:
        """Bring metal3 nearer to what the object says."""
        found = self._provisioning.store.get(key)
        if found is None or found.metadata.is_going or key.name != NAME:
            return Result.done()
        situation = look(
            self._nodes.store,
            self._hosts.store,
            copies_asked=Rollout.of(self._deployments.store.get(IMAGES)).wanted,
            serves=Rollout.of(self._deployments.store.get(METAL3_KEY)).serves,
        )
        wanted = found.model
        settings, wrong = self._settings(wanted)
        paused = PROVISIONING_PAUSED in found.metadata.annotations
        after = LOOK_SECONDS
        if settings is not None and not paused:
            after = min(after, await self._applied(found, settings, situation))
        metal3 = Rollout.of(self._deployments.store.get(METAL3_KEY))
        await self._tell(found, wanted, wrong=wrong, paused=paused, situation=situation)
        if metal3.serves and not situation.bootstrap and not paused:
            await self._let_hosts_go()
        return Result.again_in(max(1.0, after))

    def _settings(self, wanted: Provisioning) -> tuple[Settings | None, str]:
        """Return what the pod is told, or why it cannot be told anything."""
        if found := mistakes(wanted):
            return None, "; ".join(found)
        options = self._options
        try:
            settings = settings_of(wanted.spec, vips=options.api_vips, further=options.settings)
        except ValueError as error:
            return None, str(error)
        return settings, ""

    async def _applied(
        self, owner: KubeObject[Provisioning], settings: Settings, situation: Situation
    ) -> float:
        """Have everything as it shall be; return after how many seconds to look again."""
        options = self._options
        authority, files = await self._files(AUTHORITY), await self._files(CREDENTIALS)
        keys = ring(authority, files, names_of(settings), now=self._clock())
        if keys.new_authority:
            await self._apply(SECRETS, owner, deploying.authority_secret(keys.authority))
        if keys.new_files:
            log.info("Ironic has a new certificate and a new password")
        secret = deploying.credentials_secret(keys.files, settings)
        await self._apply(SECRETS, owner, secret)
        images = deploying.images_deployment(options, replicas=situation.copies)
        metal3 = deploying.metal3_deployment(settings, options, keys.files, replicas=situation.pods)
        for body in (images, metal3):
            self._deployments.saw(await self._apply(DEPLOYMENTS, owner, body))
        if not situation.bootstrap:
            # Not earlier: the VM serves at the same address, and proxies would turn it away.
            await self._serve_at_vip(owner, settings)
        return keys.renew_after

    async def _serve_at_vip(self, owner: KubeObject[Provisioning], settings: Settings) -> None:
        found = await self._apply(SERVICES, owner, deploying.service(settings))
        status = deploying.service_status(self._options)
        if found.content.get("status", {}).get("loadBalancer") != status["status"]["loadBalancer"]:
            await self._client.patch(SERVICES, METAL3_KEY, status, subresource="status")

    async def _apply(
        self, kind: Kind[Content], owner: KubeObject[Provisioning], body: Content
    ) -> KubeObject[Content]:
        metadata: dict[str, Any] = body["metadata"]
        reference = {
            "apiVersion": PROVISIONING.api_version,
            "kind": PROVISIONING.kind,
            "name": owner.metadata.name,
            "uid": owner.metadata.uid,
            "controller": True,
        }
        whole = {**body, "metadata": {**metadata, "ownerReferences": [reference]}}
        key = ObjectKey(metadata["namespace"], metadata["name"])
        return await self._client.patch(kind, key, whole, how=Patch.APPLY, force=True)

    async def _files(self, key: ObjectKey) -> Mapping[str, bytes]:
        with suppress(NotFound):
            found = await self._client.get(SECRETS, key)
            data = found.content.get("data") or {}
            return {name: b64decode(value) for name, value in data.items()}
        return {}

    async def _tell(
        self,
        found: KubeObject[Provisioning],
        wanted: Provisioning,
        *,
        wrong: str,
        paused: bool,
        situation: Situation,
    ) -> None:
        """Write down how things are, if that is not what stands there."""
        deployments = {key: self._deployments.store.get(key) for key in (METAL3_KEY, IMAGES)}
        metal3, images = (Rollout.of(one) for one in deployments.values())
        generation = found.metadata.generation
        now = conditions(
            wanted.status.conditions,
            wrong=wrong,
            paused=paused,
            situation=situation,
            metal3=metal3,
            images=images,
            unserved=unserved(wanted.spec),
            generation=generation,
            now=self._clock(),
        )
        acted = generation if not (wrong or paused) else wanted.status.observed_generation
        status: Content = {
            "conditions": [written(one) for one in now],
            "observedGeneration": acted,
            "readyReplicas": metal3.available,
            "version": __version__,
            "generations": [
                {
                    "group": DEPLOYMENTS.group,
                    "resource": DEPLOYMENTS.plural,
                    "namespace": key.namespace,
                    "name": key.name,
                    "lastGeneration": one.metadata.generation,
                }
                for key, one in deployments.items()
                if one is not None
            ],
        }
        before: Content = found.content.get("status", {})
        if all(before.get(name) == value for name, value in status.items()):
            return
        self._record(found, wanted, now[-1].message, degraded=now[-1].status)
        self._provisioning.saw(
            await self._client.patch(
                PROVISIONING, found.key, {"status": status}, subresource="status"
            )
        )

    def _record(
        self,
        found: KubeObject[Provisioning],
        wanted: Provisioning,
        message: str,
        *,
        degraded: ConditionStatus,
    ) -> None:
        before = {one.type: one.status for one in wanted.status.conditions}.get("Degraded")
        if degraded is ConditionStatus.TRUE and before is not degraded:
            self._runtime.recorder.record(found, "Degraded", message, severity=Severity.WARNING)
            log.warning("%s: %s", found.key, message)

    async def _let_hosts_go(self) -> None:
        """Take the pause from hosts that waited for the hand-over, and from no others."""
        path = f"/metadata/annotations/{PAUSED.replace('/', '~1')}"
        for host in list(self._hosts.store):
            if host.metadata.annotations.get(PAUSED) != PAUSED_BY:
                continue
            change = [
                {"op": "test", "path": path, "value": PAUSED_BY},
                {"op": "remove", "path": path},
            ]
            self._hosts.saw(await self._client.patch(HOST, host.key, change, how=Patch.JSON))
            log.info("%s is no longer paused: the cluster provisions", host.key)


def _counts(change: Change[Content]) -> bool:
    """Let count what changes where the cluster stands."""
    old, new = change.old, change.new
    if old is None or new is None:
        return True
    return old.metadata.labels != new.metadata.labels or is_ready(old) != is_ready(new)
