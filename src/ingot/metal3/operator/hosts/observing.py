"""All that is looked at before a host is decided on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from ingot.ironic.node import NodeId
from ingot.ironic.states import PowerState
from ingot.kube.errors import ApiError
from ingot.kube.object import KubeObject
from ingot.metal3.api import annotation, finalizer
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.states import ProvisioningState
from ingot.metal3.host import counting
from ingot.metal3.host.observation import Facts, NodeSeen, Observation
from ingot.metal3.host.slots import boots_over_network
from ingot.metal3.node.advancing import advance
from ingot.metal3.node.calls import Call
from ingot.metal3.node.details import hardware_details
from ingot.metal3.node.goal import Goal
from ingot.metal3.node.progress import Act, Done, Progress
from ingot.metal3.operator.hosts.booting import agent_awaited, boot_seen, state_since
from ingot.metal3.operator.hosts.credentials import Credentials, credentials_of
from ingot.metal3.operator.hosts.knownnodes import KnownNodes, Sight
from ingot.metal3.operator.hosts.metrics import HostMetrics
from ingot.metal3.operator.hosts.places import Places
from ingot.metal3.operator.hosts.subject import Means, Named, named
from ingot.metal3.operator.hosts.views import Views
from ingot.metal3.operator.parts import Parts

__all__ = ["Look", "Observer"]

_POWER: Final = {PowerState.ON: True, PowerState.OFF: False}
_NOT_IN_IRONIC: Final = frozenset({ProvisioningState.NONE, ProvisioningState.UNMANAGED})
_NEEDS_DEPLOY_DATA: Final = frozenset({ProvisioningState.PROVISIONING})


@dataclass(slots=True)
class Look:
    """One look at a host.

    Attributes:
        host: as it was stored.
        model: the same, read.
        facts: what was seen besides the node's goals.
        named: the host for Ironic; None when Ironic was not looked at.
        sight: its node.
    """

    host: KubeObject[BareMetalHost]
    model: BareMetalHost
    facts: Facts
    named: Named | None = None
    sight: Sight = field(default_factory=lambda: Sight(None))
    _acts: list[tuple[Goal, Act[Call]]] = field(default_factory=list)

    @property
    def node_id(self) -> NodeId:
        """The node that the host has, or will have."""
        if self.sight.node is not None:
            return self.sight.node.uuid
        return self.named.subject.node_id if self.named else NodeId("")

    def observation(
        self, instead: Callable[[Goal], Progress[Call] | None] = lambda _goal: None
    ) -> Observation[Call]:
        """Return what a decision is made from.

        Args:
            instead: an answer in place of what the node shows.
        """

        def progress_of(goal: Goal) -> Progress[Call]:
            progress = instead(goal) or self._progress(goal)
            if isinstance(progress, Act):
                self._acts.append((goal, progress))
            return progress

        facts = {name: getattr(self.facts, name) for name in Facts.__slots__}
        return Observation(**facts, progress_of=progress_of)

    def goal_of(self, calls: tuple[Call, ...]) -> Goal | None:
        """Return the goal that calls are made for."""
        return next((goal for goal, act in self._acts if act.calls is calls), None)

    def _progress(self, goal: Goal) -> Progress[Call]:
        if self.named is None:
            return Done()  # Nothing of it is Ironic's; the rules do not come here.
        refused = self.named.refuses(goal)
        if refused is not None:
            return refused
        return advance(goal, self.named.subject, self.sight.node, ports=self.sight.ports)


class Observer:
    """Looks at hosts."""

    def __init__(
        self, parts: Parts, views: Views, *, nodes: KnownNodes, places: Places, metrics: HostMetrics
    ) -> None:
        self._parts = parts
        self._views = views
        self._nodes = nodes
        self._places = places
        self._metrics = metrics

    async def look(self, host: KubeObject[BareMetalHost], *, alone: bool = False) -> Look:
        """Look at a host and its world.

        Args:
            host: which one.
            alone: read its node now, whatever is known of it.

        Raises:
            IngotError: something could not be looked at.
        """
        model = host.model
        if _is_left_alone(model):
            return Look(host, model, Facts())
        views = self._views
        await views.ramdisks.ensure(host)
        credentials = await self._credentials(host, model)
        state = model.status.provisioning.state
        facts = Facts(
            credentials=credentials.seen,
            ironic_ready=self._parts.census.ready,
            hardware_data=views.hardware.seen(host),
            ramdisk=views.ramdisks.seen(host),
            firmware=views.firmware.seen(host),
            data_image=views.data_images.seen(host),
        )
        if state in _NEEDS_DEPLOY_DATA:
            facts = replace(facts, deploy=await views.deployments.data(model))
        if not facts.ironic_ready or state in _NOT_IN_IRONIC:
            return Look(host, model, facts)
        means = Means(
            credentials=credentials.usable,
            ramdisk=views.ramdisks.ramdisk(host),
            network_data=await views.deployments.ramdisk_network(model),
        )
        site = replace(self._parts.site, version=await self._parts.ironic.version())
        whom = named(model, means, site)
        sight = await self._sight(host, model, whom, alone=alone)
        return Look(host, model, self._with_node(model, facts, whom, sight), whom, sight)

    async def with_inventory(self, look: Look) -> Look:
        """Return the same look with what inspection has found."""
        found = await self._parts.ironic.hardware.inventory(look.node_id)
        if found is None:
            return look
        look.facts = replace(look.facts, inventory=hardware_details(found))
        return look

    async def _credentials(
        self, host: KubeObject[BareMetalHost], model: BareMetalHost
    ) -> Credentials:
        try:
            return await credentials_of(self._parts.secrets, host, model)
        except ApiError:
            self._metrics.count_one(counting.CREDENTIALS_UNHANDLED)
            raise

    async def _sight(
        self, host: KubeObject[BareMetalHost], model: BareMetalHost, whom: Named, *, alone: bool
    ) -> Sight:
        known = NodeId(model.status.provisioning.id)
        sight = await self._nodes.look(host.key, whom.subject, known, alone=alone)
        node = sight.node
        if node is not None and not sight.alone and agent_awaited(node):
            # That the agent called does not show in a listing.
            sight = await self._nodes.look(host.key, whom.subject, known, alone=True)
        return sight

    def _with_node(self, model: BareMetalHost, facts: Facts, whom: Named, sight: Sight) -> Facts:
        node = sight.node
        if node is None:
            return replace(facts, site=self._places.seen(whom.subject.node_id))
        if node.status.provision_state.is_wait and not agent_awaited(node):
            self._places.came_up(node.status)
        macs = [mac for mac in (whom.subject.boot_mac, *whom.subject.nics) if mac]
        return replace(
            facts,
            node=NodeSeen(
                id=node.uuid,
                state=node.status.provision_state,
                since=state_since(node),
                powered_on=_POWER.get(node.status.power_state),
                fault=node.status.fault,
                health=node.health,
            ),
            boot=boot_seen(
                node, self._views.boots.signs(macs), over_network=boots_over_network(model.spec)
            ),
            site=self._places.seen(node.uuid),
        )


def _is_left_alone(model: BareMetalHost) -> bool:
    """Return whether nothing has to be looked at: paused, not taken in yet, or let go."""
    meta = model.metadata
    return annotation.PAUSED in meta.annotations or finalizer.HOST not in meta.finalizers
