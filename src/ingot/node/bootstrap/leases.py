"""The leases of the bootstrap's controller manager and scheduler, given back for them.

Neither gives its lease back when it ends, so whoever leads next would wait until it has expired:
fifteen seconds, and a minute in a lab, in which nothing is scheduled and no pod is replaced.
"""

from __future__ import annotations

import logging
from typing import Final

from ingot.kube.client import KubeClient
from ingot.kube.errors import ApiError
from ingot.kube.kind import ObjectKey
from ingot.kube.leadership import LEASES

__all__ = ["give_leases_back"]

log = logging.getLogger(__name__)

NAMESPACE: Final = "kube-system"
NAMES: Final = ("kube-controller-manager", "kube-scheduler")


async def give_leases_back(client: KubeClient, node: str) -> None:
    """Have others lead at once. Only once whoever held the leases on this node has ended.

    Without an answer the others wait a little longer, so nothing is tried again.

    Args:
        client: the API.
        node: this node's name, with which the identities of its holders begin.
    """
    for name in NAMES:
        key = ObjectKey(NAMESPACE, name)
        try:
            found = await client.get(LEASES, key)
            if not str(found.content["spec"].get("holderIdentity", "")).startswith(f"{node}_"):
                continue
            change = {
                "metadata": {"resourceVersion": found.metadata.resource_version},
                "spec": {"holderIdentity": "", "leaseDurationSeconds": 1},
            }
            await client.patch(LEASES, key, change)
        except ApiError as error:
            log.info("the lease %s is not given back: %s", name, error)
