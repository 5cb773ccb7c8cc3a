"""What to do next, given what is seen on this machine.

kubeadm does not say afterwards how far it came. What it has written does: a node's own kubeconfig
comes last on a worker; on the control plane the etcd member's vote decides, because everything else
is written before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from ingot.configserver.role import Role

__all__ = ["Membership", "Seen", "Step", "next_step"]


class Membership(Enum):
    """What this node is to etcd."""

    NONE = auto()
    LEARNER = auto()
    VOTER = auto()


class Step(Enum):
    """What to do."""

    NOTHING = auto()
    """It has joined, and that is written down."""

    WRITE_DOWN = auto()
    """It has joined, but whoever did it was ended before that was written down."""

    MARK = auto()
    """As before; but its Node may lack the label and the taint of the control plane."""

    CLEAR = auto()
    """A try left something behind that the next one would stumble over."""

    JOIN = auto()
    """Nothing is in the way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What is on a machine.

    Attributes:
        role: what it is to become.
        stamped: whether it was written down that it has joined.
        kubelet_conf: whether it has credentials of its own.
        bootstrap_conf: whether it still has those that it gets them with.
        api_manifest: whether its API server is to run.
        etcd_manifest: whether its etcd is.
        leftovers: whether there is anything else of kubeadm's.
        membership: what it is to etcd; None: not known, as nobody was asked.
    """

    role: Role
    stamped: bool = False
    kubelet_conf: bool = False
    bootstrap_conf: bool = False
    api_manifest: bool = False
    etcd_manifest: bool = False
    leftovers: bool = False
    membership: Membership | None = None

    @property
    def etcd_is_to_be_asked(self) -> bool:
        """Whether what this node is to etcd makes a difference."""
        complete = self.kubelet_conf and self.api_manifest and self.etcd_manifest
        return not self.stamped and self.role is Role.CONTROL_PLANE and complete


def next_step(seen: Seen) -> Step:
    """Return what to do next."""
    if seen.stamped:
        return Step.NOTHING
    if seen.etcd_is_to_be_asked and seen.membership is Membership.VOTER:
        return Step.MARK
    if seen.role is Role.WORKER and seen.kubelet_conf and not seen.bootstrap_conf:
        return Step.WRITE_DOWN
    anything = (
        seen.kubelet_conf,
        seen.bootstrap_conf,
        seen.api_manifest,
        seen.etcd_manifest,
        seen.leftovers,
    )
    return Step.CLEAR if any(anything) else Step.JOIN
