"""VRRP router ids: which number each of a cluster's two virtual routers has.

The field derives them from the cluster's name by an 8-bit Fletcher checksum, so that clusters in
one broadcast domain seldom share one. We keep that, so that a mixed site stays predictable.

The field also has a way out for a name whose two ids are equal. There is no such name: the bytes
of `-api` and `-ingress` differ by 14 modulo 15, and so do the first sums, whatever comes before.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["RouterIds", "router_ids"]


class RouterIds(NamedTuple):
    """The ids of the API's and of ingress's virtual router."""

    api: int
    ingress: int


def router_ids(cluster_name: str) -> RouterIds:
    """Return the ids, from 1 to 239."""
    return RouterIds(
        api=_checksum(f"{cluster_name}-api") + 1,
        ingress=_checksum(f"{cluster_name}-ingress") + 1,
    )


def _checksum(text: str) -> int:
    """Return Fletcher's checksum with two sums of four bits, modulo 15."""
    low = high = 0
    for byte in text.encode():
        low = (low + byte) % 15
        high = (high + low) % 15
    return high << 4 | low
