"""The reconcile of a host, and what calls for it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

from ingot.ironic.refusal import AlreadyExistsError, NotFoundError
from ingot.kube.changes import annotations_changed, any_of, finalizers_changed, generation_changed
from ingot.kube.controller import Controller, Result, Source
from ingot.kube.errors import NotFound
from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.states import ProvisioningState
from ingot.metal3.host import counting
from ingot.metal3.host.deciding import decide
from ingot.metal3.host.decision import Decision, FinalizerStep
from ingot.metal3.host.memory import Memory, recall
from ingot.metal3.node.calls import Call
from ingot.metal3.node.goal import Goal, Register
from ingot.metal3.node.progress import Failed, Progress
from ingot.metal3.operator.hosts.carrying import Carrier, RefusedCalls
from ingot.metal3.operator.hosts.knownnodes import KnownNodes
from ingot.metal3.operator.hosts.metrics import HostMetrics
from ingot.metal3.operator.hosts.observing import Look, Observer
from ingot.metal3.operator.hosts.places import Places, boots_a_ramdisk
from ingot.metal3.operator.hosts.views import Views
from ingot.metal3.operator.parts import Parts

__all__ = ["HostRoom"]

WORKERS: Final = 32
"""Looks under way. Ironic is protected by its client, which lets few calls through at once."""

_BEFORE_REGISTRATION: Final = frozenset(
    {ProvisioningState.NONE, ProvisioningState.UNMANAGED, ProvisioningState.REGISTERING}
)


def _utc() -> datetime:
    return datetime.now(UTC)


class HostRoom:
    """The controller of hosts."""

    def __init__(
        self,
        parts: Parts,
        views: Views,
        *,
        workers: int = WORKERS,
        now: Callable[[], datetime] = _utc,
    ) -> None:
        self._parts = parts
        self._views = views
        self._workers = workers
        self._now = now
        self._metrics = HostMetrics(parts.runtime.metrics.registry)
        self._nodes = KnownNodes(parts.ironic, parts.census)
        self._places = Places(parts.census)
        self._observer = Observer(
            parts, views, nodes=self._nodes, places=self._places, metrics=self._metrics
        )
        self._carrier = Carrier(parts, views, nodes=self._nodes, metrics=self._metrics)

    def controllers(self) -> list[Controller]:
        """Return the controller of hosts."""
        hosts, secrets = self._parts.hosts, self._parts.secrets
        wishes = any_of(generation_changed, annotations_changed)
        return [
            Controller(
                name="baremetalhost",
                reconcile=self.reconcile,
                sources=[
                    Source(hosts, keep=wishes, forgives=True),
                    Source(hosts, keep=finalizers_changed),
                    Source(secrets.watch, keys=secrets.users, forgives=True),
                    *self._views.sources(),
                ],
                callers=[
                    self._parts.census.on_change,
                    self._places.on_free,
                    self._on_readiness,
                ],
                workers=self._workers,
            )
        ]

    async def reconcile(self, key: ObjectKey) -> Result:
        """Look at a host, decide, and carry out what follows."""
        host = self._parts.hosts.store.get(key)
        if host is None:
            self._nodes.forget(key)
            self._places.waits(key, waits=False)
            return Result.done()
        try:
            return await self._turn(host)
        except NotFound:
            # What is not there any more was the host itself, or what went with it.
            return Result.again_soon() if self._is_there(key) else Result.done()
        except (AlreadyExistsError, NotFoundError):
            # Ironic has more or less than was seen: look again, at what is there.
            return Result.again_soon()
        except Exception:
            self._metrics.count_one(counting.RECONCILE_ERROR)
            raise

    def _on_readiness(self, caller: Callable[[ObjectKey], None]) -> Callable[[], None]:
        """Call for all hosts when Ironic comes or goes."""

        def everyone() -> None:
            for host in self._parts.hosts.store:
                caller(host.key)

        told = self._parts.census.on_readiness
        told.append(everyone)
        return lambda: told.remove(everyone)

    def _is_there(self, key: ObjectKey) -> bool:
        return self._parts.hosts.store.get(key) is not None

    async def _turn(self, host: KubeObject[BareMetalHost]) -> Result:
        look = await self._observer.look(host)
        decision = self._decide(look)
        if decision.wants_inventory:
            look = await self._observer.with_inventory(look)
            decision = self._decide(look)
        if decision.calls and not look.sight.alone and look.sight.node is not None:
            # Nothing is asked of a server by what was known of it some time ago.
            look = await self._observer.look(host, alone=True)
            decision = self._decide(look)
        self._take_place(look, decision)
        try:
            await self._carrier.carry_out(look, decision)
        except RefusedCalls as refused:
            return await self._refused(look, decision, refused)
        await self._after(look, decision)
        after = decision.requeue_after
        return Result.done() if after is None else Result.again_in(after)

    def _decide(
        self, look: Look, instead: Callable[[Goal], Progress[Call] | None] = lambda _goal: None
    ) -> Decision[Call]:
        return decide(
            look.model,
            look.observation(instead),
            now=self._now(),
            settings=self._parts.settings,
        )

    def _take_place(self, look: Look, decision: Decision[Call]) -> None:
        """Take a place for a boot at once: others are decided on while calls are made."""
        waits = any(
            recall(decision.status, memory) is not None
            for memory in (Memory.WAITING_FOR_CAPACITY, Memory.WAITING_FOR_BOOT_SLOT)
        )
        self._places.waits(look.host.key, waits=waits)
        if look.named is not None and boots_a_ramdisk(
            decision.calls, automated_clean=look.named.subject.automated_clean
        ):
            self._places.let_in(look.node_id, look.host.key)

    async def _refused(self, look: Look, decision: Decision[Call], refused: RefusedCalls) -> Result:
        """Tell in the host's status that Ironic does not do what was decided."""
        goal = look.goal_of(decision.calls)

        def instead(asked: Goal) -> Failed | None:
            same = type(asked) is type(goal) or (goal is None and isinstance(asked, Register))
            return Failed(why=refused.why) if same else None

        again = Look(refused.host, refused.host.model, look.facts, look.named, look.sight)
        failure = self._decide(again, instead)
        await self._carrier.write_failure(refused.host, failure)
        return Result.again_in(failure.requeue_after or self._parts.settings.delays.long)

    async def _after(self, look: Look, decision: Decision[Call]) -> None:
        if decision.finalizer is FinalizerStep.REMOVE:
            self._places.forget(look.host.key, look.node_id)
            self._nodes.forget(look.host.key)
        elif (
            look.sight.node is not None
            and look.sight.ports is not None
            and look.named is not None
            and not decision.calls
        ):
            self._nodes.cards_are_right(look.host.key, look.named.subject)
        state = decision.status.provisioning.state
        registered = look.sight.node is not None and state not in _BEFORE_REGISTRATION
        if registered and not look.model.metadata.is_going:
            await self._views.firmware.ensure(look.host)
