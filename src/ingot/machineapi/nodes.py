"""A Node and a Pod as far as Machines are concerned: narrow views of the stored objects."""

from __future__ import annotations

from datetime import datetime
from typing import Final

import msgspec

from ingot.kube.kind import Kind

__all__ = ["NODE", "POD", "Node", "NodeAddress", "NodeTaint", "Pod"]


class NodeAddress(msgspec.Struct, frozen=True):
    """One of a Node's addresses."""

    type: str = ""
    address: str = ""


class NodeTaint(msgspec.Struct, frozen=True, omit_defaults=True, rename="camel"):
    """A mark that keeps pods off a Node."""

    key: str
    effect: str
    value: str = ""
    time_added: str | None = None


class _Condition(msgspec.Struct, frozen=True, rename="camel"):
    type: str = ""
    status: str = ""
    last_transition_time: datetime | None = None


class _NodeSpec(msgspec.Struct, frozen=True, rename={"provider_id": "providerID"}):
    provider_id: str = ""
    unschedulable: bool = False
    taints: tuple[NodeTaint, ...] = ()


class _NodeStatus(msgspec.Struct, frozen=True):
    addresses: tuple[NodeAddress, ...] = ()
    conditions: tuple[_Condition, ...] = ()


class Node(msgspec.Struct, frozen=True):
    """A member of the cluster."""

    spec: _NodeSpec = _NodeSpec()
    status: _NodeStatus = _NodeStatus()

    @property
    def ready(self) -> bool:
        """Whether its kubelet says that it can run pods, and is heard."""
        return any(one.type == "Ready" and one.status == "True" for one in self.status.conditions)

    @property
    def ready_since(self) -> datetime | None:
        """Since when it is ready; None if it is not, or nobody noted when."""
        for one in self.status.conditions:
            if one.type == "Ready" and one.status == "True":
                return one.last_transition_time
        return None

    @property
    def internal_addresses(self) -> frozenset[str]:
        """The addresses by which the cluster reaches it."""
        return frozenset(one.address for one in self.status.addresses if one.type == "InternalIP")


class _PodSpec(msgspec.Struct, frozen=True, rename="camel"):
    node_name: str = ""


class _PodStatus(msgspec.Struct, frozen=True):
    phase: str = ""


class Pod(msgspec.Struct, frozen=True):
    """What runs on a Node; metadata is read apart."""

    spec: _PodSpec = _PodSpec()
    status: _PodStatus = _PodStatus()


def _node(raw: bytes) -> Node:
    return msgspec.json.decode(raw, type=Node)


def _pod(raw: bytes) -> Pod:
    return msgspec.json.decode(raw, type=Pod)


NODE: Final = Kind(
    group="", version="v1", kind="Node", plural="nodes", namespaced=False, read=_node
)
POD: Final = Kind(group="", version="v1", kind="Pod", plural="pods", read=_pod)
