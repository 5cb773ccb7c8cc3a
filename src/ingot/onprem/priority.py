"""VRRP priorities, and the one thing that must hold of them.

The field's numbers: the bootstrap has 70, a control-plane node 40 and up for the API, any node 20
and up for ingress. No control-plane node may outbid a bootstrap that lives, whatever it has on top:
once that was not so, and the API's VIP left a live bootstrap for a node without an API (onprem
history of 2019-2020). So bonuses are an enum, all sums of them are bounded here, and importing this
module fails where the bound does not hold.

The API has two grades only. More of them, as the field has for its config server or a local API
server, means that a VIP moves, and cuts every connection through it, between nodes that would serve
equally well.
"""

from __future__ import annotations

from enum import IntEnum

__all__ = [
    "API_BASE",
    "BOOTSTRAP",
    "FAULT",
    "INGRESS_BASE",
    "ApiBonus",
    "IngressBonus",
    "check_order",
]

BOOTSTRAP = 70
API_BASE = 40
INGRESS_BASE = 20

FAULT = -254
"""keepalived.conf(5), track_file: below -253 the instance is at fault and holds nothing."""


class ApiBonus(IntEnum):
    """What a control-plane node has on top for the API; one of them."""

    LOCAL = 5
    """VIP:6443 reaches the node's own API server only: the redirect is not in place."""

    BALANCED = 20
    """VIP:6443 reaches every ready API server."""


class IngressBonus(IntEnum):
    """What a node has on top for ingress; any of them together."""

    WORKER = 5
    """Traffic from outside should not meet the control plane where it need not."""

    READY = 10
    """The router takes new connections; without it, it is being drained."""

    DEFAULT = 50
    """It is the default router, which has every route."""


def check_order(bootstrap: int, base: int, largest: int) -> None:
    """Check that no control-plane node can outbid a live bootstrap.

    Raises:
        ValueError: one can.
    """
    if base + largest >= bootstrap:
        raise ValueError(
            f"a control-plane node could have priority {base + largest}, and the bootstrap has "
            f"only {bootstrap}: the VIP would leave a live bootstrap"
        )


check_order(BOOTSTRAP, API_BASE, max(ApiBonus))
