"""What is next for a Machine that is being deleted. Only hooks and etcd have no limit.

1. Hooks before draining: whoever set one removes it.
2. The Node is emptied, respecting disruption budgets; after a limit it goes as it is.
3. Hooks before the end.
4. One of the control plane leaves etcd, once the others are a majority without it.
5. A Node that is empty, and whose kubelet is there to say so, is deleted. Any other stays until its
   server is off, so that nothing of it is started elsewhere while it may still run.
6. The host loses its image, and is waited for until it is cleaned; after a limit it is let go as it
   is, and told of. It is no use to others before its operator has cleaned it, so nothing is lost.
7. The host has no Machine any more, and the Machine is gone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from ingot.kube.object import KubeObject
from ingot.machineapi.api.conditions import Condition, ConditionSeverity
from ingot.machineapi.api.machine import Hook, MachineSpec
from ingot.machineapi.hosts import Host
from ingot.machineapi.machines.words import MachineCondition, Reason
from ingot.machineapi.nodes import Node
from ingot.machineapi.observing import Observation, condition, holds
from ingot.machineapi.parts import Patience

__all__ = [
    "AwaitHook",
    "AwaitHost",
    "Clear",
    "DeleteNode",
    "Drain",
    "Free",
    "LeaveEtcd",
    "LetGo",
    "Parting",
    "Step",
    "hooked",
    "is_released",
    "next_step",
]

BUSY: Final = frozenset(
    {"provisioning", "provisioned", "deprovisioning", "powering off before delete", "deleting"}
)
"""States in which a host still has something of its last user."""

NOT_EMPTIED: Final = frozenset({Reason.DRAIN_TIMED_OUT, Reason.NODE_NOT_READY})
"""Why a Node is no longer drained although it may not be empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parting:
    """What there is to know of a Machine that goes.

    Attributes:
        spec: its hooks.
        conditions: how far it is, and since when.
        node: its Node, if it has one.
        hosts: those that name it.
        drains: whether its Node is drained at all.
        member: the node whose member of etcd goes with it; "" if there is none to go.
    """

    spec: MachineSpec
    conditions: tuple[Condition, ...]
    node: KubeObject[Node] | None
    hosts: tuple[KubeObject[Host], ...]
    drains: bool
    now: datetime
    patience: Patience
    member: str = ""


@dataclass(frozen=True, slots=True)
class AwaitHook:
    """Wait for somebody."""


@dataclass(frozen=True, slots=True)
class Drain:
    """Empty the Node."""

    node: KubeObject[Node]
    is_late: bool


@dataclass(frozen=True, slots=True)
class LeaveEtcd:
    """Have etcd forget the member of a node."""

    member: str


@dataclass(frozen=True, slots=True)
class DeleteNode:
    """Delete the Node."""

    node: KubeObject[Node]


@dataclass(frozen=True, slots=True)
class Clear:
    """Have the host deprovisioned."""

    host: KubeObject[Host]


@dataclass(frozen=True, slots=True)
class AwaitHost:
    """Wait for the host to be clean."""

    host: KubeObject[Host]


@dataclass(frozen=True, slots=True)
class Free:
    """Have the host without a Machine.

    Attributes:
        is_clean: whether it is; if not, that is to be told.
    """

    host: KubeObject[Host]
    is_clean: bool


@dataclass(frozen=True, slots=True)
class LetGo:
    """Nothing is left to do."""


Step: TypeAlias = AwaitHook | Drain | LeaveEtcd | DeleteNode | Clear | AwaitHost | Free | LetGo


def next_step(facts: Parting) -> Step:
    """Return what is next."""
    return _before_host(facts) or _host(facts)


def hooked(facts: Parting) -> list[Observation]:
    """Return what is to be said of hooks: who is waited for, or that nobody is any more."""
    hooks = facts.spec.lifecycle_hooks
    return [
        *_hook(facts, MachineCondition.DRAINABLE, hooks.pre_drain, "draining its Node"),
        *_hook(facts, MachineCondition.TERMINABLE, hooks.pre_terminate, "giving its host back"),
    ]


def is_released(host: KubeObject[Host]) -> bool:
    """Tell whether a host has nothing of its last user any more."""
    view = host.model
    if view.spec.externally_provisioned:
        return not view.status.powered_on or view.spec.disable_power_off
    return view.state not in BUSY and not host.metadata.is_going


def _before_host(facts: Parting) -> Step | None:
    hooks = facts.spec.lifecycle_hooks
    if hooks.pre_drain:
        return AwaitHook()
    drained = holds(facts.conditions, MachineCondition.DRAINED)
    if facts.node is not None and facts.drains and not drained:
        told = condition(facts.conditions, MachineCondition.DRAINED)
        if told is None or told.reason not in NOT_EMPTIED:
            late = _since(facts, MachineCondition.DRAINED) > facts.patience.drain
            return Drain(facts.node, late)
    if hooks.pre_terminate:
        return AwaitHook()
    if facts.member and not holds(facts.conditions, MachineCondition.ETCD_MEMBER_REMOVED):
        return LeaveEtcd(facts.member)
    # It may have been emptied, and have fallen silent since: then what ran there is not known.
    if facts.node is not None and drained and facts.node.model.ready:
        return DeleteNode(facts.node)
    return None


def _host(facts: Parting) -> Step:
    begun = condition(facts.conditions, MachineCondition.HOST_RELEASED) is not None
    for host in facts.hosts:
        spec = host.model.spec
        if host.model.has_work or spec.user_data is not None:
            return Clear(host)
        if not begun and spec.online and not spec.disable_power_off:
            return Clear(host)
        clean = is_released(host)
        late = _since(facts, MachineCondition.HOST_RELEASED) > facts.patience.release
        if not clean and not late:
            return AwaitHost(host)
        # Before it may be taken by another Machine, whose Node has the same name.
        return DeleteNode(facts.node) if facts.node is not None else Free(host, clean)
    return DeleteNode(facts.node) if facts.node is not None else LetGo()


def _hook(
    facts: Parting, name: MachineCondition, hooks: tuple[Hook, ...], what: str
) -> list[Observation]:
    if not hooks and condition(facts.conditions, name) is None:
        return []
    waited = ", ".join(f"{one.name} of {one.owner}" if one.owner else one.name for one in hooks)
    return [
        Observation(
            name,
            holds=not hooks,
            reason=Reason.HOOK_PRESENT.value if hooks else "",
            message=f"{what} waits for {waited}" if hooks else "",
            severity=ConditionSeverity.WARNING,
        )
    ]


def _since(facts: Parting, name: MachineCondition) -> float:
    """Return for how many seconds a condition is said not to hold."""
    found = condition(facts.conditions, name)
    if found is None:
        return 0.0
    return (facts.now - found.last_transition_time) / timedelta(seconds=1)
