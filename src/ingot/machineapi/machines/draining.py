"""Emptying a Node: which of its pods have to go, and which are waited for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ingot.kube.object import KubeObject
from ingot.machineapi.nodes import Pod

__all__ = ["Emptying", "look", "told"]

MIRROR: Final = "kubernetes.io/config.mirror"
"""On a pod that stands for a file of the node: it goes with the node and cannot be evicted."""

_OVER: Final = frozenset({"Succeeded", "Failed"})
SHOWN: Final = 5
"""How many pods a sentence names."""


@dataclass(frozen=True, slots=True)
class Emptying:
    """The pods of a Node that keep it from being empty.

    Attributes:
        staying: those that have to be asked to go.
        leaving: those that are on their way.
    """

    staying: tuple[KubeObject[Pod], ...]
    leaving: tuple[KubeObject[Pod], ...]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is left to wait for."""
        return not self.staying and not self.leaving


def look(pods: Iterable[KubeObject[Pod]], *, answers: bool, now: datetime) -> Emptying:
    """Return what keeps a Node from being empty.

    Pods of DaemonSets would come back at once, and those that have ended hold nothing.

    Args:
        pods: those of the Node.
        answers: whether its kubelet is heard. If not, nobody will ever say that a pod has ended, so
            one whose time is over is not waited for; it may still run.
        now: the time.
    """
    staying, leaving = [], []
    for pod in pods:
        meta = pod.metadata
        if MIRROR in meta.annotations or pod.model.status.phase in _OVER:
            continue
        if any(one.controller and one.kind == "DaemonSet" for one in meta.owner_references):
            continue
        if meta.deletion_timestamp is None:
            staying.append(pod)
        elif answers or datetime.fromisoformat(meta.deletion_timestamp) > now:
            leaving.append(pod)
    return Emptying(tuple(staying), tuple(leaving))


def told(node: str, emptying: Emptying, refused: Iterable[tuple[KubeObject[Pod], str]]) -> str:
    """Return what is left on a Node, as a sentence.

    Args:
        node: its name.
        emptying: what was looked at.
        refused: pods that were not let go, with why.
    """
    why = {pod.key: reason for pod, reason in refused}
    pods = [*emptying.staying, *emptying.leaving]
    shown = [
        f"{pod.key} ({why[pod.key]})" if pod.key in why else str(pod.key)
        for pod in sorted(pods, key=lambda pod: (pod.key not in why, pod.key))[:SHOWN]
    ]
    more = f" and {len(pods) - SHOWN} more" if len(pods) > SHOWN else ""
    left = "1 pod is" if len(pods) == 1 else f"{len(pods)} pods are"
    return f"{left} left on Node {node}: {', '.join(shown)}{more}"
