"""The controller of BMCEventSubscriptions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from ingot.errors import IngotError
from ingot.ironic.bmc import Subscription
from ingot.ironic.node import NodeId
from ingot.ironic.refusal import IronicError, NodeBusyError, NotFoundError
from ingot.kube.changes import Change, any_of, finalizers_changed, generation_changed
from ingot.kube.controller import Controller, Result, Source
from ingot.kube.digest import Severity
from ingot.kube.holding import held, let_go
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.metal3.api import finalizer
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.bmceventsubscription import BMCEventSubscription, BMCEventSubscriptionSpec
from ingot.metal3.operator.hostdata import Mistake
from ingot.metal3.operator.kinds import EVENT_SUBSCRIPTION, HOST
from ingot.metal3.operator.parts import Parts
from ingot.metal3.operator.subscriptions.leaving import (
    Release,
    Remove,
    Wait,
    Ways,
    has_waited,
    parting,
)
from ingot.metal3.operator.subscriptions.naming import Named
from ingot.metal3.operator.subscriptions.telling import headers_in, is_gone, without_secrets

__all__ = ["SubscriptionRoom"]

SUBSCRIBED: Final = "Subscribed"
LEFT_BEHIND: Final = "SubscriptionLeftBehind"

HOST_MISSING_SECONDS: Final = 600.0
"""As upstream has it. The host's coming calls for us at once."""

TRY_AGAIN_SECONDS: Final = 60.0
"""For what somebody has to change first, and for a BMC that does not end a subscription."""


class SubscribingFailed(IngotError):  # noqa: N818 - it says what was seen
    """A BMC has not taken a subscription."""


class SubscriptionRoom:
    """Subscriptions to the events of BMCs."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._watch = parts.runtime.watches.of(EVENT_SUBSCRIPTION)
        self._hosts = parts.runtime.watches.of(HOST)
        self._named = Named(self._watch)
        self._made: dict[str, str] = {}
        """What BMCs call those that were made and are not on record yet, by their uid."""

    def controllers(self) -> list[Controller]:
        """Return the controller of subscriptions."""
        secrets = self._parts.secrets.watch
        return [
            Controller(
                name="bmceventsubscription",
                reconcile=self.reconcile,
                sources=[
                    Source(
                        self._watch,
                        keep=any_of(generation_changed, finalizers_changed),
                        forgives=True,
                    ),
                    Source(self._hosts, keep=_node_changed, keys=self._named.by_host),
                    Source(secrets, keys=self._named.by_secret, forgives=True),
                ],
                workers=2,
            )
        ]

    async def reconcile(self, key: ObjectKey) -> Result:
        """Have a BMC send its events, or no longer."""
        found = self._watch.store.get(key)
        if found is None:
            return Result.done()
        if found.metadata.is_going:
            return await self._going(found)
        return await self._staying(found)

    async def _staying(self, found: KubeObject[BMCEventSubscription]) -> Result:
        found = await held(
            self._parts.client, self._watch, found, finalizer=finalizer.EVENT_SUBSCRIPTION
        )
        model = found.model
        identifier = self._identifier(found, model)
        if identifier:
            await self._record(found, model, identifier=identifier)
            return Result.done()
        host = self._host(found, model)
        if host is None:
            name = f"{found.key.namespace}/{model.spec.host_name}"
            await self._record(found, model, error=f"there is no BareMetalHost {name}")
            return Result.again_in(HOST_MISSING_SECONDS)
        if not self._parts.census.ready:
            return Result.again_in(self._parts.settings.delays.ironic_not_ready)
        node = self._node(host)
        if node is None:
            await self._record(found, model, error="its host is not registered with Ironic")
            return Result.again_in(TRY_AGAIN_SECONDS)
        try:
            headers = await self._headers(found.key.namespace, model.spec)
        except Mistake as mistake:
            await self._record(found, model, error=str(mistake))
            return Result.again_in(TRY_AGAIN_SECONDS)
        return await self._subscribe(found, model, node, headers)

    async def _subscribe(
        self,
        found: KubeObject[BMCEventSubscription],
        model: BMCEventSubscription,
        node: NodeId,
        headers: tuple[Mapping[str, str], ...],
    ) -> Result:
        spec = model.spec
        wish = Subscription(destination=spec.destination, context=spec.context, headers=headers)
        try:
            identifier = await self._parts.ironic.bmc.subscribe(node, wish)
        except NodeBusyError as busy:
            return Result.again_in(busy.retry_after or self._parts.settings.delays.short)
        except IronicError as error:
            why = without_secrets(error.reason, headers)
            await self._record(found, model, error=f"the BMC has not taken it: {why}")
            # Not from the error, which shows the headers.
            raise SubscribingFailed(
                f"the BMC of {spec.host_name} has not taken the subscription {found.key}: {why}",
                remedy="see whether the BMC has an event service and reaches the destination",
            ) from None
        self._made[found.metadata.uid] = identifier
        await self._record(found, model, identifier=identifier)
        self._parts.runtime.recorder.record(
            found, SUBSCRIBED, f"the BMC of {spec.host_name} sends its events to {spec.destination}"
        )
        return Result.done()

    async def _going(self, found: KubeObject[BMCEventSubscription]) -> Result:
        if finalizer.EVENT_SUBSCRIPTION not in found.metadata.finalizers:
            return Result.done()
        model, now = found.model, datetime.now(UTC)
        host, census = self._host(found, model), self._parts.census
        known = NodeId(host.model.status.provisioning.id) if host else NodeId("")
        ways = Ways(
            has_host=host is not None,
            ironic_ready=census.ready,
            node=self._node(host) if host else None,
            fresh=not known or census.is_fresh(known),
        )
        identifier = self._identifier(found, model)
        step = parting(model, identifier, ways, now=now, settings=self._parts.settings)
        match step:
            case Release(why):
                await self._let_go(found, identifier, why)
                return Result.done()
            case Wait(seconds):
                return Result.again_in(seconds)
            case Remove(node):
                return await self._unsubscribe(found, model, node, identifier)

    async def _unsubscribe(
        self,
        found: KubeObject[BMCEventSubscription],
        model: BMCEventSubscription,
        node: NodeId,
        identifier: str,
    ) -> Result:
        settings, now = self._parts.settings, datetime.now(UTC)
        late = has_waited(model, settings.deletion.deleting, now=now)
        try:
            await self._parts.ironic.bmc.unsubscribe(node, identifier)
        except NodeBusyError as busy:
            if not late:
                return Result.again_in(busy.retry_after or settings.delays.short)
            await self._let_go(found, identifier, "its node was busy all the time")
        except IronicError as error:
            is_over = isinstance(error, NotFoundError) and is_gone(error.reason)
            if not is_over and not late:
                why = f"the BMC has not ended it: {error.reason}"
                await self._record(found, model, identifier=identifier, error=why)
                return Result.again_in(TRY_AGAIN_SECONDS)
            await self._let_go(found, identifier, "" if is_over else error.reason)
        else:
            await self._let_go(found, identifier, "")
        return Result.done()

    async def _let_go(
        self, found: KubeObject[BMCEventSubscription], identifier: str, why: str
    ) -> None:
        if why:
            host = found.model.spec.host_name
            self._parts.runtime.recorder.record(
                found,
                LEFT_BEHIND,
                f"subscription {identifier} stays on the BMC of {host}, as {why}",
                severity=Severity.WARNING,
            )
        await let_go(self._parts.client, self._watch, found, finalizer.EVENT_SUBSCRIPTION)
        self._made.pop(found.metadata.uid, None)

    async def _headers(
        self, namespace: str, spec: BMCEventSubscriptionSpec
    ) -> tuple[Mapping[str, str], ...]:
        reference = spec.http_headers_ref
        if reference is None:
            return ()
        key = ObjectKey(reference.namespace, reference.name)
        if reference.namespace != namespace:
            raise Mistake(f"the Secret {key} with its headers is not in the namespace {namespace}")
        secret = await self._parts.secrets.get(key)
        if secret is None:
            raise Mistake(f"the Secret {key} with its headers is not there: create it")
        return headers_in(secret)

    async def _record(
        self,
        found: KubeObject[BMCEventSubscription],
        model: BMCEventSubscription,
        *,
        identifier: str = "",
        error: str = "",
    ) -> None:
        """Write the status, if it is another."""
        before = model.status
        if (before.subscription_id, before.error) != (identifier, error):
            change = {"status": {"subscriptionID": identifier or None, "error": error or None}}
            self._watch.saw(
                await self._parts.client.patch(
                    EVENT_SUBSCRIPTION, found.key, change, subresource="status"
                )
            )
        if identifier:
            self._made.pop(found.metadata.uid, None)

    def _identifier(
        self, found: KubeObject[BMCEventSubscription], model: BMCEventSubscription
    ) -> str:
        return model.status.subscription_id or self._made.get(found.metadata.uid, "")

    def _host(
        self, found: KubeObject[BMCEventSubscription], model: BMCEventSubscription
    ) -> KubeObject[BareMetalHost] | None:
        return self._hosts.store.get(ObjectKey(found.key.namespace, model.spec.host_name))

    def _node(self, host: KubeObject[BareMetalHost]) -> NodeId | None:
        node = NodeId(host.model.status.provisioning.id)
        known = self._parts.census.known(node, f"{host.key.namespace}~{host.key.name}")
        return known.uuid if known else None


def _node_changed(change: Change[BareMetalHost]) -> bool:
    old, new = change.old, change.new
    return old is None or new is None or _node_id(old) != _node_id(new)


def _node_id(host: KubeObject[BareMetalHost]) -> object:
    status = host.content.get("status") or {}
    return (status.get("provisioning") or {}).get("ID")
