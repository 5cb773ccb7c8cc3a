"""Machines, hosts and Nodes as approving and healing see them: the few facts that they decide by.

Hosts belong to metal3 and Nodes to Kubernetes, so both are read from plain JSON: the API server has
checked its shape already, and what is not there counts as not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi import annotation
from ingot.machineapi.machines.words import MachineCondition

__all__ = [
    "HostSeen",
    "MachineSeen",
    "NodeCondition",
    "NodeSeen",
    "moment",
]

CONTROL_PLANE_ROLES: Final = frozenset({"master", "control-plane"})
IN_USE: Final = frozenset({"provisioned", "externally provisioned"})


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineSeen:
    """A Machine.

    Attributes:
        created: when it was made.
        going: whether it is being deleted.
        host: the host that it has claimed; None before.
        node: the name of its Node; "" before it has one.
        phase: what its controller says of it.
        error: why it has failed, as one word; "" if it has not.
        unclaimed_since: since when it has no host; None if it has one, or that was never said.
        addresses: all of its addresses.
        names: of these, the host names.
        owned: whether a MachineSet would make another in its place.
    """

    key: ObjectKey
    uid: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    created: datetime | None = None
    going: bool = False
    host: ObjectKey | None = None
    node: str = ""
    phase: str = ""
    error: str = ""
    unclaimed_since: datetime | None = None
    addresses: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    owned: bool = False

    @classmethod
    def of(cls, found: KubeObject[Any]) -> MachineSeen:
        """Return what an object says."""
        meta, status = found.metadata, found.content.get("status", {})
        listed = [one for one in status.get("addresses", ()) if one.get("address")]
        namespace, _, name = meta.annotations.get(annotation.HOST, "").rpartition("/")
        return cls(
            key=found.key,
            uid=meta.uid,
            labels=meta.labels,
            annotations=meta.annotations,
            created=moment(meta.creation_timestamp),
            going=meta.is_going,
            host=ObjectKey(namespace or found.key.namespace, name) if name else None,
            node=(status.get("nodeRef") or {}).get("name", ""),
            phase=status.get("phase") or "",
            error=status.get("errorReason") or "",
            unclaimed_since=_unclaimed_since(status.get("conditions") or ()),
            addresses=frozenset(one["address"] for one in listed),
            names=frozenset(
                one["address"].lower() for one in listed if not one.get("type", "").endswith("IP")
            ),
            owned=any(one.controller and one.kind == "MachineSet" for one in meta.owner_references),
        )

    @property
    def is_control_plane(self) -> bool:
        """Whether it is one of those that run etcd and the API."""
        return self.labels.get(annotation.ROLE) in CONTROL_PLANE_ROLES


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSeen:
    """A BareMetalHost.

    Attributes:
        going: whether it is being deleted.
        consumer: the Machine that uses it; None if nobody does, or something else.
        free: whether nobody uses it.
        state: where it stands on its way.
        powered_on: whether the server was on when last looked at.
        provisioned_at: when its image was last written.
        addresses: those that inspection found.
        wanted: whether it is to run an image, or has been installed by somebody else.
        external: whether somebody else has installed it.
        keeps_power: whether it must never be turned off.
        error: what failed last.
    """

    key: ObjectKey
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    going: bool = False
    consumer: ObjectKey | None = None
    free: bool = True
    state: str = ""
    powered_on: bool = False
    provisioned_at: datetime | None = None
    addresses: frozenset[str] = frozenset()
    wanted: bool = False
    external: bool = False
    keeps_power: bool = False
    error: str = ""

    @classmethod
    def of(cls, found: KubeObject[Any]) -> HostSeen:
        """Return what an object says."""
        meta, content = found.metadata, found.content
        spec, status = content.get("spec", {}), content.get("status", {})
        consumer = spec.get("consumerRef") or {}
        ours = consumer.get("kind") == "Machine" and bool(consumer.get("name"))
        namespace = consumer.get("namespace") or found.key.namespace
        cards = (status.get("hardware") or {}).get("nics") or ()
        history = status.get("operationHistory") or {}
        external = bool(spec.get("externallyProvisioned"))
        return cls(
            key=found.key,
            labels=meta.labels,
            annotations=meta.annotations,
            going=meta.is_going,
            consumer=ObjectKey(namespace, consumer["name"]) if ours else None,
            free=not consumer,
            state=(status.get("provisioning") or {}).get("state", ""),
            powered_on=bool(status.get("poweredOn")),
            provisioned_at=moment((history.get("provision") or {}).get("end")),
            addresses=frozenset(card["ip"] for card in cards if card.get("ip")),
            wanted=external or bool(spec.get("image") or spec.get("customDeploy")),
            external=external,
            keeps_power=bool(spec.get("disablePowerOff")),
            error=status.get("errorMessage") or "",
        )

    @property
    def in_use(self) -> bool:
        """Whether it runs what it was given."""
        return self.state in IN_USE


@dataclass(frozen=True, slots=True)
class NodeCondition:
    """What a Node's condition says, and since when."""

    status: str
    since: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSeen:
    """A Node.

    Attributes:
        conditions: by their type.
        taints: keys and effects.
        boot: which boot of the machine its kubelet last told of.
        addresses: what its kubelet says of itself.
    """

    name: str
    uid: str = ""
    conditions: Mapping[str, NodeCondition] = field(default_factory=dict)
    taints: frozenset[tuple[str, str]] = frozenset()
    boot: str = ""
    addresses: frozenset[str] = frozenset()

    @classmethod
    def of(cls, found: KubeObject[Any]) -> NodeSeen:
        """Return what an object says."""
        content = found.content
        spec, status = content.get("spec", {}), content.get("status", {})
        return cls(
            name=found.metadata.name,
            uid=found.metadata.uid,
            conditions={
                one["type"]: NodeCondition(one["status"], moment(one.get("lastTransitionTime")))
                for one in status.get("conditions", ())
            },
            taints=frozenset(_taints(spec.get("taints") or ())),
            boot=(status.get("nodeInfo") or {}).get("bootID", ""),
            addresses=frozenset(
                one["address"] for one in status.get("addresses", ()) if one["type"] == "InternalIP"
            ),
        )

    @property
    def ready(self) -> bool:
        """Whether its kubelet says that all is well."""
        found = self.conditions.get("Ready")
        return found is not None and found.status == "True"


def moment(text: str | None) -> datetime | None:
    """Return a time of the API; None where there is none."""
    return datetime.fromisoformat(text) if text else None


def _unclaimed_since(conditions: Iterable[Mapping[str, Any]]) -> datetime | None:
    said = (one for one in conditions if one["type"] == MachineCondition.HOST_CLAIMED)
    return next(
        (moment(one.get("lastTransitionTime")) for one in said if one["status"] == "False"), None
    )


def _taints(listed: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, str]]:
    return ((one["key"], one["effect"]) for one in listed)
