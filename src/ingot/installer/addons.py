"""What is missing until all that runs in the cluster is available: a pure decision, from one look.

What Ingot brings carries a label of its own. Of what kubeadm brings, names and the network between
services count. Metal3 is made by its controller after the hand-over; `Provisioning` speaks for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ingot.kube.kind import Content, ObjectKey
from ingot.kube.object import KubeObject
from ingot.metal3.api.provisioning import NAME as PROVISIONING
from ingot.metal3.cluster.conditions import Rollout

__all__ = ["DAEMON_SET", "DEPLOYMENT", "OURS", "REQUIRED", "AddOn", "Lack", "missing_add_ons"]

OURS: Final = "app.kubernetes.io/part-of=ingot"
DEPLOYMENT: Final = "Deployment"
DAEMON_SET: Final = "DaemonSet"
REQUIRED: Final[Mapping[str, ObjectKey]] = {
    DEPLOYMENT: ObjectKey("kube-system", "coredns"),
    DAEMON_SET: ObjectKey("kube-system", "kube-proxy"),
}
"""What kubeadm brings, by kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddOn:
    """A Deployment or a DaemonSet, as it is.

    Attributes:
        kind: which of the two.
        key: what it is called.
        rollout: how far it is; None where it is not there.
    """

    kind: str
    key: ObjectKey
    rollout: Rollout | None = None

    @classmethod
    def of(cls, found: KubeObject[Content]) -> AddOn:
        """Return what one says of itself."""
        kind = found.kind.kind
        rollout = Rollout.of(found) if kind == DEPLOYMENT else _on_each_node(found)
        return cls(kind=kind, key=found.key, rollout=rollout)


def _on_each_node(found: KubeObject[Content]) -> Rollout:
    status = found.content.get("status", {})
    wanted = int(status.get("desiredNumberScheduled", 0))
    seen = int(status.get("observedGeneration", 0)) >= found.metadata.generation
    return Rollout(
        current=seen and int(status.get("updatedNumberScheduled", 0)) >= wanted,
        available=int(status.get("numberAvailable", 0)),
        wanted=wanted,
    )


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that is not available.

    Attributes:
        text: what is seen of it, in words.
        look: what kubectl is told, to tell more.
    """

    text: str
    look: str


def missing_add_ons(
    add_ons: Sequence[AddOn], provisioning: KubeObject[Content] | None
) -> tuple[Lack, ...]:
    """Return what is not available; nothing once everything is.

    Args:
        add_ons: all that were seen.
        provisioning: the cluster's `Provisioning`; None where it is not there.
    """
    return (*_unavailable(_with_required(add_ons)), *_without_metal3(provisioning))


def _with_required(add_ons: Sequence[AddOn]) -> Iterator[AddOn]:
    yield from add_ons
    known = {(one.kind, one.key) for one in add_ons}
    for kind, key in REQUIRED.items():
        if (kind, key) not in known:
            yield AddOn(kind=kind, key=key)


def _unavailable(add_ons: Iterable[AddOn]) -> Iterator[Lack]:
    for one in add_ons:
        if why := _why_not(one.rollout):
            look = f"-n {one.key.namespace} describe {one.kind.lower()} {one.key.name}"
            yield Lack(f"{one.key.name}: {why}", look)


def _why_not(rollout: Rollout | None) -> str:
    if rollout is None:
        return "it is not there"
    counted = f"{rollout.available} of {rollout.wanted} available"
    stuck = f" ({rollout.stuck})" if rollout.stuck else ""
    if not rollout.current:
        return f"{counted}, and its last change is not everywhere{stuck}"
    return f"{counted}{stuck}" if rollout.available < rollout.wanted else ""


def _without_metal3(provisioning: KubeObject[Content] | None) -> Iterator[Lack]:
    look = f"describe provisioning {PROVISIONING}"
    if provisioning is None:
        yield Lack(f"metal3: there is no Provisioning {PROVISIONING}", look)
        return
    conditions = provisioning.content.get("status", {}).get("conditions", ())
    said = next((one for one in conditions if one.get("type") == "Available"), None)
    if said is None:
        yield Lack("metal3: its controller has not said anything", look)
    elif said.get("status") != "True":
        yield Lack(f"metal3: {said.get('message') or 'it is not available'}", look)
