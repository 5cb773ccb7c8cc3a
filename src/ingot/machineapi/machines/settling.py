"""The status of a Machine that stays, from its host and its Node."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from ingot.kube.object import KubeObject
from ingot.machineapi.api.conditions import ConditionSeverity
from ingot.machineapi.api.machine import MachineStatus, ObjectReference, Phase
from ingot.machineapi.hosts import Host
from ingot.machineapi.machines.linking import addresses
from ingot.machineapi.machines.words import MachineCondition, Reason
from ingot.machineapi.nodes import Node
from ingot.machineapi.observing import Observation, observed

__all__ = ["INSTALLED", "Settlement", "is_installed", "settle", "unsettled"]

INSTALLED: Final = frozenset({"provisioned", "externally provisioned"})
"""States in which a host runs what was wanted."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """Where a Machine stands.

    Attributes:
        status: as it is to be written.
        said: the conditions that went into it.
    """

    status: MachineStatus
    said: tuple[Observation, ...]


def is_installed(host: KubeObject[Host]) -> bool:
    """Tell whether a host runs what was wanted."""
    return host.model.state in INSTALLED


def settle(
    before: MachineStatus,
    host: KubeObject[Host],
    node: KubeObject[Node] | None,
    *,
    now: datetime,
) -> Settlement:
    """Return where a Machine stands that has a host."""
    said = (
        Observation(
            MachineCondition.HOST_CLAIMED,
            holds=True,
            reason=Reason.CLAIMED.value,
            message=f"its host is {host.key}",
        ),
        _instance(host),
        _node(host, node),
    )
    lost = said[1].reason in (Reason.HOST_DELETING, Reason.HOST_GAVE_UP)
    if lost:
        phase = Phase.FAILED
    elif node is not None and is_installed(host):
        phase = Phase.RUNNING
    else:
        phase = Phase.PROVISIONED if is_installed(host) else Phase.PROVISIONING
    status = replace(
        before,
        phase=phase.value,
        addresses=addresses(host),
        node_ref=_reference(node) if node else None,
        error_reason=said[1].reason if lost else "",
        error_message=said[1].message if lost else "",
    )
    return Settlement(_written(before, status, said, now=now), said)


def unsettled(
    before: MachineStatus, why: Observation, *, needs_change: bool, now: datetime
) -> Settlement:
    """Return where a Machine stands that has no host."""
    status = replace(
        before,
        phase=(Phase.FAILED if needs_change else Phase.PROVISIONING).value,
        error_reason=why.reason if needs_change else "",
        error_message=why.message if needs_change else "",
    )
    said = [why]
    if why.reason in (Reason.HOST_GONE, Reason.HOST_TAKEN):
        said.append(replace(why, type=MachineCondition.INSTANCE_EXISTS))
    return Settlement(_written(before, status, said, now=now), tuple(said))


def _instance(host: KubeObject[Host]) -> Observation:
    view = host.model
    told = view.status.error_message or view.status.error_type
    trouble = f": {told}" if told else ""

    def says(reason: Reason, message: str, severity: ConditionSeverity | None) -> Observation:
        return Observation(
            MachineCondition.INSTANCE_EXISTS,
            holds=reason is Reason.PROVISIONED,
            reason=reason.value,
            message=message,
            severity=severity,
        )

    if host.metadata.is_going:
        return says(
            Reason.HOST_DELETING,
            f"its host {host.key} is being deleted: delete the Machine too",
            ConditionSeverity.ERROR,
        )
    if is_installed(host):
        return says(Reason.PROVISIONED, f"host {host.key} is {view.state}{trouble}", None)
    if view.gave_up:
        return says(
            Reason.HOST_GAVE_UP,
            f"its host {host.key} has given up{trouble}; or delete the Machine, and another takes a"
            " host that has not failed, if one is free",
            ConditionSeverity.ERROR,
        )
    state = view.state or "not registered yet"
    if told:
        return says(
            Reason.HOST_ERROR, f"host {host.key} is {state}{trouble}", ConditionSeverity.WARNING
        )
    return says(Reason.PROVISIONING, f"host {host.key} is {state}", ConditionSeverity.INFO)


def _node(host: KubeObject[Host], node: KubeObject[Node] | None) -> Observation:
    if node is not None:
        return Observation(
            MachineCondition.NODE_LINKED,
            holds=True,
            reason=Reason.NODE_LINKED.value,
            message=f"its Node is {node.metadata.name}",
        )
    return Observation(
        MachineCondition.NODE_LINKED,
        holds=False,
        reason=Reason.NO_NODE.value,
        message=f"no Node has joined from host {host.key}",
        severity=ConditionSeverity.INFO,
    )


def _reference(node: KubeObject[Node]) -> ObjectReference:
    return ObjectReference(
        api_version="v1", kind="Node", name=node.metadata.name, uid=node.metadata.uid
    )


def _written(
    before: MachineStatus, after: MachineStatus, said: Iterable[Observation], *, now: datetime
) -> MachineStatus:
    after = replace(after, conditions=observed(before.conditions, said, now=now))
    return before if after == before else replace(after, last_updated=now)
