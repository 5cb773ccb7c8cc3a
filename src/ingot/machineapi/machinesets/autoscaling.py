"""As many Machines as there are hosts for them, for sets that ask for it.

Counted are hosts that Machines of the set have, and those that one of them could take. A host whose
Machine goes is counted by nobody until it is clean; then there is a place for a new one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi.api.machineset import MachineSet
from ingot.machineapi.hosts import Host, consumer_key
from ingot.machineapi.labels import mistakes
from ingot.machineapi.machines.choosing import refusal

__all__ = ["replicas_for"]


def replicas_for(
    model: MachineSet, hosts: Iterable[KubeObject[Host]], staying: Collection[ObjectKey]
) -> int | None:
    """Return how many Machines there should be; None where the selector cannot be used.

    Args:
        model: the set.
        hosts: those of its namespace.
        staying: its Machines that are not going.
    """
    value = model.spec.template.spec.provider_spec.value
    if value is None or mistakes(value.host_selector, "hostSelector"):
        return None
    return sum(
        consumer_key(host) in staying or refusal(host, value.host_selector) is None
        for host in hosts
    )
