"""CoreDNS on two nodes: kubeadm's two copies would both go to the first node that is there.

So there is one while servers join, and a second when they have: the scheduler prefers another node
for it. With both on one node the loss of that would leave pods without names for minutes.
"""

from __future__ import annotations

from typing import Final

from ingot.kube.client import KubeClient
from ingot.kube.kind import Kind, ObjectKey

__all__ = ["AFTER_JOINING", "WHILE_JOINING", "have_copies"]

WHILE_JOINING: Final = 1
AFTER_JOINING: Final = 2
DEPLOYMENTS: Final = Kind.untyped("apps", "v1", "Deployment", "deployments")
COREDNS: Final = ObjectKey("kube-system", "coredns")


async def have_copies(client: KubeClient, number: int) -> None:
    """Have so many copies of CoreDNS.

    Raises:
        ApiError: the API does not answer.
    """
    await client.patch(DEPLOYMENTS, COREDNS, {"spec": {"replicas": number}})
