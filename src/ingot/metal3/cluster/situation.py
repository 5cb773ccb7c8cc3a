"""Where the cluster stands, and what of metal3 may run in it: a pure decision.

While the bootstrap VM is a Node it provisions, and the metal3 pod of the cluster waits: two Ironics
on one network would boot each other's servers. The VM's images are copied before it goes, but only
once every control-plane server is a node: until then its network carries their disks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from ingot.kube.kind import Content
from ingot.kube.object import KubeObject
from ingot.metal3.cluster.names import BOOTSTRAP
from ingot.metal3.pod.manifest import CONTROL_PLANE

__all__ = ["COPIES", "HOST_ROLE", "Situation", "is_ready", "look"]

COPIES: Final = 2
"""Of the images: one may be lost with its node. A third would cost gigabytes for little."""
_ROLE: Final = next(iter(CONTROL_PLANE))
HOST_ROLE: Final = ("installer.openshift.io/role", "control-plane")


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What was seen of the cluster.

    Attributes:
        bootstrap: the bootstrap VM is still a Node.
        nodes: how many nodes the control plane has.
        ready: how many of them are ready.
        expected: how many servers are to become the control plane, as far as is known.
        copies_asked: how many copies were asked for before: they are not given up when a node is
            away for a moment.
        serves: metal3 serves in the cluster.
    """

    bootstrap: bool = False
    nodes: int = 0
    ready: int = 0
    expected: int = 0
    copies_asked: int = 0
    serves: bool = False

    @property
    def copies(self) -> int:
        """How many copies of the images there shall be."""
        if self.bootstrap:
            complete = self.ready > 0 and self.ready >= self.expected
            return 1 if complete or self.copies_asked else 0
        # The second is made when metal3 runs: else it might be begun where nothing is yet.
        wanted = COPIES if self.serves or self.copies_asked >= COPIES else 1
        return min(wanted, self.nodes)

    @property
    def pods(self) -> int:
        """How many metal3 pods there shall be."""
        return 0 if self.bootstrap else 1


def look(
    nodes: Iterable[KubeObject[Content]],
    hosts: Iterable[KubeObject[Any]],
    *,
    copies_asked: int,
    serves: bool,
) -> Situation:
    """Return where the cluster stands.

    Args:
        nodes: all Nodes.
        hosts: all BareMetalHosts.
        copies_asked: how many copies of the images were asked for before.
        serves: metal3 serves in the cluster.
    """
    seen = list(nodes)
    leading = [one for one in seen if _ROLE in one.metadata.labels]
    label, value = HOST_ROLE
    return Situation(
        bootstrap=any(BOOTSTRAP in one.metadata.labels for one in seen),
        nodes=len(leading),
        ready=sum(is_ready(one) for one in leading),
        expected=sum(one.metadata.labels.get(label) == value for one in hosts),
        copies_asked=copies_asked,
        serves=serves,
    )


def is_ready(subject: KubeObject[Content]) -> bool:
    """Tell whether a Node or a Pod is ready."""
    conditions = subject.content.get("status", {}).get("conditions", ())
    return any(one["type"] == "Ready" and one["status"] == "True" for one in conditions)
