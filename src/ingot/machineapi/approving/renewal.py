"""A kubelet's next certificate as a client, asked for with the one that it has.

Kubernetes' own controller manager approves these too, where kubeadm's binding
`kubeadm:node-autoapprove-certificate-rotation` is; it does not ask for a Machine.
"""

from __future__ import annotations

from ingot.machineapi.approving.request import NODES, Request
from ingot.machineapi.approving.verdict import Approve, Deny, Verdict, Wait
from ingot.machineapi.approving.world import Subject, World

__all__ = ["judge_renewal", "no_node_of_ours", "not_as_itself"]


def judge_renewal(request: Request, world: World) -> Verdict:
    """Return what is said to a Node that asks for another certificate of its own."""
    asked = request.asked
    wrong = not_as_itself(request)
    if wrong or asked is None:
        return Deny(wrong)
    if not request.is_for("client auth"):
        usages = ", ".join(sorted(request.usages))
        return Deny(f"a kubelet's client needs no certificate for {usages}")
    if not asked.for_nobody:
        return Deny("the certificate of a client is for no address and no host name")
    subject = world.of_node(asked.node)
    if missing := no_node_of_ours(subject, asked.node):
        return Wait(missing)
    return Approve(f"Node {asked.node} asked with its own, and is one of ours")


def no_node_of_ours(subject: Subject, name: str) -> str:
    """Return why a Node is not one that belongs to a Machine; "" if it is."""
    if subject.node is None:
        return f"there is no Node {name}"
    if subject.machine is None:
        return f"no Machine has Node {name}"
    return f"Machine {subject.machine.key} is being deleted" if subject.machine.going else ""


def not_as_itself(request: Request) -> str:
    """Return why a Node's request is not one for itself; "" if it is."""
    asked = request.asked
    if asked is None:
        return "it cannot be read, or is not signed with its own key"
    if NODES not in request.groups:
        return f"{request.user} is not in {NODES}"
    if asked.organisations != (NODES,):
        return f"its organisation is not {NODES}"
    if asked.node != request.requester:
        return f"{request.user} asks for {', '.join(asked.names) or 'nobody'}"
    return ""
